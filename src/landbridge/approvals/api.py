"""Routes of approvals: /v2/transfer-approvals. Source: interface/transfer-approvals."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.openapi.spec.enums import OpenAPIType
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.approvals.model import COMMENT_LENGTH_MAX, Approval, Choice, Status, Vote
from landbridge.approvals.voting import Voting
from landbridge.core.errors import FieldInvalid
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

_LIMIT_DEFAULT, _LIMIT_MAX = 20, 100
# Further than any queue that people work off.
_OFFSET_MAX = 1_000_000

_Text = Annotated[str, msgspec.Meta(max_length=COMMENT_LENGTH_MAX)]
_Limit = Annotated[
    str | None,
    QueryParameter(
        name="limit",
        description="Approvals per page, 1 to 100; 20 if left out.",
        schema_extra={"type": OpenAPIType.INTEGER, "one_of": None},
    ),
]
_Offset = Annotated[
    str | None,
    QueryParameter(
        name="offset",
        description="How many to pass over; 0 if left out.",
        schema_extra={"type": OpenAPIType.INTEGER, "one_of": None},
    ),
]


class Approving(WireStruct, frozen=True):
    """What may be said with a vote for a payment."""

    comment: _Text | None = None


class Rejecting(WireStruct, frozen=True):
    """What may be said with a vote against a payment."""

    reason: _Text | None = None


class PendingApproval(WireStruct, frozen=True):
    """A payment that waits for an admin."""

    id: UUID
    transfer_id: UUID
    status: Status
    created_at: Moment
    updated_at: Moment
    transfer_type: str


class ApprovalPage(WireStruct, frozen=True):
    """A page of payments that wait, newest first; `count` is how many it has."""

    success: bool
    message: str
    count: int
    approvals: list[PendingApproval]


class CastVote(WireStruct, frozen=True):
    """A vote as it was cast."""

    approver_id: UUID
    vote: Choice
    comment: str | None
    created_at: Moment


class ApprovalWithVotes(PendingApproval, frozen=True):
    """An approval, whatever became of it."""

    votes: list[CastVote]


class ApprovalFound(WireStruct, frozen=True):
    """An approval, whatever became of it."""

    success: bool
    message: str
    approval: ApprovalWithVotes


class Approved(WireStruct, frozen=True):
    """A vote for a payment; `status` stays PENDING while more votes are needed."""

    success: bool
    message: str
    approval_id: UUID
    status: Status
    timestamp: Moment


class Rejected(WireStruct, frozen=True):
    """A vote against a payment, which ends it; `reason` is empty if none was given."""

    success: bool
    message: str
    approval_id: UUID
    status: Status
    reason: str
    timestamp: Moment


class ApprovalRoutes(Controller):
    """Payments that wait for an admin, and votes on them."""

    path = "/v2/transfer-approvals"
    tags = ("Transfer approvals",)

    @get(summary="List pending approvals")
    async def page(
        self,
        request: ApiRequest,
        voting: NamedDependency[Voting],
        limit: _Limit = None,
        offset: _Offset = None,
    ) -> ApprovalPage:
        """Payments that wait for votes, newest first; for those who may approve."""
        found = await voting.page(
            request.user,
            limit=_whole("limit", limit, _LIMIT_DEFAULT, least=1, most=_LIMIT_MAX),
            offset=_whole("offset", offset, 0, least=0, most=_OFFSET_MAX),
        )
        return ApprovalPage(
            success=True,
            message=f"pending approvals on this page: {len(found)}",
            count=len(found),
            approvals=[_pending(each) for each in found],
        )

    @get("/{approvalId:str}", summary="Retrieve an approval")
    async def retrieve(
        self, request: ApiRequest, approvalId: FromPath[str], voting: NamedDependency[Voting]
    ) -> ApprovalFound:
        """One approval with its votes, whatever became of it."""
        found = await voting.get(request.user, _known(approvalId))
        return ApprovalFound(
            success=True, message=f"this approval is {found.status}", approval=_with_votes(found)
        )

    @post("/{approvalId:str}/approve", status_code=200, summary="Approve a payment")
    async def approve(
        self,
        request: ApiRequest,
        approvalId: FromPath[str],
        voting: NamedDependency[Voting],
        data: JSONBody[Approving | None] = None,
    ) -> Approved:
        """Vote for a payment: it goes on once enough have. The body may be left out."""
        comment = None if data is None else data.comment
        after = await voting.approve(request.user, _known(approvalId), comment)
        return Approved(
            success=True,
            message=_how_it_stands(after),
            approval_id=after.id,
            status=after.status,
            timestamp=moment(after.updated_at),
        )

    @post("/{approvalId:str}/reject", status_code=200, summary="Reject a payment")
    async def reject(
        self,
        request: ApiRequest,
        approvalId: FromPath[str],
        voting: NamedDependency[Voting],
        data: JSONBody[Rejecting | None] = None,
    ) -> Rejected:
        """Vote against a payment: it ends, and what it held is let go. The body may be left out."""
        reason = None if data is None else data.reason
        after = await voting.reject(request.user, _known(approvalId), reason)
        vote = after.vote_of(request.user.id)
        return Rejected(
            success=True,
            message="the payment is rejected",
            approval_id=after.id,
            status=after.status,
            reason=(vote.comment if vote else None) or "",
            timestamp=moment(after.updated_at),
        )


def _known(approval: str) -> UUID:
    return known_id(approval, "approval")


def _how_it_stands(approval: Approval) -> str:
    if approval.status is Status.APPROVED:
        return "the payment is approved"
    return f"{approval.for_it} of {approval.threshold} votes that the payment needs"


def _pending(approval: Approval) -> PendingApproval:
    return PendingApproval(
        id=approval.id,
        transfer_id=approval.transfer_id,
        status=approval.status,
        created_at=moment(approval.created_at),
        updated_at=moment(approval.updated_at),
        transfer_type=approval.transfer_kind,
    )


def _with_votes(approval: Approval) -> ApprovalWithVotes:
    return ApprovalWithVotes(
        id=approval.id,
        transfer_id=approval.transfer_id,
        status=approval.status,
        created_at=moment(approval.created_at),
        updated_at=moment(approval.updated_at),
        transfer_type=approval.transfer_kind,
        votes=[vote_reply(each) for each in approval.votes],
    )


def vote_reply(vote: Vote) -> CastVote:
    """A vote on the wire."""
    return CastVote(
        approver_id=vote.approver_id,
        vote=vote.choice,
        comment=vote.comment,
        created_at=moment(vote.at),
    )


def _whole(name: str, text: str | None, default: int, *, least: int, most: int) -> int:
    """A whole number of the query; raises `FieldInvalid`."""
    if text is None:
        return default
    is_number = len(text) <= len(str(most)) and text.isascii() and text.isdigit()
    if not (is_number and least <= int(text) <= most):
        raise FieldInvalid(f"{name} must be a whole number from {least} to {most}", field=name)
    return int(text)
