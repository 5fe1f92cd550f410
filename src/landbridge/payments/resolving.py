"""Decisions of people on payments that do not move on by themselves.

A provider that refuses or does not answer never decides money. A reviewer finds out what became of
the order, says so with evidence, and a second person approves (flows/resolutions). What the
decision then does is the flow's own: a pure move of its record.

Guarantees of `OrderResolver`:

- An order that the provider confirms is never decided on: it is settled by the worker.
- An order is only replaced (`REDIRECT`, `SETTLE_OUTSIDE`) while the provider does not have it under
  way. The caller makes sure that nobody is giving it at that moment (resolutions/steps.py).
- A replaced order has a key that was never used before.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

import msgspec

from landbridge.core.errors import FieldInvalid, ResourceConflict, Unavailable, Unclear
from landbridge.core.states import Moves
from landbridge.db.pool import Tx
from landbridge.ledger.model import Move, Posting, Transfer
from landbridge.payments.insistence import StillRefused, new_round
from landbridge.payments.sending import CALL_TIMEOUT_S, Errand, answered, going
from landbridge.payments.ways import Answer, Standing

NOT_CARRIED_OUT = "a reviewer found out that the provider did not carry it out"


class Action(StrEnum):
    """What a reviewer can decide on a payment."""

    CONFIRM = "CONFIRM"  # the provider has carried the order out
    FAIL = "FAIL"  # the provider has not carried the order out, and never will
    REDIRECT = "REDIRECT"  # give a refund again: to the same destination, or to another one
    SETTLE_OUTSIDE = "SETTLE_OUTSIDE"  # a refund has reached its owner by other means
    PAYOUT_RETURNED = "PAYOUT_RETURNED"  # a completed payout came back
    DEPOSIT_REVERSED = "DEPOSIT_REVERSED"  # the bank took a deposit back
    RECOVER = "RECOVER"  # a receivable was paid back
    WRITE_OFF = "WRITE_OFF"  # a receivable is given up


class Instruction(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done with a payment.

    `address` (on the chain of the refund) and `account_id` (a bank account of the same user) are
    where a refund goes instead; without either it goes where it went before.
    """

    action: Action
    transaction_hash: str | None = None
    address: str | None = None
    account_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be decided on a payment as it is now.

    `order` names what the decision is about: once the payment waits for something else, the
    decision is void.
    """

    order: str
    actions: tuple[Action, ...]


class Resolver(Protocol):
    """A flow whose payments people can decide on."""

    @property
    def moves(self) -> Moves[Any]:
        """The flow's table of moves."""
        ...

    async def choices(self, record: Transfer, clock_offset: timedelta) -> Choices | None:
        """Return what can be decided now; None if there is nothing to decide."""
        ...

    async def destination(
        self, record: Transfer, instruction: Instruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of a refund's new destination; empty if it stays the same.

        Raises `Refused`, naming the field, for one that the refund can't go to.
        """
        ...

    async def decide(self, record: Transfer, decision: "Decision", at: datetime) -> Move | None:
        """Return the move that a decision makes; writes nothing. None if `end_in` makes it.

        Raises `ResourceConflict` if it can't be done any more.
        """
        ...

    async def end_in(self, tx: Tx, record: Transfer, decision: "Decision", at: datetime) -> None:
        """Carry out a decision on a record that waits for no order, in the caller's transaction.

        Raises `ResourceConflict` if it can't be done any more.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An instruction that was approved, with the facts of its destination."""

    instruction: Instruction
    destination: Mapping[str, Any]
    actor: str
    clock_offset: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class EndDecision:
    """A decision on a record that waits for no order.

    `statuses` are those in which it applies. `carry_out` moves the record: from a transaction, the
    record, the actor and the moment.
    """

    statuses: frozenset[str]
    carry_out: Callable[[Tx, Transfer, str, datetime], Awaitable[None]]


FindErrand = Callable[[Transfer, timedelta], Awaitable[Errand | None]]
FindDestination = Callable[[Transfer, Instruction, timedelta], Awaitable[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class OrderResolver:
    """Decides on the order that a record waits for; implements `Resolver` for any flow.

    `errand` is the flow's own account of that order, `find_destination` checks where a refund may
    go instead, and `ends` are decisions on records that wait for no order.
    """

    moves: Moves[Any]
    errand: FindErrand
    find_destination: FindDestination | None = None
    ends: Mapping[Action, EndDecision] = field(default_factory=dict[Action, EndDecision])

    async def choices(self, record: Transfer, clock_offset: timedelta) -> Choices | None:
        """Return what can be decided now; see `Resolver`."""
        ends = tuple(a for a, end in self.ends.items() if record.status in end.statuses)
        errand = await self.errand(record, clock_offset)
        if errand is None:
            return Choices(record.status, ends) if ends else None
        if errand.refund is not None:
            actions = (Action.CONFIRM, Action.REDIRECT, Action.SETTLE_OUTSIDE)
            return Choices(str(errand.refund.status), (*actions, *ends))
        actions = (Action.CONFIRM, *([Action.FAIL] if errand.failed is not None else []))
        return Choices(str(errand.done), (*actions, *ends))

    async def destination(
        self, record: Transfer, instruction: Instruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of a new destination; see `Resolver`."""
        given = {"address": instruction.address, "accountId": instruction.account_id}
        named = [name for name, value in given.items() if value is not None]
        if not named:
            return {}
        if instruction.action is not Action.REDIRECT or self.find_destination is None:
            raise FieldInvalid(
                f"{named[0]} is for REDIRECT, of a refund that can go elsewhere", field=named[0]
            )
        return await self.find_destination(record, instruction, clock_offset)

    async def decide(self, record: Transfer, decision: Decision, at: datetime) -> Move | None:
        """Return the move that a decision makes; see `Resolver`."""
        action = decision.instruction.action
        if action in self.ends:
            return None
        errand = await self.errand(record, decision.clock_offset)
        if errand is None:
            raise ResourceConflict(f"the payment is {record.status}: it waits for no order")
        found = await _find(errand, at)
        if found is Standing.DONE:
            raise ResourceConflict("the provider confirms the order: it is settled without this")
        match action:
            case Action.CONFIRM:
                _check_not_refused(errand, found)
                return _confirmed(record, errand, decision, at)
            case Action.FAIL:
                return _failed(record, errand, decision, at)
            case Action.REDIRECT | Action.SETTLE_OUTSIDE:
                if found is Standing.PENDING:
                    raise ResourceConflict("the provider has the order under way: wait for it")
                return _replaced(record, errand, decision, at)
            case _:
                raise ResourceConflict(f"{action} does not apply to a payment at {record.status}")

    async def end_in(self, tx: Tx, record: Transfer, decision: Decision, at: datetime) -> None:
        """Carry out a decision on a record that waits for no order; see `Resolver`."""
        end = self.ends[decision.instruction.action]
        await end.carry_out(tx, record, decision.actor, at)


async def _find(errand: Errand, at: datetime) -> Standing | None:
    """Return how the provider says that the order stands; None if it does not know or answer."""
    find = errand.find or errand.way.look
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            answer = await find(at)
    except StillRefused:
        return Standing.FAILED
    except (Unavailable, Unclear, TimeoutError):
        return None
    return None if answer is None else answer.standing


def _check_not_refused(errand: Errand, found: Standing | None) -> None:
    if found is Standing.FAILED:
        hint = "" if errand.refund is None else "; if it arrived by other means, SETTLE_OUTSIDE"
        raise ResourceConflict(f"the provider has refused this order{hint}")


def _confirmed(record: Transfer, errand: Errand, decision: Decision, at: datetime) -> Move:
    """The order was carried out."""
    facts = _hash(errand, decision.instruction)
    refund = errand.refund
    if refund is not None:
        return _ended(
            record,
            errand,
            refund.status,
            decision=decision,
            at=at,
            facts={**refund.facts, **facts},
            journal=refund.journal,
        )
    answer = Answer(standing=Standing.DONE, expected_at=None, reason=None, facts=facts)
    return answered(record, errand, answer, at, actor=decision.actor, what="confirm")


def _failed(record: Transfer, errand: Errand, decision: Decision, at: datetime) -> Move:
    """The order was not carried out, and never will be."""
    if errand.failed is None or errand.refund is not None:
        raise ResourceConflict("this order has to arrive: redirect it, or settle it outside")
    answer = Answer(standing=Standing.FAILED, expected_at=None, reason=NOT_CARRIED_OUT)
    return answered(record, errand, answer, at, actor=decision.actor, what="fail")


def _replaced(record: Transfer, errand: Errand, decision: Decision, at: datetime) -> Move:
    """A refund goes another way."""
    refund = errand.refund
    if refund is None:
        raise ResourceConflict("only a refund can be redirected or settled outside")
    if decision.instruction.action is Action.SETTLE_OUTSIDE:
        return _ended(
            record,
            errand,
            refund.status,
            decision=decision,
            at=at,
            facts={**refund.facts, "is_settled_outside": True},
            journal=refund.outside_journal,
        )
    return Move(
        record,
        path=(record.status,),
        what="redirect",
        actor=decision.actor,
        at=at,
        due_at=at,
        facts={**decision.destination, **new_round(record, refund.name)},
    )


def _ended(
    record: Transfer,
    errand: Errand,
    status: StrEnum,
    *,
    decision: Decision,
    at: datetime,
    facts: Mapping[str, Any],
    journal: Sequence[Posting],
) -> Move:
    return going(
        record,
        errand.moves,
        status,
        at=at,
        actor=decision.actor,
        what=decision.instruction.action.lower(),
        facts=facts,
        journal=journal,
    )


def _hash(errand: Errand, instruction: Instruction) -> dict[str, Any]:
    told = instruction.transaction_hash
    if told is None:
        return {}
    if errand.way.hash_fact is None:
        raise ResourceConflict("a bank's order has no transaction hash")
    return {errand.way.hash_fact: told}
