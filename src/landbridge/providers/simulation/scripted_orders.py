"""Applies outcome plans to orders, between the adapter and the stored order.

Only faults of external parties are simulated. Whatever a plan contains, an order is carried out
once per key, and a query returns the same result. Rejected and lost orders are not stored.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.providers.simulation.model import OrderEnding, SimulatedOrder, SimulatedSystem
from landbridge.providers.simulation.outcome_catalog import OutcomeEffect, ScriptedStep
from landbridge.providers.simulation.outcome_plans import PlannedOutcome
from landbridge.providers.simulation.scripted_outcomes import ScriptedCall, ScriptedOutcomes
from landbridge.providers.simulation.service import SimulatedState


class ScriptedOrders:
    """Accepts orders according to the plans of their records."""

    def __init__(
        self, simulated_state: SimulatedState, scripted_outcomes: ScriptedOutcomes
    ) -> None:
        self._simulated_state = simulated_state
        self._scripted_outcomes = scripted_outcomes

    async def accept(
        self,
        operation: SimulatedOrder,
        record_id: UUID,
        steps: Sequence[ScriptedStep],
        *,
        outcome_key: UUID | None = None,
    ) -> SimulatedOrder:
        """Return the stored order; it takes its record through `steps`.

        An outcome applies to the first order at a step, and to those with the same `outcome_key`.
        Raises the errors that the ports allow: `Rejected`, `Unavailable`, `Unclear`.
        """
        plan = await self._scripted_outcomes.find_plan(operation.org_id, record_id)
        planned = (
            [] if plan is None else [plan.outcomes[each] for each in steps if each in plan.outcomes]
        )
        calls: list[tuple[PlannedOutcome, ScriptedCall]] = []
        for each in planned:
            call = await self._scripted_outcomes.claim_step(
                operation.org_id,
                record_id,
                each.outcome.step,
                key=outcome_key or operation.key,
                at=operation.accepted_at,
            )
            if call is not None:
                calls.append((each, call))
                operation = _settling(operation, each)
        return await self._carry_out(operation, calls)

    async def find(
        self, org_id: UUID, system: SimulatedSystem, key: UUID, at: datetime
    ) -> SimulatedOrder | None:
        """Return the order with this key; None if it never arrived.

        Raises `Unavailable` while the order is silent.
        """
        stored = await self._simulated_state.find(org_id, system, key)
        if stored is not None:
            stored.check_answers(at)
        return stored

    async def _carry_out(
        self, operation: SimulatedOrder, calls: Sequence[tuple[PlannedOutcome, ScriptedCall]]
    ) -> SimulatedOrder:
        effects = {each.effect for each, call in calls if call.is_first}
        for each, call in calls:
            if each.effect is OutcomeEffect.REFUSE:
                raise Rejected(each.outcome.reason)
            is_early = operation.accepted_at < call.first_reached_at + each.delay
            if each.effect is OutcomeEffect.REFUSE_AT_FIRST and is_early:
                raise Rejected(each.outcome.reason)
            if each.effect is OutcomeEffect.UNAVAILABLE and is_early:
                raise Unavailable("out of reach, as scripted in the sandbox")
        if OutcomeEffect.LOSE in effects:
            raise Unclear("no answer, as scripted in the sandbox; it did not arrive")
        if OutcomeEffect.TWICE in effects:
            await asyncio.gather(*(self._simulated_state.store_order(operation) for _ in range(2)))
        stored = await self._simulated_state.store_order(operation)
        if OutcomeEffect.UNCLEAR in effects:
            raise Unclear("no answer, as scripted in the sandbox; it did arrive")
        stored.check_answers(operation.accepted_at)
        return stored


def _settling(operation: SimulatedOrder, planned: PlannedOutcome) -> SimulatedOrder:
    """Return the order with its scripted result and settlement time."""
    late = replace(operation, settles_at=operation.accepted_at + planned.delay, is_paced=False)
    reason = planned.outcome.reason
    match planned.effect:
        case OutcomeEffect.SETTLE_LATE:
            return late
        case OutcomeEffect.SILENT:
            return replace(late, is_silent=True)
        case OutcomeEffect.FAIL_LATE:
            return replace(late, ending=OrderEnding.FAILED, reason=reason)
        case OutcomeEffect.FAIL:
            return replace(operation, ending=OrderEnding.FAILED, reason=reason)
        case _:
            return operation
