"""Routes of reconciliation: /v2/reconciliation. Ours.

Every role and key reads; reviewers decide, two for each difference.
"""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.http.caller import ApiRequest, check_payer
from landbridge.platform.http.constraints import IDENTIFIER, query, some_of
from landbridge.platform.http.list_query import optional_id, parse_choices, position_after
from landbridge.platform.http.path_params import known_id
from landbridge.reporting.reconciliation.four_eyes import deciding_person
from landbridge.reporting.reconciliation.model import (
    DifferenceFilters,
    DifferenceKind,
    DifferenceStatus,
)
from landbridge.reporting.reconciliation.schemas import (
    DifferenceAcceptance,
    DifferenceAssignment,
    DifferenceExplanation,
    DifferencePage,
    DifferenceReply,
    DifferenceWithHistory,
    ExplanationRejection,
    ReconRunPage,
    ReconSourcesReply,
    difference_reply,
    history_reply,
    run_reply,
    source_reply,
)
from landbridge.reporting.reconciliation.service import LedgerReconciliation
from landbridge.reporting.reconciliation.sources import ReconSourceName

_Sources = Annotated[
    list[str] | None, query("source", some_of(ReconSourceName), description="Only of these.")
]
_Statuses = Annotated[
    list[str] | None,
    query("status", some_of(DifferenceStatus), description="One or several (default all)."),
]
_Kinds = Annotated[
    list[str] | None,
    query("kind", some_of(DifferenceKind), description="One or several (default all)."),
]
_Assignee = Annotated[
    str | None, query("assigneeId", IDENTIFIER, description="Only those assigned to this member.")
]
_Record = Annotated[
    str | None, query("recordId", IDENTIFIER, description="Only those of this payment or deposit.")
]


class ReconciliationRoutes(Controller):
    """Runs and differences of reconciliation."""

    path = "/v2/reconciliation"
    tags = ("Reconciliation",)

    @get("/sources", summary="List sources", operation_id="reconciliation.listSources")
    async def sources(
        self, request: ApiRequest, reconciliation: NamedDependency[LedgerReconciliation]
    ) -> ReconSourcesReply:
        """Return each chain and bank account that is compared, with its last comparison."""
        status = await reconciliation.status(request.user.org_id)
        return ReconSourcesReply(
            count=len(status.sources),
            sources=[
                source_reply(
                    each, [position for on, position in status.positions if on is each.source]
                )
                for each in status.sources
            ],
        )

    @get("/runs", summary="List runs", operation_id="reconciliation.listRuns")
    async def runs(
        self,
        request: ApiRequest,
        reconciliation: NamedDependency[LedgerReconciliation],
        *,
        source: _Sources = None,
        position_window: NamedDependency[PositionWindow],
    ) -> ReconRunPage:
        """List the comparisons of the last 90 days, newest first."""
        found = await reconciliation.listing.runs(
            request.user.org_id,
            parse_choices("source", source, ReconSourceName) or (),
            position_window,
        )
        return ReconRunPage(
            count=len(found),
            runs=[run_reply(each) for each in found],
            next_cursor=position_after(found, lambda each: each.compared_at),
        )

    @get("/differences", summary="List differences", operation_id="reconciliation.listDifferences")
    async def differences(
        self,
        request: ApiRequest,
        reconciliation: NamedDependency[LedgerReconciliation],
        *,
        status: _Statuses = None,
        kind: _Kinds = None,
        source: _Sources = None,
        assignee_id: _Assignee = None,
        record_id: _Record = None,
        position_window: NamedDependency[PositionWindow],
    ) -> DifferencePage:
        """List differences, newest first; the bounds are those of `since`."""
        filters = DifferenceFilters(
            statuses=parse_choices("status", status, DifferenceStatus) or (),
            kinds=parse_choices("kind", kind, DifferenceKind) or (),
            sources=parse_choices("source", source, ReconSourceName) or (),
            assignee_id=optional_id("assigneeId", assignee_id),
            record_id=optional_id("recordId", record_id),
        )
        found = await reconciliation.listing.differences(
            request.user.org_id,
            filters,
            position_window,
        )
        return DifferencePage(
            count=len(found),
            differences=[difference_reply(each) for each in found],
            next_cursor=position_after(found, lambda each: each.since),
        )

    @get(
        "/differences/{differenceId:str}",
        summary="Retrieve a difference",
        operation_id="reconciliation.retrieveDifference",
    )
    async def difference(
        self,
        request: ApiRequest,
        differenceId: FromPath[str],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> DifferenceWithHistory:
        """Return a difference of any status, and what was decided on it."""
        found = await reconciliation.listing.difference(request.user.org_id, _known(differenceId))
        return history_reply(found)

    @post(
        "/differences/{differenceId:str}/assign",
        status_code=200,
        summary="Assign a difference",
        operation_id="reconciliation.assignDifference",
    )
    async def assign(
        self,
        request: ApiRequest,
        differenceId: FromPath[str],
        data: JSONBody[DifferenceAssignment],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> DifferenceReply:
        """Assign an unresolved difference to a member, or to nobody."""
        person, difference_id = deciding_person(request.user), _known(differenceId)
        return difference_reply(
            await reconciliation.decisions.assign(person, difference_id, data.member_id)
        )

    @post(
        "/differences/{differenceId:str}/resolve",
        status_code=200,
        summary="Explain a difference",
        operation_id="reconciliation.resolveDifference",
    )
    async def resolve(
        self,
        request: ApiRequest,
        differenceId: FromPath[str],
        data: JSONBody[DifferenceExplanation],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> DifferenceReply:
        """Explain an open difference, which then waits for a second person.

        With `adjustLedger` their acceptance books it; otherwise nothing is booked.
        """
        person, difference_id = deciding_person(request.user), _known(differenceId)
        return difference_reply(
            await reconciliation.decisions.resolve(
                person,
                difference_id,
                data.reason,
                amount=data.amount,
                adjusts_ledger=data.adjust_ledger,
            )
        )

    @post(
        "/differences/{differenceId:str}/accept",
        status_code=200,
        summary="Accept an explanation",
        operation_id="reconciliation.acceptDifference",
    )
    async def accept(
        self,
        request: ApiRequest,
        differenceId: FromPath[str],
        data: JSONBody[DifferenceAcceptance],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> DifferenceReply:
        """Accept another person's explanation: later runs expect the amount.

        If the explanation adjusts the ledger, this posts the journal, and later runs find nothing.
        """
        check_payer(request.user)
        person, difference_id = deciding_person(request.user), _known(differenceId)
        return difference_reply(
            await reconciliation.decisions.accept(person, difference_id, amount=data.amount)
        )

    @post(
        "/differences/{differenceId:str}/reject",
        status_code=200,
        summary="Reject an explanation",
        operation_id="reconciliation.rejectDifference",
    )
    async def reject(
        self,
        request: ApiRequest,
        differenceId: FromPath[str],
        data: JSONBody[ExplanationRejection],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> DifferenceReply:
        """Reject an explanation, or withdraw your own: the difference is open again."""
        person, difference_id = deciding_person(request.user), _known(differenceId)
        return difference_reply(
            await reconciliation.decisions.reject(person, difference_id, data.reason)
        )


def _known(text: str) -> UUID:
    return known_id(text, "difference")
