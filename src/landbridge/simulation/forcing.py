"""Forced outcomes: what later steps of a record come to, as its creator asked in the sandbox.

A plan is kept twice, both times in the transaction that opens its record: in the record's request,
where whoever has the record reads it (`forced`), and in sandbox_plans, where the sandbox's chains
and banks find it, which are told no more than which record an order is of.

An outcome happens to the first order that reaches its step: what is given back later, or given
again under another key, goes as it does without a plan. So every plan comes to an end.
An outcome of `webhook` happens to all deliveries of the record's events, within its delay.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.db.group import Group
from landbridge.db.pool import Database, Tx
from landbridge.simulation import plan_store
from landbridge.simulation.errors import SandboxOnly
from landbridge.simulation.outcomes import Step
from landbridge.simulation.plans import HEADER, Forced, Plan, kept_plan, read_plan

__all__ = ["Forcing", "Plan", "Turn", "outcome_of", "plan_text", "with_plan"]

# The member of a record's request that has its plan: called as the header, so that who sends the
# request with another plan is told that it is the header that differs.
_MEMBER = HEADER
# The steps that only the sandbox's own bank can be made to take.
_AT_THE_BANK = (Step.DEPOSIT, Step.PAYOUT)


@dataclass(frozen=True, slots=True)
class Turn:
    """A call that reached a step of a plan; `first_at` is when the first one did."""

    is_first: bool
    first_at: datetime


class Forcing:
    """Reads plans, keeps them beside records, and knows what of them has happened.

    `has_bank` says that fiat goes through the sandbox's own bank, which keeps to plans.
    """

    def __init__(self, database: Database, *, is_sandbox: bool, has_bank: bool) -> None:
        self._database = database
        self._is_sandbox = is_sandbox
        self._has_bank = has_bank
        self._plans = Group(self._find, lanes=2)

    def check_sandbox(self) -> None:
        """Raise `SandboxOnly` anywhere else."""
        if not self._is_sandbox:
            raise SandboxOnly

    def read(self, text: str | None, kind: str) -> Plan | None:
        """The plan in the header, for a payment of this kind.

        Raises `SandboxOnly`, and `FieldInvalid` naming what is wrong with it.
        """
        if text is None:
            return None
        self.check_sandbox()
        plan = read_plan(text, kind)
        beyond = [each for each in _AT_THE_BANK if each in plan.outcomes]
        if beyond and not self._has_bank:
            raise FieldInvalid(
                f"{HEADER}: {beyond[0]} can't be forced, since fiat does not go through the "
                "sandbox's bank here (LANDBRIDGE_RAILS); where it goes by bank files, `landbridge "
                "bank-files answer` plays the bank",
                field=HEADER,
            )
        return plan

    async def keep(self, tx: Tx, org_id: UUID, record_id: UUID, plan: Plan) -> None:
        """Keep a plan, in the transaction that opens its record."""
        await plan_store.keep(tx, org_id, record_id, plan.text)

    async def of(self, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, Plan]:
        """The plans of these records, of those that have one."""
        if not ids or not self._is_sandbox:
            return {}
        found = await self._database.single(lambda tx: plan_store.of(tx, org_id, ids))
        return {record_id: kept_plan(text) for record_id, text in found.items()}

    async def plan(self, org_id: UUID, record_id: UUID) -> Plan | None:
        """The plan of one record; many that ask at once are answered by one statement."""
        return await self._plans.call((org_id, record_id))

    async def turn(
        self, org_id: UUID, record_id: UUID, step: Step, *, key: UUID, at: datetime
    ) -> Turn | None:
        """Whose turn it is at a step: the first order's (`key`); None for any other.

        One call of all is the first, whatever dies in between.
        """
        call_id = new_id()
        first_key, first_call, first_at = await self._database.transact(
            lambda tx: plan_store.claim(
                tx, org_id, record_id, step, key=key, call_id=call_id, at=at
            )
        )
        return Turn(first_call == call_id, first_at) if first_key == key else None

    async def _find(self, keys: list[tuple[UUID, UUID]]) -> list[Plan | None]:
        found = await self._database.single(lambda tx: plan_store.find(tx, keys))
        return [kept_plan(found[place]) if place in found else None for place in range(len(keys))]


def with_plan(request: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """The request of a record with a plan: with another plan it is another request."""
    return {**request, _MEMBER: plan.text}


def plan_text(request: Mapping[str, Any]) -> str | None:
    """The plan of the record with this request, as it is written; None if it has none."""
    return request.get(_MEMBER)


def outcome_of(request: Mapping[str, Any], step: Step) -> Forced | None:
    """What a step of the record with this request is to come to; None for whatever it comes to."""
    text = plan_text(request)
    return None if text is None else kept_plan(text).outcomes.get(step)
