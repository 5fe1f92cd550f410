"""Outgoing orders: sends an order of a record to a chain or bank and applies its result.

A record passes through the same stages for each order, whatever its flow calls their statuses:

    claim      The transition to `initiated`. From here on the provider may have the order. Its
               key is derived (`order_key(record, "send")`), so it is the
               same after a crash.
    call       `send`, outside of any transaction; executed once per key.
    record     The transition to `pending` (in progress; looked up again when its result is
               expected), to `done` or to `failed`, with its journal.

`OrderSender.run` does call and record, for a record at `initiated`, `pending` or `unknown`. The
claim belongs to the flow, because its checks come first. Guarantees:

- Running the step again repairs a crash, or a lost answer, between any two stages.
- A missing answer is not a failure: the record keeps its status and is retried with growing delays
  (`payments/scheduler.py`). A day after an answer was due, the record becomes `unknown`, which is
  not terminal: no money moves, the order is looked up every hour, and the next answer settles it,
  however late it comes.
- An order in progress is due when its result is expected, at every stage.
- If two workers record a result concurrently, the first one wins; both had the same answer.
- An order is sent only while `find_block_reason` returns None. Otherwise it is only looked up: an
  earlier worker may have sent it.
- An order in screening, or of a halted asset, is not sent, and its record keeps its status.
- An order that must arrive (`until_settled`) is sent again after each refusal, under its next key,
  after delays that grow to a day, without end (retry_until_settled.py).

Each transition writes `failed_reason` and the facts of the answer (`transaction_hash` …). A status
that is not terminal is due at once, so that the flow continues from there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, Posting, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.attention import attention
from landbridge.payments.engine.order_channels import ChannelStatus, OrderChannel, OrderState
from landbridge.payments.engine.retry_until_settled import (
    RetryExhausted,
    first_sent_at,
    is_key_valid,
    mark_sent,
    record_refusal,
)
from landbridge.payments.engine.unsent_orders import UNSENT, check_screener, unsent_facts
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Unavailable, Unclear
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.formats.texts import shorten

ACTOR = "worker"

# Time after an answer was due at which a record becomes `unknown`, and a person investigates too.
ANSWER_TIMEOUT = timedelta(hours=24)
_UNKNOWN_PAUSE = timedelta(hours=1)
# Minimum delay before an order in progress is looked up again.
_POLL_DELAY_MIN = timedelta(seconds=1)
# Seconds after which a call is cancelled. A person's decision waits longer, so that no call runs.
CALL_TIMEOUT_S = 60


class _StillPending(Unavailable):
    """The order is in progress; its result is expected later."""

    def __init__(self, expected_at: datetime) -> None:
        self.expected_at = expected_at
        super().__init__("the order is still in progress")


class _OrderNotFound(Unavailable):
    """The provider has no such order and may have forgotten its key: a person investigates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRefund:
    """Outcome of an order that must arrive, if a person resolves it.

    `name` is the base of the order's keys. The record ends at `status`, with `journal` if the order
    was executed, and with `outside_journal` if the money reached its owner by other means.
    """

    name: str
    status: StrEnum
    journal: Sequence[Posting]
    outside_journal: Sequence[Posting]
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingOrder:
    """Order of a record: its channel, and the flow's statuses for its stages.

    `done_journal` and `failed_journal` are posted with these transitions; `journal_of` replaces
    `done_journal` if the journal depends on facts of the answer. Without `pending` the record waits
    at `initiated`; without `unknown` it is looked up there without end. An order that must arrive
    has no `failed`, but a `refund`. `find_block_reason` returns why the order may not be sent now.
    `done_facts` and `failed_facts` are added to the facts of the answer; `reason_fact` names the
    fact with the reason of a failure. `find` looks an order up if `channel` might send another.
    """

    channel: OrderChannel
    transitions: Transitions[Any]
    initiated: StrEnum
    done: StrEnum
    pending: StrEnum | None = None
    failed: StrEnum | None = None
    unknown: StrEnum | None = None
    find_block_reason: Callable[[], Awaitable[str | None]] | None = None
    done_journal: Sequence[Posting] = ()
    journal_of: Callable[[Mapping[str, Any]], Sequence[Posting]] | None = None
    failed_journal: Sequence[Posting] = ()
    done_facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    failed_facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refund: OrderRefund | None = None
    find: Callable[[datetime], Awaitable[ChannelStatus | None]] | None = None
    reason_fact: str = "failed_reason"

    @property
    def name(self) -> str | None:
        """Return the base name of the keys of an order that must arrive; else None."""
        return None if self.refund is None else self.refund.name


