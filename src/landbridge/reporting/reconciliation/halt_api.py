"""Routes of halts: /v2/reconciliation/halts. Ours.

Every role and key reads; reviewers decide, two for each halt.
"""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import query, some_of
from landbridge.platform.http.list_query import parse_choices, position_after
from landbridge.platform.http.path_params import known_id
from landbridge.reporting.reconciliation.four_eyes import deciding_person
from landbridge.reporting.reconciliation.halt_model import HaltStatus
from landbridge.reporting.reconciliation.schemas import (
    HaltLift,
    HaltPage,
    HaltReply,
    LiftAcceptance,
    LiftRejection,
    halt_reply,
)
from landbridge.reporting.reconciliation.service import LedgerReconciliation

_Statuses = Annotated[
    list[str] | None,
    query("status", some_of(HaltStatus), description="One or several (default all)."),
]


class HaltRoutes(Controller):
    """Halts of new payments by reconciliation."""

    path = "/v2/reconciliation/halts"
    tags = ("Reconciliation",)

    @get("/", summary="List halts", operation_id="reconciliation.listHalts")
    async def halts(
        self,
        request: ApiRequest,
        reconciliation: NamedDependency[LedgerReconciliation],
        *,
        status: _Statuses = None,
        position_window: NamedDependency[PositionWindow],
    ) -> HaltPage:
        """List halts, newest first; the bounds are those of `haltedAt`."""
        found = await reconciliation.halts.page(
            request.user.org_id,
            parse_choices("status", status, HaltStatus) or (),
            position_window,
        )
        return HaltPage(
            count=len(found),
            halts=[halt_reply(each) for each in found],
            next_cursor=position_after(found, lambda each: each.halted_at),
        )

    @post(
        "/{haltId:str}/lift",
        status_code=200,
        summary="Propose to lift a halt",
        operation_id="reconciliation.liftHalt",
    )
    async def lift(
        self,
        request: ApiRequest,
        haltId: FromPath[str],
        data: JSONBody[HaltLift],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> HaltReply:
        """Say why payments may go on; they wait for a second person."""
        person, halt_id = deciding_person(request.user), _known(haltId)
        return halt_reply(
            await reconciliation.halt_decisions.lift(
                person, halt_id, data.reason, amount=data.amount
            )
        )

    @post(
        "/{haltId:str}/accept",
        status_code=200,
        summary="Lift a halt",
        operation_id="reconciliation.acceptLift",
    )
    async def accept(
        self,
        request: ApiRequest,
        haltId: FromPath[str],
        data: JSONBody[LiftAcceptance],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> HaltReply:
        """Lift a halt that another person has proposed to lift: its payments go on."""
        person, halt_id = deciding_person(request.user), _known(haltId)
        return halt_reply(
            await reconciliation.halt_decisions.accept(person, halt_id, amount=data.amount)
        )

    @post(
        "/{haltId:str}/reject",
        status_code=200,
        summary="Reject the lift of a halt",
        operation_id="reconciliation.rejectLift",
    )
    async def reject(
        self,
        request: ApiRequest,
        haltId: FromPath[str],
        data: JSONBody[LiftRejection],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> HaltReply:
        """Reject a proposal to lift a halt, or withdraw your own: its payments wait on."""
        person, halt_id = deciding_person(request.user), _known(haltId)
        return halt_reply(await reconciliation.halt_decisions.reject(person, halt_id, data.reason))


def _known(text: str) -> UUID:
    return known_id(text, "halt")
