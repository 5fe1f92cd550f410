"""Resolution actions: decisions of people on payments that can't continue by themselves.

A provider's refusal or silence alone never decides about money. A reviewer finds out what happened
to the order and states it with evidence; a second person approves (payments/resolutions). The flow
of the payment defines the effect: an advance of its record.

Guarantees of `OrderResolver`:

- If the provider confirms an order, no decision is made on it: the worker settles it.
- An order is only replaced (`REDIRECT`, `SETTLE_OUTSIDE`) while the provider is not executing it.
  The caller ensures that nobody is sending it at that moment (resolutions/steps.py).
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

from landbridge.ledger.model import AdvanceTransfer, Posting, Transfer
from landbridge.payments.engine.order_channels import ChannelStatus, OrderState
from landbridge.payments.engine.outgoing_orders import (
    CALL_TIMEOUT_S,
    OutgoingOrder,
    apply_status,
    build_move,
)
from landbridge.payments.engine.retry_until_settled import RetryExhausted, start_round
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, Unavailable, Unclear
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Tx

NOT_CARRIED_OUT = "a reviewer found out that the provider did not carry it out"


class ResolutionAction(StrEnum):
    """Action that a reviewer can take on a payment."""

    CONFIRM = "CONFIRM"  # the provider executed the order
    FAIL = "FAIL"  # the provider did not execute the order, and never will
    REDIRECT = "REDIRECT"  # send a refund again: to the same destination, or to another one
    SETTLE_OUTSIDE = "SETTLE_OUTSIDE"  # a refund has reached its owner by other means
    PAYOUT_RETURNED = "PAYOUT_RETURNED"  # a completed payout came back
    DEPOSIT_REVERSED = "DEPOSIT_REVERSED"  # the bank took a deposit back
    RELEASE = "RELEASE"  # a deposit that is held may be credited or matched
    REJECT = "REJECT"  # a deposit that is held is never credited; fiat goes back to its sender
    RECOVER = "RECOVER"  # a receivable was paid back
    WRITE_OFF = "WRITE_OFF"  # a receivable is written off


class ResolutionInstruction(msgspec.Struct, frozen=True, kw_only=True):
    """Instruction of a reviewer for a payment.

    `address` (on the chain of the refund) or `account_id` (a bank account of the same user) is the
    new destination of a refund; without either, the refund keeps its destination.
    """

    action: ResolutionAction
    transaction_hash: str | None = None
    address: str | None = None
    account_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class ResolutionChoices:
    """Actions that reviewers can take on a payment now.

    `order` identifies the subject of the decision: once the payment waits for something else, the
    decision is void.
    """

    order: str
    actions: tuple[ResolutionAction, ...]


class PaymentResolver(Protocol):
    """Resolves payments of one flow by decisions of people."""

    @property
    def transitions(self) -> Transitions[Any]:
        """Return the flow's transitions."""
        ...

    async def choices(self, record: Transfer, clock_offset: timedelta) -> ResolutionChoices | None:
        """Return the actions that are possible now; None if there are none."""
        ...

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of a refund's new destination; empty if it stays the same.

        Raises `Refused`, naming the field, for a destination that can't receive the refund.
        """
        ...

    async def decide(
        self, record: Transfer, decision: "ApprovedResolution", at: datetime
    ) -> AdvanceTransfer | None:
        """Return the advance that executes a decision; None if `end_in` executes it.

        Write nothing. Raises `ResourceConflict` if the decision is not possible any more.
        """
        ...

    async def end_in(
        self, tx: Tx, record: Transfer, decision: "ApprovedResolution", at: datetime
    ) -> None:
        """Execute a decision on a record that waits for no order, in the caller's transaction.

        Raises `ResourceConflict` if the decision is not possible any more.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedResolution:
    """Approved instruction, with the facts of its destination.

    With `is_closing`, the order at the provider is closed in the same transaction.
    """

    instruction: ResolutionInstruction
    destination: Mapping[str, Any]
    actor: str
    clock_offset: timedelta
    is_closing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalResolution:
    """Resolution of a record that waits for no order.

    It is possible at `statuses`. `carry_out` advances the record; its arguments are the
    transaction, the record, the actor and the time.
    """

    statuses: frozenset[str]
    carry_out: Callable[[Tx, Transfer, str, datetime], Awaitable[None]]


FindOrder = Callable[[Transfer, timedelta], Awaitable[OutgoingOrder | None]]
FindDestination = Callable[
    [Transfer, ResolutionInstruction, timedelta], Awaitable[Mapping[str, Any]]
]