@dataclass(frozen=True, slots=True)
class OrderSender:
    """Sends orders, and advances their records."""

    ledger: Ledger
    clock: Clock
    # Whether payments to external addresses are screened before they are sent.
    screens_payments: bool

    async def run(
        self,
        record: Transfer,
        order: OutgoingOrder,
        clock_offset: timedelta,
        *,
        is_claimed_now: bool = False,
    ) -> Transfer | None:
        """Send or look up the order, and advance the record.

        Return None if another worker advanced it, or if it was postponed. Raises `Unavailable` and
        `Unclear` while there is no answer, and `RetryExhausted` for a refused order that must
        arrive; the record is due again. With `is_claimed_now` this run has checked for a block.
        """
        now = self.clock.now(clock_offset)
        if not await self._note_first_send(record, order, now):
            return None
        try:
            check_screener(record, now, has_screener=self.screens_payments)
            answer = await _request_status_in_time(
                record, order, now, is_claimed_now=is_claimed_now
            )
        except RetryExhausted as refusal:
            facts = record_refusal(record, refusal)
            await self.ledger.postpone(record, now + refusal.pause, facts)
            raise
        except _OrderNotFound as error:
            await self.ledger.postpone(record, now + _UNKNOWN_PAUSE, attention(record, str(error)))
            raise
        except UNSENT as waiting:
            await self.ledger.postpone(record, waiting.retry_at, unsent_facts(record, waiting))
            return None
        except _StillPending as waiting:
            await self.ledger.postpone(record, max(waiting.expected_at, now + _POLL_DELAY_MIN))
            return None
        except (Unavailable, Unclear):
            at = self.clock.stamp(clock_offset)
            if record.status == order.unknown:
                await self.ledger.postpone(record, at + _UNKNOWN_PAUSE)
            if not _is_answer_overdue(record, order, at):
                raise
            return await self._advance(_unknown_move(record, order, at), order.transitions)
        at = self.clock.stamp(clock_offset)
        return await self._advance(apply_status(record, order, answer, at), order.transitions)

    async def _note_first_send(self, record: Transfer, order: OutgoingOrder, now: datetime) -> bool:
        """Store when an order is first sent, if the provider forgets keys after some time.

        Return False if the record was advanced concurrently. The time is stored before the call.
        """
        is_first = record.status == order.initiated and order.channel.key_lifetime is not None
        if not is_first or first_sent_at(record, order.name) is not None or record.due_at is None:
            return True
        return await self.ledger.postpone(record, record.due_at, mark_sent(record, order.name, now))

    async def advance(
        self,
        record: Transfer,
        transitions: Transitions[Any],
        *path: StrEnum,
        clock_offset: timedelta,
        facts: Mapping[str, Any] | None = None,
        journal: Sequence[Posting] = (),
    ) -> Transfer | None:
        """Advance a record along `path` and post `journal` with the last status.

        A status that is not terminal is due at once. Return None if another worker advanced it.
        """
        at = self.clock.stamp(clock_offset)
        return await self._advance(
            build_move(record, transitions, *path, at=at, facts=facts, journal=journal), transitions
        )

    async def _advance(
        self, move: AdvanceTransfer, transitions: Transitions[Any]
    ) -> Transfer | None:
        moved = await self.ledger.advance(move, transitions)
        if moved is CommitOutcome.INSUFFICIENT:
            raise InvariantBroken(
                f"{move.transfer.kind} {move.transfer.id} spends money that was not held"
            )
        return moved if isinstance(moved, Transfer) else None


async def run_until_waiting(
    record: Transfer, step: Callable[[Transfer], Awaitable[Transfer | None]]
) -> None:
    """Run `step` on a record, and repeat it while the record is due at once.

    `step` returns the advanced record, or None if another worker advanced it.
    """
    moved = await step(record)
    while moved is not None and moved.due_at is not None and moved.due_at <= moved.updated_at:
        moved = await step(moved)


def build_move(
    record: Transfer,
    transitions: Transitions[Any],
    *path: StrEnum,
    at: datetime,
    actor: str = ACTOR,
    change_type: str | None = None,
    facts: Mapping[str, Any] | None = None,
    journal: Sequence[Posting] = (),
) -> AdvanceTransfer:
    """Build an advance along `path`, due at once unless it ends in a terminal status.

    `journal` is posted with the last status; `change_type` defaults to that status in lower case.
    """
    last = path[-1]
    return AdvanceTransfer(
        record,
        path=path,
        change_type=change_type or last.lower(),
        actor=actor,
        at=at,
        due_at=None if transitions.is_terminal(last) else at,
        facts=facts or {},
        journals={len(path) - 1: journal} if journal else {},
    )


