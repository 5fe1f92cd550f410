"""Routes of verification: submissions and statuses. Source: contract, users 3.2, interface/kyc."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.core.errors import FieldInvalid
from landbridge.core.pages import Window
from landbridge.kyc.model import Rail
from landbridge.users.model import UserType
from landbridge.users.paths import known_user
from landbridge.verification.model import KycStatus
from landbridge.verification.service import StatusFilters, Verification
from landbridge.verification.shapes import (
    StatusReply,
    SubmissionReplies,
    status_object,
    submission_objects,
)
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id, word, words
from landbridge.web.reply import Moment, WireStruct, moment

_TEXT_LENGTH_MAX = 200
# A repeated parameter, and one of several with commas between them, mean the same.
Names = Annotated[list[str] | None, QueryParameter(description="Repeated, or comma-separated.")]


class Submission(WireStruct, frozen=True):
    """The rail, or the rails, to submit the user's data for."""

    rails: Rail | Annotated[list[Rail], msgspec.Meta(min_length=1, max_length=len(Rail))]


class ListedUser(WireStruct, frozen=True):
    """Whose case it is."""

    id: UUID
    type: UserType
    name: str
    email: str


class ListedStatus(WireStruct, frozen=True):
    """How far a user's verification for a rail is; `createdAt` is the first submission."""

    user: ListedUser
    rails: Rail
    created_at: Moment
    updated_at: Moment
    status: KycStatus


class VerificationRoutes(Controller):
    """Submit KYC data and see what comes of it."""

    path = "/v2"
    tags = ("KYC",)

    @post("/users/{userId:str}/kyc/submissions", status_code=200, summary="Submit KYC")
    async def submit(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[Submission],
        verification: NamedDependency[Verification],
    ) -> SubmissionReplies:
        """Submits the data as it is now; a rail that was submitted already is answered as it is."""
        rails = data.rails if isinstance(data.rails, list) else [data.rails]
        wanted = list(dict.fromkeys(rails))
        cases = await verification.submit(request.user, known_user(userId), wanted)
        return submission_objects(cases)

    @get("/users/{userId:str}/kyc/status", summary="Retrieve the KYC status")
    async def status(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        verification: NamedDependency[Verification],
        rails: Annotated[str | None, QueryParameter(description="USD if left out.")] = None,
    ) -> StatusReply:
        """How far it is, with what was found; INACTIVE if nothing was ever submitted."""
        rail = Rail.USD if rails is None else word("rails", rails, Rail)
        case = await verification.status(request.user.org_id, known_user(userId), rail)
        return status_object(rail, case)

    @get("/kyc/status", summary="List KYC statuses")
    async def page(
        self,
        request: ApiRequest,
        *,
        verification: NamedDependency[Verification],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
        user_name: Annotated[str | None, QueryParameter(name="userName")] = None,
        user_email: Annotated[str | None, QueryParameter(name="userEmail")] = None,
        rails: Names = None,
        status: Names = None,
    ) -> list[ListedStatus]:
        """Newest first; name and e-mail match partially, whatever their case."""
        filters = StatusFilters(
            user_id=optional_id("userId", user_id),
            user_name=_text("userName", user_name),
            user_email=_text("userEmail", user_email),
            rails=words("rails", rails, Rail),
            statuses=words("status", status, KycStatus),
        )
        found = await verification.page(request.user.org_id, filters, window)
        return [
            ListedStatus(
                user=ListedUser(id=card.id, type=card.type, name=card.name, email=card.email),
                rails=case.rail,
                created_at=moment(case.created_at),
                updated_at=moment(case.updated_at),
                status=case.status,
            )
            for case, card in found
        ]


def _text(field: str, text: str | None) -> str | None:
    if text is not None and len(text) > _TEXT_LENGTH_MAX:
        raise FieldInvalid(f"{field} has more than {_TEXT_LENGTH_MAX} characters", field=field)
    return text
