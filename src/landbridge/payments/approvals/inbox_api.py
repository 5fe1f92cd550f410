"""Routes of approvals in any status: /v2/approvals. Not in the contract; the dashboard's inbox."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.payments.approvals.api import CastVoteReply, vote_reply
from landbridge.payments.approvals.model import Approval, ApprovalStatus
from landbridge.payments.approvals.voting import Voting
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import IDENTIFIER, query, some_of
from landbridge.platform.http.list_query import optional_id, parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of


class ListedApproval(WireStruct, frozen=True):
    """An approval request and its status.

    `votesFor` of `threshold` votes have been cast for it. `initiatorProfileId` is the requesting
    member (`fromDashboard`) or API key. With `needsSecond` a key cannot decide on its own requests;
    members never can. It expires at `expiresAt`.
    """

    id: UUID
    transfer_id: UUID
    transfer_type: str
    user_id: UUID
    status: ApprovalStatus
    votes_for: int
    threshold: int
    needs_second: bool
    from_dashboard: bool
    initiator_profile_id: UUID
    votes: list[CastVoteReply]
    expires_at: Moment
    created_at: Moment
    updated_at: Moment


class ListedApprovalPage(WireStruct, frozen=True):
    """A page, newest first; pass `nextCursor` back as `createdBefore` or as `cursor`."""

    count: int
    approvals: list[ListedApproval]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class ApprovalInboxRoutes(Controller):
    """Approvals in any status, for every role with read access."""

    path = "/v2/approvals"
    tags = ("Transfer approvals",)

    @get(summary="List approvals", operation_id="approvals.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        voting: NamedDependency[Voting],
        window: NamedDependency[PageWindow],
        status: Annotated[
            list[str] | None,
            query(None, some_of(ApprovalStatus), description="One or several (default all)."),
        ] = None,
        initiator_profile_id: Annotated[
            str | None,
            query(
                "initiatorProfileId",
                IDENTIFIER,
                description="Only requests of this member or API key.",
            ),
        ] = None,
    ) -> ListedApprovalPage:
        """List approvals with their votes, newest first, whether or not the caller may vote."""
        found = await voting.listed(
            request.user,
            parse_choices("status", status, ApprovalStatus) or frozenset(ApprovalStatus),
            window,
            initiator_id=optional_id("initiatorProfileId", initiator_profile_id),
        )
        return ListedApprovalPage(
            count=len(found),
            approvals=[_listed(each) for each in found],
            next_cursor=moment(found[-1].created_at) if found else msgspec.UNSET,
        )

    @get(
        "/{approvalId:str}",
        summary="Retrieve an approval in full",
        operation_id="approvals.retrieve",
    )
    async def retrieve(
        self, request: ApiRequest, approvalId: FromPath[str], voting: NamedDependency[Voting]
    ) -> ListedApproval:
        """Get one approval in any status."""
        return _listed(await voting.get(request.user, known_id(approvalId, "approval")))


def _listed(approval: Approval) -> ListedApproval:
    return reply_of(
        approval,
        ListedApproval,
        transfer_type=approval.transfer_kind,
        from_dashboard=approval.is_from_dashboard,
        initiator_profile_id=approval.initiator_id,
        votes=[vote_reply(each) for each in approval.votes],
    )