def apply_status(
    record: Transfer,
    order: OutgoingOrder,
    answer: ChannelStatus,
    at: datetime,
    *,
    actor: str = ACTOR,
    change_type: str | None = None,
) -> AdvanceTransfer:
    """Build the advance that a provider's answer causes."""
    facts = {name: value for name, value in answer.facts.items() if value is not None}
    reason = shorten(answer.reason or "the provider refused it")
    match answer.state:
        case OrderState.PENDING:
            if order.pending is None:
                raise InvariantBroken(f"{order.initiated} has no status for an order in progress")
            return AdvanceTransfer(
                record,
                path=(order.pending,),
                change_type=order.pending.lower(),
                actor=ACTOR,
                at=at,
                due_at=answer.expected_at or at,
                facts=facts,
            )
        case OrderState.DONE:
            is_first = order.pending is not None and record.status == order.initiated
            path = (order.pending, order.done) if is_first else (order.done,)
            return build_move(
                record,
                order.transitions,
                *(each for each in path if each is not None),
                at=at,
                actor=actor,
                change_type=change_type,
                facts={**order.done_facts, **facts},
                journal=order.journal_of(facts) if order.journal_of else order.done_journal,
            )
        case OrderState.FAILED:
            if order.failed is None:
                raise InvariantBroken(f"{record.kind} {record.id} must arrive: {reason}")
            return build_move(
                record,
                order.transitions,
                order.failed,
                at=at,
                actor=actor,
                change_type=change_type,
                facts={**order.failed_facts, **facts, order.reason_fact: reason},
                journal=order.failed_journal,
            )


async def _request_status_in_time(
    record: Transfer, order: OutgoingOrder, at: datetime, *, is_claimed_now: bool
) -> ChannelStatus:
    """Get an answer as `_request_status` does, within `CALL_TIMEOUT_S` seconds."""
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            return await _request_status(record, order, at, is_claimed_now=is_claimed_now)
    except TimeoutError:
        raise Unclear(f"the provider did not answer within {CALL_TIMEOUT_S} s") from None


async def _request_status(
    record: Transfer, order: OutgoingOrder, at: datetime, *, is_claimed_now: bool
) -> ChannelStatus:
    """Return an answer that advances the record; raises `Unavailable` if there is none yet."""
    if record.status == order.initiated:
        since = first_sent_at(record, order.name)
        answer = await _send_or_find(order, since, at, is_claimed_now=is_claimed_now)
        is_waiting = order.pending is None
    elif record.status in {order.pending, order.unknown}:
        found = await order.channel.find(at)
        if found is None and record.status == order.unknown:
            # The provider never got the order: send it again under its key, as at `initiated`.
            mark = record.facts.get("given_at")
            found = await _send_or_find(order, mark and datetime.fromisoformat(mark), at)
        if found is None:
            raise Unavailable("the provider does not know the order, though it accepted it before")
        answer, is_waiting = found, True
    else:
        raise InvariantBroken(
            f"{record.kind} {record.id} is {record.status}: it does not wait for an answer"
        )
    if is_waiting and answer.state is OrderState.PENDING:
        if answer.expected_at is None or answer.expected_at <= at:
            raise Unavailable("the order is still in progress, later than expected")
        raise _StillPending(answer.expected_at)
    return answer


async def _send_or_find(
    order: OutgoingOrder,
    sent_since: datetime | None,
    at: datetime,
    *,
    is_claimed_now: bool = False,
) -> ChannelStatus:
    """Send the order, or only look it up while it is blocked or its key may be forgotten."""
    has_valid_key = is_key_valid(order.channel.key_lifetime, sent_since, at)
    reason: str | None = None
    if order.find_block_reason is not None and not is_claimed_now:
        reason = await order.find_block_reason()
    if has_valid_key and reason is None:
        return await order.channel.send()
    found = await (order.find or order.channel.find)(at)
    if found is not None:
        return found
    if not has_valid_key:
        raise _OrderNotFound("the provider has no such order, and may have forgotten its key")
    raise Unavailable(f"the provider does not have the order, and it may not be sent now: {reason}")


def _is_answer_overdue(record: Transfer, order: OutgoingOrder, at: datetime) -> bool:
    return (
        order.unknown is not None
        and record.status != order.unknown
        and at - (record.due_at or record.updated_at) >= ANSWER_TIMEOUT
    )


def _unknown_move(record: Transfer, order: OutgoingOrder, at: datetime) -> AdvanceTransfer:
    """Build the advance to `unknown`; the fact `unknown_from` has the status of the order."""
    unknown = order.unknown
    if unknown is None:
        raise InvariantBroken(f"{record.kind} has no status for an unknown result")
    return AdvanceTransfer(
        record,
        path=(unknown,),
        change_type=unknown.lower(),
        actor=ACTOR,
        at=at,
        due_at=at + _UNKNOWN_PAUSE,
        facts={
            "unknown_from": record.status,
            "given_at": (first_sent_at(record, order.name) or record.updated_at).isoformat(),
        },
    )
