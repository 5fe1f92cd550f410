"""Scripted outcomes: results of later steps of a record, chosen by its creator in the sandbox.

A plan is stored twice, both times in the transaction that creates its record. The record's request
has it for readers of the record. The table sandbox_outcome_plans has it for the chains and banks,
which know only the record id of an order.

An outcome applies to the first order that reaches its step. A later refund, or a resend under
another key, proceeds as without a plan, so every plan comes to an end. An outcome of `webhook`
applies to all deliveries of the record's events, within its delay.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.simulation import outcome_plan_store
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.simulation.outcome_catalog import ScriptedStep
from landbridge.providers.simulation.outcome_plans import (
    HEADER,
    OutcomePlan,
    PlannedOutcome,
    parse_stored_plan,
    read_plan,
)

__all__ = [
    "OutcomePlan",
    "ScriptedCall",
    "ScriptedOutcomes",
    "add_plan",
    "find_outcome",
    "get_plan_text",
]

# Field of a record's request with its plan. It is named like the header, so that an idempotency
# conflict over another plan names the header as the difference.
_MEMBER = HEADER
# Steps that only the sandbox's own bank can script.
_AT_THE_BANK = (ScriptedStep.DEPOSIT, ScriptedStep.PAYOUT)


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """Call that reached a step of a plan; `first_at` is the time of the first such call."""

    is_first: bool
    first_reached_at: datetime


class ScriptedOutcomes:
    """Reads plans, stores them with records, and tracks which outcomes were used.

    `has_bank` means that fiat goes through the sandbox's own bank, which follows plans.
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
        """Parse the plan in the header, for a payment of this kind.

        Raises `SandboxOnly`, and `FieldInvalid` with its fault.
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
        """Return the plans of these records, where there is one."""
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

        Exactly one call is the first, even after a crash in between.
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
    """Add the plan to a record's request: another plan makes it another request."""
    return {**request, _MEMBER: plan.text}


def get_plan_text(request: Mapping[str, Any]) -> str | None:
    """Return the plan text in this record's request; None if it has none."""
    return request.get(_MEMBER)


def find_outcome(request: Mapping[str, Any], step: ScriptedStep) -> PlannedOutcome | None:
    """Return the scripted outcome of a step in this record's request, or None."""
    text = get_plan_text(request)
    return None if text is None else parse_stored_plan(text).outcomes.get(step)
