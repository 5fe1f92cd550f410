"""Sending something out from a step, and hearing how it went: one order of a record.

A record goes through the same four stations for each thing that a chain or a bank does for it, in
whatever words its flow has for them:

    claim      the move to `initiated`. From here on the other side may have the order. Its key is
               made from the record's id (`derived_id(record.id, "send")`), so it is the same after
               a crash.
    call       `send`, outside of any transaction: done once per key, however often it is asked.
    record     the move to `pending` (it is on its way; asked about again when it is expected),
               to `done`, or to `failed`, with what it does to money.

`Sending.run` does call and record for a record at `initiated`, `pending` or `unknown`; the claim
is the flow's own, because what is checked before it is. Guarantees:

- A crash, or a lost answer, between any two of these is mended by running the step again.
- No answer is not a no: the record stays, and is asked again after growing pauses (`flows/due`).
  A day after an answer was due it turns `unknown`, which is no end: the money stays where it is,
  it is asked about every hour, and the next answer, whenever it comes, settles it.
- What is on its way is due when it is expected, at every station.
- Whoever loses the race to record has done no harm: the other worker's answer is the same.
- What must arrive (`insisting`) is given again after each refusal, under its next key, after
  pauses that grow to a day, without end (payments/insistence.py).

Each move leaves `failed_reason`, and whatever facts the answer brings (`transaction_hash` …). A
station that is no end is due at once, so that the flow's step goes on from there.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Any
from uuid import UUID

from landbridge.chains.port import Chains, Order, Sent, SentState
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Rejected, Unavailable, Unclear
from landbridge.core.states import Moves
from landbridge.formats.texts import in_short
from landbridge.ledger.model import Move, Outcome, Posting, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.carrying import carry, hashes
from landbridge.payments.insistence import StillRefused, refused_again
from landbridge.rails.port import Paid, PaidState, Payment, Rails

ACTOR = "worker"

# From when an answer was due. Any chain and any bank has one by then; what has none is looked into
# by a person as well.
ANSWER_PATIENCE = timedelta(hours=24)
_UNKNOWN_PAUSE = timedelta(hours=1)
# However soon it is expected.
_SOON = timedelta(seconds=1)


class _OnItsWay(Unavailable):
    """There is an answer: not yet, and when."""

    def __init__(self, expected_at: datetime) -> None:
        self.expected_at = expected_at
        super().__init__("it is still on its way")


class Standing(Enum):
    """How an order stands on the other side."""

    PENDING = auto()
    DONE = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a chain or a bank says of an order; `facts` are what the record keeps of it."""

    standing: Standing
    expected_at: datetime | None
    reason: str | None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Way:
    """How an order is given and asked about: see `by_chain` and `by_rail`."""

    send: Callable[[], Awaitable[Answer]]
    look: Callable[[datetime], Awaitable[Answer | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One order of a record: how it goes out, and what its stations are called in the flow.

    `done_journal` and `failed_journal` post with the moves to these. Without `pending` the record
    waits at `initiated`; without `unknown` it is asked about there without end. Without `failed`
    (what is given back must arrive) its way is an `insisting` one: a failure is a fault.

    `why_not` says why an order of which nobody there knows, a day after the claim, may not be given
    now (somebody is frozen since): the record then stays `unknown` until it may.
    """

    way: Way
    moves: Moves[Any]
    initiated: StrEnum
    done: StrEnum
    pending: StrEnum | None = None
    failed: StrEnum | None = None
    unknown: StrEnum | None = None
    why_not: Callable[[], Awaitable[str | None]] | None = None
    done_journal: Sequence[Posting] = ()
    failed_journal: Sequence[Posting] = ()


@dataclass(frozen=True, slots=True)
class Sending:
    """Runs errands, and the moves between them."""

    ledger: Ledger
    clock: Clock

    async def run(
        self, record: Transfer, errand: Errand, clock_offset: timedelta
    ) -> Transfer | None:
        """Give or ask about the order, and move the record.

        None if somebody else has, or if it was put off until it is expected. Raises `Unavailable`
        and `Unclear` while there is no answer: the record stays due. Raises `StillRefused` for
        what must arrive: the record is due when it is given again.
        """
        now = self.clock.now(clock_offset)
        try:
            answer = await _ask(record, errand, now)
        except StillRefused as refusal:
            facts = refused_again(record, refusal)
            await self.ledger.postpone(record, now + refusal.pause, facts)
            raise
        except _OnItsWay as waiting:
            await self.ledger.postpone(record, max(waiting.expected_at, now + _SOON))
            return None
        except (Unavailable, Unclear):
            at = self.clock.stamp(clock_offset)
            if record.status == errand.unknown:
                await self.ledger.postpone(record, at + _UNKNOWN_PAUSE)
            if not _is_given_up(record, errand, at):
                raise
            return await self._advance(_unknown(record, errand, at), errand.moves)
        at = self.clock.stamp(clock_offset)
        return await self._advance(answered(record, errand, answer, at), errand.moves)

    async def go(
        self,
        record: Transfer,
        moves: Moves[Any],
        *path: StrEnum,
        clock_offset: timedelta,
        facts: Mapping[str, Any] | None = None,
        journal: Sequence[Posting] = (),
    ) -> Transfer | None:
        """Move a record on from a step, `journal` with the last status; None if it was moved.

        What is not at an end is due at once.
        """
        at = self.clock.stamp(clock_offset)
        return await self._advance(
            going(record, moves, *path, at=at, facts=facts, journal=journal), moves
        )

    async def _advance(self, move: Move, moves: Moves[Any]) -> Transfer | None:
        moved = await self.ledger.advance(move, moves)
        if moved is Outcome.SHORT:
            raise Broken(f"{move.transfer.kind} {move.transfer.id} spends what was not held")
        return moved if isinstance(moved, Transfer) else None


async def as_far_as_it_goes(
    record: Transfer, step: Callable[[Transfer], Awaitable[Transfer | None]]
) -> None:
    """Take a record through `step`, and on while a step leaves it due at once.

    `step` answers the record as it has left it, or None if somebody else has moved it.
    """
    moved = await step(record)
    while moved is not None and moved.due_at is not None and moved.due_at <= moved.updated_at:
        moved = await step(moved)


def insisting(way: Way, what: str) -> Way:
    """A way that has no failure, for what must arrive (coins or fiat that are given back).

    Its order has the key `key_to_insist(record, what)`; see payments/insistence.py.
    """

    def arriving(answer: Answer) -> Answer:
        if answer.standing is Standing.FAILED:
            raise StillRefused(what, answer.reason)
        return answer

    async def send() -> Answer:
        return arriving(await way.send())

    async def look(at: datetime) -> Answer | None:
        answer = await way.look(at)
        return None if answer is None else arriving(answer)

    return Way(send, look)


def by_chain(chains: Chains, order: Order, *, prefix: str = "") -> Way:
    """An order to a chain. Facts: `transaction_hash` and `user_op_hash`, after `prefix`."""

    async def send() -> Answer:
        return _of_chain(await carry(chains, order), prefix)

    async def look(at: datetime) -> Answer | None:
        sent = await chains.look(order.org_id, order.key, at)
        return None if sent is None else _of_chain(sent, prefix)

    return Way(send, look)


def by_rail(
    rails: Rails,
    org_id: UUID,
    key: UUID,
    payment: Callable[[], Awaitable[Payment]],
    *,
    facts: Callable[[Paid], Mapping[str, Any]],
) -> Way:
    """A payment of a bank. `payment` makes it, only when it goes out: it opens personal data."""

    def answer(paid: Paid) -> Answer:
        return Answer(
            standing=_PAID[paid.state],
            expected_at=paid.expected_at,
            reason=paid.reason,
            facts=facts(paid),
        )

    async def send() -> Answer:
        try:
            return answer(await rails.pay(await payment()))
        except Rejected as error:
            return Answer(standing=Standing.FAILED, expected_at=None, reason=str(error))

    async def look(at: datetime) -> Answer | None:
        paid = await rails.look(org_id, key, at)
        return None if paid is None else answer(paid)

    return Way(send, look)


def going(
    record: Transfer,
    moves: Moves[Any],
    *path: StrEnum,
    at: datetime,
    actor: str = ACTOR,
    what: str | None = None,
    facts: Mapping[str, Any] | None = None,
    journal: Sequence[Posting] = (),
) -> Move:
    """A move along `path` that posts with its last status; due at once unless that is an end.

    `what` is the last status in lower case, if it is not told.
    """
    last = path[-1]
    return Move(
        record,
        path=path,
        what=what or last.lower(),
        actor=actor,
        at=at,
        due_at=None if moves.is_terminal(last) else at,
        facts=facts or {},
        journals={len(path) - 1: journal} if journal else {},
    )


def answered(record: Transfer, errand: Errand, answer: Answer, at: datetime) -> Move:
    """The move that an answer makes of a record that was waiting for it."""
    told = {name: value for name, value in answer.facts.items() if value is not None}
    match answer.standing:
        case Standing.PENDING:
            if errand.pending is None:
                raise Broken(f"{errand.initiated} has no status for what is on its way")
            return Move(
                record,
                path=(errand.pending,),
                what=errand.pending.lower(),
                actor=ACTOR,
                at=at,
                due_at=answer.expected_at or at,
                facts=told,
            )
        case Standing.DONE:
            is_first = errand.pending is not None and record.status == errand.initiated
            path = (errand.pending, errand.done) if is_first else (errand.done,)
            journal = errand.done_journal
            return going(
                record,
                errand.moves,
                *(each for each in path if each is not None),
                at=at,
                facts=told,
                journal=journal,
            )
        case Standing.FAILED:
            reason = in_short(answer.reason or "the other side refused it")
            if errand.failed is None:
                raise Broken(f"{record.kind} {record.id} must arrive, and failed: {reason}")
            return going(
                record,
                errand.moves,
                errand.failed,
                at=at,
                facts={**told, "failed_reason": reason},
                journal=errand.failed_journal,
            )


async def _ask(record: Transfer, errand: Errand, at: datetime) -> Answer:
    """An answer that moves the record; raises `Unavailable` if there is none yet."""
    if record.status == errand.initiated:
        answer = await errand.way.send()
        is_waiting = errand.pending is None
    elif record.status in {errand.pending, errand.unknown}:
        found = await errand.way.look(at)
        if found is None and record.status == errand.unknown:
            # It never arrived: giving it again under its key is what `initiated` would do.
            found = await _give_again(errand)
        if found is None:
            raise Unavailable("nobody knows of it there, though it was taken before")
        answer, is_waiting = found, True
    else:
        raise Broken(f"{record.kind} {record.id} is {record.status}: it waits for no answer")
    if is_waiting and answer.standing is Standing.PENDING:
        if answer.expected_at is None or answer.expected_at <= at:
            raise Unavailable("it is still on its way, and should not be")
        raise _OnItsWay(answer.expected_at)
    return answer


async def _give_again(errand: Errand) -> Answer:
    reason = None if errand.why_not is None else await errand.why_not()
    if reason is not None:
        raise Unavailable(f"it never arrived there, and may not be sent now: {reason}")
    return await errand.way.send()


def _is_given_up(record: Transfer, errand: Errand, at: datetime) -> bool:
    return (
        errand.unknown is not None
        and record.status != errand.unknown
        and at - (record.due_at or record.updated_at) >= ANSWER_PATIENCE
    )


def _unknown(record: Transfer, errand: Errand, at: datetime) -> Move:
    """Nobody knows. `unknown_from` tells a flow with several orders which of them it was."""
    unknown = errand.unknown
    if unknown is None:
        raise Broken(f"{record.kind} has no status for what nobody knows")
    return Move(
        record,
        path=(unknown,),
        what=unknown.lower(),
        actor=ACTOR,
        at=at,
        due_at=at + _UNKNOWN_PAUSE,
        facts={"unknown_from": record.status},
    )


def _of_chain(sent: Sent, prefix: str) -> Answer:
    return Answer(
        standing=_SENT[sent.state],
        expected_at=sent.expected_at,
        reason=sent.reason,
        facts=hashes(sent, prefix=prefix),
    )


_SENT = {
    SentState.PENDING: Standing.PENDING,
    SentState.CONFIRMED: Standing.DONE,
    SentState.FAILED: Standing.FAILED,
}
_PAID = {
    PaidState.PENDING: Standing.PENDING,
    PaidState.SETTLED: Standing.DONE,
    PaidState.FAILED: Standing.FAILED,
}
