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
- An order is given only while `why_not` has no reason against it. Else it is only looked up: an
  earlier worker may have given it.
- What must arrive (`insisting`) is given again after each refusal, under its next key, after
  pauses that grow to a day, without end (payments/insistence.py).

Each move leaves `failed_reason`, and whatever facts the answer brings (`transaction_hash` …). A
station that is no end is due at once, so that the flow's step goes on from there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Unavailable, Unclear
from landbridge.core.states import Moves
from landbridge.formats.texts import in_short
from landbridge.ledger.model import Move, Outcome, Posting, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.attention import attention
from landbridge.payments.insistence import StillRefused, given, given_at, refused_again
from landbridge.payments.ways import Answer, Standing, Way

ACTOR = "worker"

# From when an answer was due. Any chain and any bank has one by then; what has none is looked into
# by a person as well.
ANSWER_PATIENCE = timedelta(hours=24)
_UNKNOWN_PAUSE = timedelta(hours=1)
# However soon it is expected.
_SOON = timedelta(seconds=1)
# A provider that has not answered by then is asked again later. A person's decision on an order
# waits for longer than this, so that no call from before it is still under way.
CALL_TIMEOUT_S = 60


class _OnItsWay(Unavailable):
    """There is an answer: not yet, and when."""

    def __init__(self, expected_at: datetime) -> None:
        self.expected_at = expected_at
        super().__init__("it is still on its way")


class _Forgotten(Unavailable):
    """The provider knows no order, and may have forgotten its key: a person has to find out."""

    def __init__(self) -> None:
        super().__init__("the provider knows no such order, and may have forgotten its key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """What a person may decide on an order that has to arrive.

    `name` is what its keys are derived from. The record ends at `status`, with `journal` if the
    order was carried out, and with `outside_journal` if it was settled by other means.
    """

    name: str
    status: StrEnum
    journal: Sequence[Posting]
    outside_journal: Sequence[Posting]
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One order of a record: how it goes out, and what its stations are called in the flow.

    `done_journal` and `failed_journal` post with the moves to these. Without `pending` the record
    waits at `initiated`; without `unknown` it is asked about there without end. Without `failed`
    (what is given back must arrive) its way is an `insisting` one: a failure is a fault.

    `why_not` returns why the order may not be given now (somebody has been frozen since the claim).

    `done_facts` and `failed_facts` are kept with these moves, besides what the answer brings.
    `reason_fact` keeps why the order failed. `refund` is there for an order that has to arrive.
    `find` looks an order up where `way` may give another one.
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
    done_facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    failed_facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refund: Refund | None = None
    find: Callable[[datetime], Awaitable[Answer | None]] | None = None
    reason_fact: str = "failed_reason"

    @property
    def name(self) -> str | None:
        """The name that the keys of an order which has to arrive are derived from."""
        return None if self.refund is None else self.refund.name


@dataclass(frozen=True, slots=True)
class Sending:
    """Runs errands, and the moves between them."""

    ledger: Ledger
    clock: Clock

    async def run(
        self,
        record: Transfer,
        errand: Errand,
        clock_offset: timedelta,
        *,
        is_claimed_now: bool = False,
    ) -> Transfer | None:
        """Give or ask about the order, and move the record.

        None if somebody else has, or if it was put off until it is expected. Raises `Unavailable`
        and `Unclear` while there is no answer: the record stays due. Raises `StillRefused` for
        what must arrive: the record is due when it is given again. `is_claimed_now` says that this
        run has just claimed the order, and so has checked `why_not`.
        """
        now = self.clock.now(clock_offset)
        if not await self._note_given(record, errand, now):
            return None
        try:
            answer = await _answer(record, errand, now, is_claimed_now=is_claimed_now)
        except StillRefused as refusal:
            facts = refused_again(record, refusal)
            await self.ledger.postpone(record, now + refusal.pause, facts)
            raise
        except _Forgotten as error:
            await self.ledger.postpone(record, now + _UNKNOWN_PAUSE, attention(record, str(error)))
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

    async def _note_given(self, record: Transfer, errand: Errand, now: datetime) -> bool:
        """Note when an order is first given to a provider that forgets; False if it was moved.

        The note is kept before the provider is called, so that it is never later than the call.
        """
        is_first = record.status == errand.initiated and errand.way.remembers is not None
        if not is_first or given_at(record, errand.name) is not None or record.due_at is None:
            return True
        return await self.ledger.postpone(record, record.due_at, given(record, errand.name, now))

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


def answered(
    record: Transfer,
    errand: Errand,
    answer: Answer,
    at: datetime,
    *,
    actor: str = ACTOR,
    what: str | None = None,
) -> Move:
    """The move that an answer makes of a record that was waiting for it."""
    told = {name: value for name, value in answer.facts.items() if value is not None}
    reason = in_short(answer.reason or "the other side refused it")
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
                actor=actor,
                what=what,
                facts={**errand.done_facts, **told},
                journal=journal,
            )
        case Standing.FAILED:
            if errand.failed is None:
                raise Broken(f"{record.kind} {record.id} must arrive, and failed: {reason}")
            return going(
                record,
                errand.moves,
                errand.failed,
                at=at,
                actor=actor,
                what=what,
                facts={**errand.failed_facts, **told, errand.reason_fact: reason},
                journal=errand.failed_journal,
            )


async def _answer(
    record: Transfer, errand: Errand, at: datetime, *, is_claimed_now: bool
) -> Answer:
    """As `_ask`, within bounded time."""
    try:
        async with asyncio.timeout(CALL_TIMEOUT_S):
            return await _ask(record, errand, at, is_claimed_now=is_claimed_now)
    except TimeoutError:
        raise Unclear(f"the provider did not answer within {CALL_TIMEOUT_S} s") from None


async def _ask(record: Transfer, errand: Errand, at: datetime, *, is_claimed_now: bool) -> Answer:
    """An answer that moves the record; raises `Unavailable` if there is none yet."""
    if record.status == errand.initiated:
        since = given_at(record, errand.name)
        answer = await _give(errand, since, at, is_claimed_now=is_claimed_now)
        is_waiting = errand.pending is None
    elif record.status in {errand.pending, errand.unknown}:
        found = await errand.way.look(at)
        if found is None and record.status == errand.unknown:
            # It never arrived: giving it again under its key is what `initiated` would do.
            mark = record.facts.get("given_at")
            found = await _give(errand, mark and datetime.fromisoformat(mark), at)
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


async def _give(
    errand: Errand, given_since: datetime | None, at: datetime, *, is_claimed_now: bool = False
) -> Answer:
    """Give the order; only look it up while it may not be given, or may be forgotten."""
    is_remembered = _is_remembered(errand, given_since, at)
    reason: str | None = None
    if errand.why_not is not None and not is_claimed_now:
        reason = await errand.why_not()
    if is_remembered and reason is None:
        return await errand.way.send()
    found = await (errand.find or errand.way.look)(at)
    if found is not None:
        return found
    if not is_remembered:
        raise _Forgotten
    raise Unavailable(f"it never arrived there, and may not be sent now: {reason}")


def _is_remembered(errand: Errand, given_since: datetime | None, at: datetime) -> bool:
    """Whether the provider still knows the order's key, if it was ever given."""
    memory = errand.way.remembers
    return memory is None or given_since is None or at - given_since <= memory


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
        facts={
            "unknown_from": record.status,
            "given_at": (given_at(record, errand.name) or record.updated_at).isoformat(),
        },
    )
