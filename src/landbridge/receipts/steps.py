"""What the worker does with fiat that arrived.

A new receipt is offered to whoever may know it. What nobody knows waits for a person where that is
asked for (`holds`), and is not looked at here until one has decided. Otherwise it goes back: the
status RETURNING is the claim, the receipt's id the payment's key, so that a worker which dies
anywhere in between has harmed nothing. A bank that refuses to give it back is asked for another
payment, with the next key, after pauses that grow to a day, without end; each refusal is logged.
"""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, Rejected, Unavailable, Unclear
from landbridge.core.tries import key_of_try, pause_after
from landbridge.formats.texts import in_short
from landbridge.rails.port import PaidState, Rails
from landbridge.receipts.model import Receipt, Status
from landbridge.receipts.service import Receipts, payment_back

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 100
_FIRST_PAUSE_S = 1
# One that waits for a review or for a price is looked at every five minutes.
_PAUSE_MAX_S = 300
# A bank that says nothing of when is not asked without end.
_ASKED_AGAIN = timedelta(seconds=5)


class Taker(Protocol):
    """Whoever knows what receipts pay."""

    async def take(self, receipt: Receipt) -> bool:
        """Match a receipt with what it pays, in the transaction that moves that; False: nothing.

        Taken before, it answers as the first time. Raises `Unavailable` or `Busy` while it can't
        be told.
        """
        ...


class _How(Enum):
    """How a step went."""

    WELL = auto()
    NOT_YET = auto()
    REFUSED = auto()  # by the bank, for good: another payment is due later
    WRONG = auto()


# What a person may want to know of.
_FAULTS = frozenset({_How.REFUSED, _How.WRONG})


@dataclass(frozen=True, slots=True)
class _Went:
    """How a step went, and after which pause the next follows, where that is known."""

    how: _How
    pause_s: float = 0


_WELL = _Went(_How.WELL)


@dataclass(frozen=True, slots=True)
class _Pause:
    """Until `until_s` (of the monotonic clock) a receipt is passed over."""

    how: _How
    pause_s: float
    until_s: float


class ReceiptSteps:
    """Moves receipts on."""

    def __init__(
        self, receipts: Receipts, taker: Taker, rails: Rails, clock: Clock, *, holds: bool = False
    ) -> None:
        self._holds = holds
        self._receipts = receipts
        self._taker = taker
        self._rails = rails
        self._clock = clock
        self._pauses: dict[UUID, _Pause] = {}

    @property
    def failing(self) -> int:
        """How many could not be moved, or given back, when that was last tried."""
        return sum(pause.how in _FAULTS for pause in self._pauses.values())

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """One batch, the longest due first; whether there may be more.

        What could not be moved is passed over for a while that doubles each time.
        """
        now_s = time.monotonic()
        # One that was refused has a later due time, by its organisation's clock.
        resting = [
            each
            for each, pause in self._pauses.items()
            if pause.until_s > now_s and pause.how is not _How.REFUSED
        ]
        went = await self._run(offsets, skip=resting)
        before = self._pauses
        # What was not read again when its pause was over has been moved by somebody else.
        self._pauses = {each: kept for each, kept in before.items() if kept.until_s > now_s}
        for each, step in went.items():
            self._pauses.pop(each, None)
            if step.how is not _How.WELL:
                pause_s = step.pause_s or _next_pause_s(before.get(each))
                self._pauses[each] = _Pause(step.how, pause_s, now_s + pause_s)
        return len(went) == BATCH_SIZE

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Until nothing is due any more but what could not be moved; how many steps went well."""
        stuck: set[UUID] = set()
        count = 0
        while went := await self._run(offsets, skip=stuck):
            stuck.update(each for each, step in went.items() if step.how is not _How.WELL)
            count += sum(step.how is _How.WELL for step in went.values())
        return count

    async def _run(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> dict[UUID, _Went]:
        """How each receipt of one batch went."""
        clocks = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        receipts = await self._receipts.due(clocks, skip=skip, limit=BATCH_SIZE)
        alike: dict[object, list[Receipt]] = {}
        for each in receipts:
            alike.setdefault(_likeness(each), []).append(each)
        went: dict[UUID, _Went] = {}

        async def in_turn(group: list[Receipt]) -> None:
            for each in group:
                went[each.id] = await self._step(each, offsets[each.org_id])

        # What may pay the same is looked at as it came: the first pays, the second goes back.
        await asyncio.gather(*map(in_turn, alike.values()))
        return went

    async def _step(self, receipt: Receipt, offset: timedelta) -> _Went:
        """One receipt as far as it goes; a failure concerns it alone, and it stays due."""
        try:
            return await self._settle(receipt, offset)
        except (Busy, Unavailable, Unclear) as error:
            _log.debug("receipt.not_yet", id=str(receipt.id), reason=str(error))
            return _Went(_How.NOT_YET)
        except Exception as error:  # noqa: BLE001  one receipt must not stop the others
            _log.error("receipt.failed", id=str(receipt.id), exc_info=error)
            return _Went(_How.WRONG)

    async def _settle(self, receipt: Receipt, offset: timedelta) -> _Went:
        """Match it, hold it, or begin its way back and see how that stands."""
        returning: Receipt | None = receipt
        if receipt.status is Status.NEW:
            if await self._taker.take(receipt):
                return _WELL
            at = self._clock.stamp(offset)
            if self._holds:
                await self._receipts.hold(receipt, at)
                return _WELL
            returning = await self._receipts.begin_return(receipt, at)
        return _WELL if returning is None else await self._give_back(returning, offset)

    async def _give_back(self, receipt: Receipt, offset: timedelta) -> _Went:
        """Pay it back: done once, however often it is asked."""
        now = self._clock.now(offset)
        payment = payment_back(receipt, key=key_of_try(receipt.id, receipt.return_tries), at=now)
        try:
            paid = await self._rails.pay(payment)
        except Rejected as error:
            return await self._refused(receipt, str(error), now)
        match paid.state:
            case PaidState.SETTLED:
                await self._receipts.end_return(receipt, self._clock.stamp(offset))
            case PaidState.PENDING:
                until = max(paid.expected_at or now, now + _ASKED_AGAIN)
                await self._receipts.postpone(receipt, until)
            case PaidState.FAILED:
                return await self._refused(receipt, paid.reason, now)
        return _WELL

    async def _refused(self, receipt: Receipt, reason: str | None, now: datetime) -> _Went:
        """Refused for good under this key: the next one in a while."""
        tries = receipt.return_tries + 1
        why = None if reason is None else in_short(reason)
        _log.warning("receipt.not_returned", id=str(receipt.id), tries=tries, reason=why)
        await self._receipts.refused(receipt, now + pause_after(tries))
        return _Went(_How.REFUSED, pause_after(tries).total_seconds())


def _likeness(receipt: Receipt) -> object:
    """The same for what may pay the same; what has no reference is like nothing else."""
    if receipt.status is Status.NEW and receipt.reference is not None:
        return receipt.org_id, receipt.account_number, receipt.reference
    return receipt.id


def _next_pause_s(before: _Pause | None) -> float:
    return min(before.pause_s * 2, _PAUSE_MAX_S) if before else _FIRST_PAUSE_S
