"""Routes of approvals whatever became of them: /v2/approvals. Ours; the dashboard's inbox."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from landbridge.approvals.api import CastVote, vote_reply
from landbridge.approvals.model import Approval, Status
from landbridge.approvals.voting import Voting
from landbridge.core.pages import Window
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id, words
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment


class ListedApproval(WireStruct, frozen=True):
    """A payment that waits, or waited, for an admin.

    `votesFor` of `threshold` votes have been cast for it; `initiatorProfileId` is the member
    (`fromDashboard`) or the API key that asked. With `needsSecond` a key does not decide on what it
    asked for; members never do. It lapses at `expiresAt`.
    """

    id: UUID
    transfer_id: UUID
    transfer_type: str
    user_id: UUID
    status: Status
    votes_for: int
    threshold: int
    needs_second: bool
    from_dashboard: bool
    initiator_profile_id: UUID
    votes: list[CastVote]
    expires_at: Moment
    created_at: Moment
    updated_at: Moment


class ListedApprovalPage(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `createdBefore` or as `cursor`."""

    count: int
    approvals: list[ListedApproval]
    next_cursor: Moment | None


class ApprovalInboxRoutes(Controller):
    """Payments that wait, or waited, for an admin: for everybody who may look."""

    path = "/v2/approvals"
    tags = ("Transfer approvals",)

    @get(summary="List approvals")
    async def page(
        self,
        request: ApiRequest,
        *,
        voting: NamedDependency[Voting],
        window: NamedDependency[Window],
        status: Annotated[
            list[str] | None, QueryParameter(description="One or several; all if left out.")
        ] = None,
        initiator_profile_id: Annotated[
            str | None,
            QueryParameter(
                name="initiatorProfileId",
                description="Only what this member or API key asked for.",
            ),
        ] = None,
    ) -> ListedApprovalPage:
        """Newest first, with the votes on each. Who may vote is another question."""
        found = await voting.listed(
            request.user,
            words("status", status, Status) or frozenset(Status),
            window,
            initiator_id=optional_id("initiatorProfileId", initiator_profile_id),
        )
        return ListedApprovalPage(
            count=len(found),
            approvals=[_listed(each) for each in found],
            next_cursor=moment(found[-1].created_at) if found else None,
        )

    @get("/{approvalId:str}", summary="Retrieve an approval in full")
    async def retrieve(
        self, request: ApiRequest, approvalId: FromPath[str], voting: NamedDependency[Voting]
    ) -> ListedApproval:
        """One approval, whatever became of it."""
        return _listed(await voting.get(request.user, known_id(approvalId, "approval")))


def _listed(approval: Approval) -> ListedApproval:
    return ListedApproval(
        id=approval.id,
        transfer_id=approval.transfer_id,
        transfer_type=approval.transfer_kind,
        user_id=approval.user_id,
        status=approval.status,
        votes_for=approval.for_it,
        threshold=approval.threshold,
        needs_second=approval.needs_second,
        from_dashboard=approval.is_from_dashboard,
        initiator_profile_id=approval.initiator_id,
        votes=[vote_reply(each) for each in approval.votes],
        expires_at=moment(approval.expires_at),
        created_at=moment(approval.created_at),
        updated_at=moment(approval.updated_at),
    )