@dataclass(frozen=True, slots=True)
class OrderResolver:
    """Resolves the order that a record waits for; implements `PaymentResolver` for any flow.

    `find_order` returns that order, `find_destination` validates a new destination of a refund, and
    `ends` are resolutions of records that wait for no order.
    """

    transitions: Transitions[Any]
    find_order: FindOrder
    find_destination: FindDestination | None = None
    ends: Mapping[ResolutionAction, TerminalResolution] = field(
        default_factory=dict[ResolutionAction, TerminalResolution]
    )

    async def choices(self, record: Transfer, clock_offset: timedelta) -> ResolutionChoices | None:
        """Return the actions that are possible now; see `PaymentResolver`."""
        ends = tuple(a for a, end in self.ends.items() if record.status in end.statuses)
        order = await self.find_order(record, clock_offset)
        if order is None:
            return ResolutionChoices(record.status, ends) if ends else None
        if order.refund is not None:
            actions = (
                ResolutionAction.CONFIRM,
                ResolutionAction.REDIRECT,
                ResolutionAction.SETTLE_OUTSIDE,
            )
            return ResolutionChoices(str(order.refund.status), (*actions, *ends))
        actions = (
            ResolutionAction.CONFIRM,
            *([ResolutionAction.FAIL] if order.failed is not None else []),
        )
        return ResolutionChoices(str(order.done), (*actions, *ends))

    async def destination(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of a new destination; see `PaymentResolver`."""
        mark_sent = {"address": instruction.address, "accountId": instruction.account_id}
        named = [name for name, value in mark_sent.items() if value is not None]
        if not named:
            return {}
        if instruction.action is not ResolutionAction.REDIRECT or self.find_destination is None:
            raise FieldInvalid(
                f"{named[0]} is only for REDIRECT of a refund with another possible destination",
                field=named[0],
            )
        return await self.find_destination(record, instruction, clock_offset)

    async def decide(
        self, record: Transfer, decision: ApprovedResolution, at: datetime
    ) -> AdvanceTransfer | None:
        """Return the advance that executes a decision; see `PaymentResolver`."""
        action = decision.instruction.action
        if action in self.ends:
            return None
        order = await self.find_order(record, decision.clock_offset)
        if order is None:
            raise ResourceConflict(f"the payment is {record.status}: it does not wait for an order")
        found = await _find(order, at)
        if found is OrderState.DONE:
            raise ResourceConflict("the provider confirms the order: it is settled without this")
        match action:
            case ResolutionAction.CONFIRM:
                _check_not_refused(order, found)
                return _confirmed(record, order, decision, at)
            case ResolutionAction.FAIL:
                return _failed(record, order, decision, at)
            case ResolutionAction.REDIRECT | ResolutionAction.SETTLE_OUTSIDE:
                if found is OrderState.PENDING and not decision.is_closing:
                    raise ResourceConflict("the provider is executing the order: wait for it")
                return _replaced(record, order, decision, at)
            case _:
                raise ResourceConflict(f"{action} does not apply to a payment at {record.status}")

    async def end_in(
        self, tx: Tx, record: Transfer, decision: ApprovedResolution, at: datetime
    ) -> None:
        """Execute a decision on a record that waits for no order; see `PaymentResolver`."""
        end = self.ends[decision.instruction.action]
        await end.carry_out(tx, record, decision.actor, at)


async def _find(order: OutgoingOrder, at: datetime) -> OrderState | None:
    """Return the state of an order; None if the provider does not know it or does not answer."""
    find = order.find or order.channel.find
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            answer = await find(at)
    except RetryExhausted:
        return OrderState.FAILED
    except (Unavailable, Unclear, TimeoutError):
        return None
    return None if answer is None else answer.state


def _check_not_refused(order: OutgoingOrder, found: OrderState | None) -> None:
    if found is OrderState.FAILED:
        hint = "" if order.refund is None else "; if it arrived by other means, SETTLE_OUTSIDE"
        raise ResourceConflict(f"the provider has refused this order{hint}")


def _confirmed(
    record: Transfer, order: OutgoingOrder, decision: ApprovedResolution, at: datetime
) -> AdvanceTransfer:
    """Build the advance of an order that was executed."""
    facts = _hash(order, decision.instruction)
    refund = order.refund
    if refund is not None:
        return _ended(
            record,
            order,
            refund.status,
            decision=decision,
            at=at,
            facts={**refund.facts, **facts},
            journal=refund.journal,
        )
    answer = ChannelStatus(state=OrderState.DONE, expected_at=None, reason=None, facts=facts)
    return apply_status(record, order, answer, at, actor=decision.actor, change_type="confirm")


def _failed(
    record: Transfer, order: OutgoingOrder, decision: ApprovedResolution, at: datetime
) -> AdvanceTransfer:
    """Build the advance of an order that was not executed, and never will be."""
    if order.failed is None or order.refund is not None:
        raise ResourceConflict("this order must arrive: redirect it, or settle it outside")
    answer = ChannelStatus(state=OrderState.FAILED, expected_at=None, reason=NOT_CARRIED_OUT)
    return apply_status(record, order, answer, at, actor=decision.actor, change_type="fail")


def _replaced(
    record: Transfer, order: OutgoingOrder, decision: ApprovedResolution, at: datetime
) -> AdvanceTransfer:
    """Build the advance of a refund that is redirected or settled outside."""
    refund = order.refund
    if refund is None:
        raise ResourceConflict("only a refund can be redirected or settled outside")
    if decision.instruction.action is ResolutionAction.SETTLE_OUTSIDE:
        return _ended(
            record,
            order,
            refund.status,
            decision=decision,
            at=at,
            facts={**refund.facts, "is_settled_outside": True},
            journal=refund.outside_journal,
        )
    return AdvanceTransfer(
        record,
        path=(record.status,),
        change_type="redirect",
        actor=decision.actor,
        at=at,
        due_at=at,
        facts={**decision.destination, **start_round(record, refund.name)},
    )


def _ended(
    record: Transfer,
    order: OutgoingOrder,
    status: StrEnum,
    *,
    decision: ApprovedResolution,
    at: datetime,
    facts: Mapping[str, Any],
    journal: Sequence[Posting],
) -> AdvanceTransfer:
    return build_move(
        record,
        order.transitions,
        status,
        at=at,
        actor=decision.actor,
        change_type=decision.instruction.action.lower(),
        facts=facts,
        journal=journal,
    )


def _hash(order: OutgoingOrder, instruction: ResolutionInstruction) -> dict[str, Any]:
    transaction_hash = instruction.transaction_hash
    if transaction_hash is None:
        return {}
    if order.channel.hash_fact is None:
        raise ResourceConflict("a bank's order has no transaction hash")
    return {order.channel.hash_fact: transaction_hash}
