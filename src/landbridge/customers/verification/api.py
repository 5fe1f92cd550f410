"""Routes of verification: submissions and statuses. Source: contract, users 3.2, interface/kyc.

Routes by connected providers are ours; see docs/reference/verification.md.
"""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserCard, UserType
from landbridge.customers.users.path_params import known_user
from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.provider_links import VerificationLinks
from landbridge.customers.verification.schemas import (
    StatusReply,
    SubmissionReplies,
    status_object,
    submission_objects,
)
from landbridge.customers.verification.service import StatusFilters, Verification
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, query, some_of, text, with_schema
from landbridge.platform.http.list_query import UserFilter, optional_id, parse_choice, parse_choices
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of

_TEXT_LENGTH_MAX = 200
# Description of parameters that may be repeated or comma-separated, which is equivalent.
_REPEATED = "Repeated, or comma-separated."
_Rails = Annotated[list[str] | None, query(None, some_of(Rail), description=_REPEATED)]
_Statuses = Annotated[list[str] | None, query(None, some_of(KycStatus), description=_REPEATED)]


class Submission(WireStruct, frozen=True):
    """One rail or several rails for which the user's data is submitted."""

    rails: Rail | Annotated[list[Rail], msgspec.Meta(min_length=1, max_length=len(Rail))]


class ListedUser(WireStruct, frozen=True):
    """User of the case."""

    id: UUID
    type: UserType
    name: str
    email: str


class ListedStatus(WireStruct, frozen=True):
    """Verification status of a user for a rail; `createdAt` is the first submission."""

    user: ListedUser
    rails: Rail
    created_at: Moment
    updated_at: Moment
    status: KycStatus


class VerificationRoutes(Controller):
    """Routes to submit KYC data and to read verification statuses."""

    path = "/v2"
    tags = ("KYC",)

    @post(
        "/users/{userId:str}/kyc/submissions",
        status_code=200,
        summary="Submit KYC",
        operation_id="kyc.submit",
    )
    async def submit(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[Submission],
        verification: NamedDependency[Verification],
    ) -> SubmissionReplies:
        """Submit the current data; a rail already submitted keeps its status."""
        return await _submit(request, userId, data, verification)

    @post(
        "/users/{userId:str}/kyc/submit",
        status_code=200,
        include_in_schema=False,
        operation_id="kyc.submitByOldPath",
    )
    async def submit_by_old_path(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        verification: NamedDependency[Verification],
        data: JSONBody[Submission | None] = None,
    ) -> SubmissionReplies:
        """The path that older clients of the reference use; without a body, the rail is USD."""
        submission = Submission(rails=Rail.USD) if data is None else data
        return await _submit(request, userId, submission, verification)

    @get(
        "/users/{userId:str}/kyc/status",
        summary="Retrieve the KYC status",
        operation_id="kyc.retrieveStatus",
    )
    async def status(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        verification: NamedDependency[Verification],
        rails: Annotated[
            str | None, query(None, one_of(Rail), description="USD if left out.")
        ] = None,
    ) -> StatusReply:
        """Return the status with the findings; INACTIVE if no data was ever submitted."""
        rail = Rail.USD if rails is None else parse_choice("rails", rails, Rail)
        case = await verification.status(request.user.org_id, known_user(userId), rail)
        return status_object(rail, case)

    @get("/kyc/status", summary="List KYC statuses", costly=True, operation_id="kyc.listStatuses")
    async def page(
        self,
        request: ApiRequest,
        *,
        verification: NamedDependency[Verification],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
        user_name: Annotated[str | None, query("userName", text(_TEXT_LENGTH_MAX))] = None,
        user_email: Annotated[str | None, query("userEmail", text(_TEXT_LENGTH_MAX))] = None,
        rails: _Rails = None,
        status: _Statuses = None,
    ) -> list[ListedStatus]:
        """List statuses, newest first; name and e-mail match partially and ignore case."""
        filters = StatusFilters(
            user_id=optional_id("userId", user_id),
            user_name=_text("userName", user_name),
            user_email=_text("userEmail", user_email),
            rails=parse_choices("rails", rails, Rail),
            statuses=parse_choices("status", status, KycStatus),
        )
        found = await verification.page(request.user.org_id, filters, window)
        return [
            reply_of(case, ListedStatus, user=listed_user(card), rails=case.rail)
            for case, card in found
        ]


def listed_user(card: UserCard) -> ListedUser:
    """Return the user of a case."""
    return ListedUser(id=card.id, type=card.type, name=card.name, email=card.email)


def _text(field: str, text: str | None) -> str | None:
    if text is not None and len(text) > _TEXT_LENGTH_MAX:
        raise FieldInvalid(f"{field} has more than {_TEXT_LENGTH_MAX} characters", field=field)
    return text


async def _submit(
    request: ApiRequest, user_id: str, data: Submission, verification: Verification
) -> SubmissionReplies:
    rails = data.rails if isinstance(data.rails, list) else [data.rails]
    requested_rails = list(dict.fromkeys(rails))
    cases = await verification.submit(request.user, known_user(user_id), requested_rails)
    return submission_objects(cases)


_TOKEN_LENGTH_MAX = 4_000


class SharedSubmission(WireStruct, frozen=True):
    """Submission with a token by which the provider takes over an earlier verification."""

    rails: Rail | Annotated[list[Rail], msgspec.Meta(min_length=1, max_length=len(Rail))]
    share_token: Annotated[str, with_schema(text(_TOKEN_LENGTH_MAX, length_min=1))]


class LinkRequest(WireStruct, frozen=True):
    """Rail for which the person is verified."""

    rails: Rail


class ProviderLinkReply(WireStruct, frozen=True):
    """Page of the provider for the person. Anyone who has the address can act as the person.

    `expiresAt` is null if the provider does not say it.
    """

    url: str
    expires_at: Moment | None


class ProviderVerificationRoutes(Controller):
    """Routes of users whom a connected provider verifies."""

    path = "/v2/users/{userId:str}/kyc"
    tags = ("KYC",)

    @post(
        "/shared-submissions",
        status_code=200,
        summary="Submit KYC with a share token",
        operation_id="kyc.submitShared",
    )
    async def submit(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[SharedSubmission],
        verification: NamedDependency[Verification],
    ) -> SubmissionReplies:
        """Submit the current data, and have the provider take over an earlier verification.

        Refused if no connected provider verifies for one of the rails.
        """
        rails = data.rails if isinstance(data.rails, list) else [data.rails]
        cases = await verification.submit(
            request.user,
            known_user(userId),
            list(dict.fromkeys(rails)),
            share_token=data.share_token,
        )
        return submission_objects(cases)

    @post(
        "/provider-links",
        status_code=200,
        summary="Open the page of the identity provider",
        operation_id="kyc.openProviderLink",
    )
    async def open_link(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[LinkRequest],
        verification_links: NamedDependency[VerificationLinks],
        clock: NamedDependency[Clock],
    ) -> ProviderLinkReply:
        """Return a new address of the provider's page, on which the person continues.

        The user's case must be PENDING, INCOMPLETE or RFI_PENDING at a connected provider.
        """
        caller = request.user
        link = await verification_links.open(caller, known_user(userId), data.rails)
        expires_at = None
        if link.expires_in_s is not None:
            now = clock.now(caller.clock_offset)
            expires_at = moment(now + timedelta(seconds=link.expires_in_s))
        return ProviderLinkReply(url=link.url, expires_at=expires_at)
