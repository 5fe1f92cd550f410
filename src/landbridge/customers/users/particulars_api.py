"""Route for all submitted data of a user. Not part of the contract; Landbridge only."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.users.model import BusinessOwner, User, UserType
from landbridge.customers.users.path_params import known_user
from landbridge.customers.users.service import Users
from landbridge.platform.formats.addresses import Address
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import Moment, WireStruct, moment


class UserDetailsReply(WireStruct, frozen=True):
    """Data submitted on creation and update; null for absent or erased data."""

    user_id: UUID
    type: UserType
    email: str | None
    first_name: str | None
    last_name: str | None
    business_name: str | None
    date_of_birth: date | None
    address: Address | None
    ip_address: str | None
    ultimate_beneficial_owners: Sequence[BusinessOwner]
    signed_agreement_id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    erased_at: Moment | None


class UserDetailsRoutes(Controller):
    """Route for the submitted data of a user."""

    path = "/v2/users/{userId:str}/particulars"
    tags = ("Users",)

    @get(summary="Retrieve a user's particulars", operation_id="users.retrieveParticulars")
    async def retrieve(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> UserDetailsReply:
        """Return the current names, birth date, address and owners, and the accepted terms."""
        return particulars_reply(await users.get(request.user.org_id, known_user(userId)))


def particulars_reply(user: User) -> UserDetailsReply:
    """Return all data of a user except KYC data."""
    profile = user.profile
    return UserDetailsReply(
        user_id=user.id,
        type=user.type,
        email=user.email or None,
        first_name=user.first_name,
        last_name=user.last_name,
        business_name=user.business_name,
        date_of_birth=profile.date_of_birth,
        address=profile.address,
        ip_address=profile.ip_address,
        ultimate_beneficial_owners=profile.ultimate_beneficial_owners,
        signed_agreement_id=user.agreement_id,
        request_id=user.request_id,
        created_at=moment(user.created_at),
        updated_at=moment(user.updated_at),
        erased_at=None if user.erased_at is None else moment(user.erased_at),
    )
