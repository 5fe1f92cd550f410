"""Routes of approvals: /v2/transfer-approvals. Source: interface/transfer-approvals."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.payments.approvals.model import (
    COMMENT_LENGTH_MAX,
    Approval,
    ApprovalStatus,
    Vote,
    VoteChoice,
)
from landbridge.payments.approvals.voting import Voting
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.schemas import line
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import integer, or_empty, query, with_schema
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of

_LIMIT_DEFAULT, _LIMIT_MAX = 20, 100
# Largest offset: more approvals than any queue has.
_OFFSET_MAX = 1_000_000

_Text = Annotated[
    str, with_schema(or_empty(line(COMMENT_LENGTH_MAX)), max_length=COMMENT_LENGTH_MAX)
]
_Limit = Annotated[
    str | None,
    query(
        "limit",
        integer(1, _LIMIT_MAX),
        description="Approvals per page, 1 to 100 (default 20).",
    ),
]
_Offset = Annotated[
    str | None,
    query(
        "offset",
        integer(0, _OFFSET_MAX),
        description="Approvals to skip (default 0).",
    ),
]


class ApproveRequest(WireStruct, frozen=True):
    """Optional comment of a vote for a payment."""

    comment: _Text | None = None


class RejectRequest(WireStruct, frozen=True):
    """Optional comment of a vote against a payment."""

    reason: _Text | None = None


class PendingApproval(WireStruct, frozen=True):
    """A payment that awaits an admin."""

    id: UUID
    transfer_id: UUID
    status: ApprovalStatus
    created_at: Moment
    updated_at: Moment
    transfer_type: str


class ApprovalPage(WireStruct, frozen=True):
    """A page of pending approvals, newest first; `count` is the size of the page."""

    success: bool
    message: str
    count: int
    approvals: list[PendingApproval]


class CastVoteReply(WireStruct, frozen=True):
    """A vote as cast."""

    approver_id: UUID
    vote: VoteChoice
    comment: str | None
    created_at: Moment


class ApprovalWithVotes(PendingApproval, frozen=True):
    """An approval in any status."""

    votes: list[CastVoteReply]


class ApprovalEnvelope(WireStruct, frozen=True):
    """An approval in any status."""

    success: bool
    message: str
    approval: ApprovalWithVotes


class ApprovalVoteReply(WireStruct, frozen=True):
    """A vote for a payment; `status` stays PENDING while more votes are needed."""

    success: bool
    message: str
    approval_id: UUID
    status: ApprovalStatus
    timestamp: Moment


class RejectionReply(WireStruct, frozen=True):
    """A vote against a payment, which rejects it; `reason` is empty if none was given."""

    success: bool
    message: str
    approval_id: UUID
    status: ApprovalStatus
    reason: str
    timestamp: Moment


class ApprovalRoutes(Controller):
    """Pending approvals of payments, and votes on them."""

    path = "/v2/transfer-approvals"
    tags = ("Transfer approvals",)

    @get(summary="List pending approvals", operation_id="transferApprovals.list")
    async def page(
        self,
        request: ApiRequest,
        voting: NamedDependency[Voting],
        limit: _Limit = None,
        offset: _Offset = None,
    ) -> ApprovalPage:
        """List pending approvals, newest first; for callers who may approve."""
        found = await voting.page(
            request.user,
            limit=_whole("limit", limit, _LIMIT_DEFAULT, minimum=1, maximum=_LIMIT_MAX),
            offset=_whole("offset", offset, 0, minimum=0, maximum=_OFFSET_MAX),
        )
        return ApprovalPage(
            success=True,
            message=f"pending approvals on this page: {len(found)}",
            count=len(found),
            approvals=[
                reply_of(each, PendingApproval, transfer_type=each.transfer_kind) for each in found
            ],
        )

    @get(
        "/{approvalId:str}",
        summary="Retrieve an approval",
        operation_id="transferApprovals.retrieve",
    )
    async def retrieve(
        self, request: ApiRequest, approvalId: FromPath[str], voting: NamedDependency[Voting]
    ) -> ApprovalEnvelope:
        """Get one approval with its votes, in any status."""
        found = await voting.get(request.user, _known(approvalId))
        votes = [vote_reply(each) for each in found.votes]
        return ApprovalEnvelope(
            success=True,
            message=f"this approval is {found.status}",
            approval=reply_of(
                found, ApprovalWithVotes, transfer_type=found.transfer_kind, votes=votes
            ),
        )

    @post(
        "/{approvalId:str}/approve",
        status_code=200,
        summary="Approve a payment",
        operation_id="transferApprovals.approve",
    )
    async def approve(
        self,
        request: ApiRequest,
        approvalId: FromPath[str],
        voting: NamedDependency[Voting],
        data: JSONBody[ApproveRequest | None] = None,
    ) -> ApprovalVoteReply:
        """Vote for a payment; it continues once enough have. The body is optional."""
        comment = None if data is None else data.comment
        after = await voting.approve(request.user, _known(approvalId), comment)
        return ApprovalVoteReply(
            success=True,
            message=_how_it_stands(after),
            approval_id=after.id,
            status=after.status,
            timestamp=moment(after.updated_at),
        )

    @post(
        "/{approvalId:str}/reject",
        status_code=200,
        summary="Reject a payment",
        operation_id="transferApprovals.reject",
    )
    async def reject(
        self,
        request: ApiRequest,
        approvalId: FromPath[str],
        voting: NamedDependency[Voting],
        data: JSONBody[RejectRequest | None] = None,
    ) -> RejectionReply:
        """Vote against a payment; it is rejected and its hold released. The body is optional."""
        reason = None if data is None else data.reason
        after = await voting.reject(request.user, _known(approvalId), reason)
        vote = after.vote_of(request.user.id)
        return RejectionReply(
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
    if approval.status is ApprovalStatus.APPROVED:
        return "the payment is approved"
    return f"{approval.votes_for} of {approval.threshold} votes that the payment needs"


def vote_reply(vote: Vote) -> CastVoteReply:
    """Build the reply of a vote."""
    return reply_of(vote, CastVoteReply, vote=vote.choice, created_at=vote.occurred_at)


def _whole(name: str, text: str | None, default: int, *, minimum: int, maximum: int) -> int:
    """Parse a whole number of the query; raises `FieldInvalid`."""
    if text is None:
        return default
    is_number = len(text) <= len(str(maximum)) and text.isascii() and text.isdigit()
    if not (is_number and minimum <= int(text) <= maximum):
        raise FieldInvalid(f"{name} must be a whole number from {minimum} to {maximum}", field=name)
    return int(text)
