"""Scripted outcomes: results of a record's later steps, which its creator chooses in the sandbox.

A plan is stored twice, both times in the transaction that creates its record. The record's request
has it for readers of the record. The table sandbox_outcome_plans has it for the chains and banks,
which know only the record id of an order.

An outcome applies to the first order that reaches its step. A later refund, or a resend under
another key, proceeds as without a plan, so every payment comes to an end. An outcome of `webhook`
applies to all deliveries of the record's events, within its delay.

Only faults of external parties are simulated. Whatever a plan contains, an order is carried out
once per key, and a query returns the same result. Rejected and lost orders are not stored.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid, Rejected, Unavailable, Unclear
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.simulation import outcome_plan_store
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.simulation.model import OrderResult, SimulatedOrder, SimulatedSystem
from landbridge.providers.simulation.outcome_catalog import OutcomeEffect, ScriptedStep
from landbridge.providers.simulation.outcome_plans import (
    HEADER,
    OutcomePlan,
    PlannedOutcome,
    parse_stored_plan,
    read_plan,
)
from landbridge.providers.simulation.service import SimulatedState

__all__ = [
    "OutcomePlan",
    "ScriptedCall",
    "ScriptedOutcomes",
    "add_plan",
    "find_outcome",
    "get_plan_text",
]

# Member of a record's request that holds its plan. It has the header's name, so that an idempotency
# conflict over a different plan names the header.
_MEMBER = HEADER
# Steps that only the sandbox's own bank can script.
_AT_THE_BANK = (ScriptedStep.DEPOSIT, ScriptedStep.PAYOUT)


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """Call that reached a step of a plan, and the time at which the first such call did."""

    is_first: bool
    first_reached_at: datetime


class ScriptedOutcomes:
    """Reads plans, stores them with records, and tracks which outcomes were used.

    `has_bank` is True if fiat goes through the sandbox's own bank, which follows plans.
    """

    def __init__(self, database: Database, *, is_sandbox: bool, has_bank: bool) -> None:
        self._database = database
        self._is_sandbox = is_sandbox
        self._has_bank = has_bank
        self._plans = grouped(database, lambda: GroupCommit(self._find, concurrency=2))

    def check_sandbox(self) -> None:
        """Raise `SandboxOnly` outside a sandbox."""
        if not self._is_sandbox:
            raise SandboxOnly

    def parse_header(self, text: str | None, kind: str) -> OutcomePlan | None:
        """Parse the plan in the header, for a payment of this kind; None without one.

        Raises `SandboxOnly`, and `FieldInvalid` with the fault.
        """
        if text is None:
            return None
        self.check_sandbox()
        plan = read_plan(text, kind)
        beyond = [each for each in _AT_THE_BANK if each in plan.outcomes]
        if beyond and not self._has_bank:
            raise FieldInvalid(
                f"{HEADER}: {beyond[0]} can't be scripted, since fiat does not go through the "
                "sandbox's bank here (LANDBRIDGE_RAILS); where it goes by bank files, `landbridge "
                "bank-files simulate` simulates the bank",
                field=HEADER,
            )
        return plan

    async def store_plan(self, tx: Tx, org_id: UUID, record_id: UUID, plan: OutcomePlan) -> None:
        """Store a plan, in the transaction that creates its record."""
        await outcome_plan_store.add(tx, org_id, record_id, plan.text)

    async def list_plans(self, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, OutcomePlan]:
        """Return the plans of those of these records that have one."""
        if not ids or not self._is_sandbox:
            return {}
        found = await self._database.single(
            lambda tx: outcome_plan_store.list_by_records(tx, org_id, ids)
        )
        return {record_id: parse_stored_plan(text) for record_id, text in found.items()}

    async def find_plan(self, org_id: UUID, record_id: UUID) -> OutcomePlan | None:
        """Return the plan of one record; concurrent calls share one statement."""
        return await self._plans.call((org_id, record_id))

    async def claim_step(
        self, org_id: UUID, record_id: UUID, step: ScriptedStep, *, key: UUID, at: datetime
    ) -> ScriptedCall | None:
        """Claim a step for the order `key`; None if another order was first.

        Exactly one call is the first one, even after a crash in between.
        """
        call_id = new_id()
        first_key, first_call, first_reached_at = await self._database.transact(
            lambda tx: outcome_plan_store.claim(
                tx, org_id, record_id, step, key=key, call_id=call_id, at=at
            )
        )
        return ScriptedCall(first_call == call_id, first_reached_at) if first_key == key else None

    async def _find(self, keys: list[tuple[UUID, UUID]]) -> list[OutcomePlan | None]:
        found = await self._database.single(lambda tx: outcome_plan_store.find(tx, keys))
        return [
            parse_stored_plan(found[index]) if index in found else None
            for index in range(len(keys))
        ]


def add_plan(request: Mapping[str, Any], plan: OutcomePlan) -> dict[str, Any]:
    """Return a record's request with the plan, so that another plan makes a different request."""
    return {**request, _MEMBER: plan.text}


def get_plan_text(request: Mapping[str, Any]) -> str | None:
    """Return the plan's text in a record's request; None without one."""
    return request.get(_MEMBER)


def find_outcome(request: Mapping[str, Any], step: ScriptedStep) -> PlannedOutcome | None:
    """Return the scripted outcome of a step in a record's request; None without one."""
    text = get_plan_text(request)
    return None if text is None else parse_stored_plan(text).outcomes.get(step)


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
        """Store an order and return it as stored; its record passes through `steps`.

        An outcome applies to the first order at a step, and to orders with the same `outcome_key`.
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
            return replace(late, result=OrderResult.FAILED, reason=reason)
        case OutcomeEffect.FAIL:
            return replace(operation, result=OrderResult.FAILED, reason=reason)
        case _:
            return operation
