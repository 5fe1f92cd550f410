"""The route that tells all that was told about a user. Ours; no other service has it."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.formats.places import Address
from landbridge.users.model import Owner, User, UserType
from landbridge.users.paths import known_user
from landbridge.users.service import Users
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import Moment, WireStruct, moment


class ParticularsReply(WireStruct, frozen=True):
    """What creating and updating told; null is what was not told, or what was erased."""

    user_id: UUID
    type: UserType
    email: str | None
    first_name: str | None
    last_name: str | None
    business_name: str | None
    date_of_birth: date | None
    address: Address | None
    ip_address: str | None
    ultimate_beneficial_owners: Sequence[Owner]
    signed_agreement_id: UUID
    request_id: UUID
    created_at: Moment
    updated_at: Moment
    erased_at: Moment | None


class ParticularsRoutes(Controller):
    """What was told about a user."""

    path = "/v2/users/{userId:str}/particulars"
    tags = ("Users",)

    @get(summary="Retrieve a user's particulars")
    async def retrieve(
        self, request: ApiRequest, userId: FromPath[str], users: NamedDependency[Users]
    ) -> ParticularsReply:
        """Names, birth, address and owners as they were told last, and the terms accepted."""
        return particulars_reply(await users.get(request.user.org_id, known_user(userId)))


def particulars_reply(user: User) -> ParticularsReply:
    """All that is known of a user but KYC data."""
    profile = user.profile
    return ParticularsReply(
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
