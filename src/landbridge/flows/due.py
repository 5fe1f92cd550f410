"""Running what is due: the row is the job.

A record that waits for time has `due_at`; it is read, handed to its flow's step, and moved by the
ledger. A crash in between leaves the row due. Two workers that read the same row race; the ledger
lets one win.

A step that fails leaves its record due, and so does one whose chain or bank has no answer yet
(`Unavailable`, `Unclear`). It is passed over for a while that doubles each time, so that it neither
stands in the way of others nor is asked without end. What must arrive and was refused
(`StillRefused`) has a due time of its own until it is given again, and counts as failing till then.
"""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Unavailable, Unclear
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.insistence import StillRefused

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 256
_FIRST_PAUSE_S = 1
# A record that nobody mends is tried again every five minutes.
_PAUSE_MAX_S = 300


class Steps(Protocol):
    """What a flow does with its due records."""

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Move the record on, or find that somebody else has; raise if neither is possible."""
        ...


class _Outcome(Enum):
    """How a step went."""

    WELL = auto()
    NOT_YET = auto()
    REFUSED = auto()
    WRONG = auto()


@dataclass(frozen=True, slots=True)
class _Went:
    """How a step went; `pause_s` is how long one that was refused is not due."""

    how: _Outcome
    pause_s: float = 0


@dataclass(frozen=True, slots=True)
class _Failure:
    """Until `until_s` (of the monotonic clock) a record is not tried, or not due."""

    how: _Outcome
    pause_s: float
    until_s: float


_WELL = _Went(_Outcome.WELL)
# What a person may want to know of.
_FAULTS = frozenset({_Outcome.WRONG, _Outcome.REFUSED})


class Due:
    """Reads due records of all kinds and hands each to its flow."""

    def __init__(self, ledger: Ledger, clock: Clock, steps: Mapping[str, Steps]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._steps = steps
        self._failures: dict[UUID, _Failure] = {}

    @property
    def failing(self) -> int:
        """How many records could not be moved when they were last tried."""
        return sum(failure.how in _FAULTS for failure in self._failures.values())

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> int:
        """One batch, the longest due first; answers how many records were moved."""
        now_s = time.monotonic()
        # One that was refused has a later due time; it is no matter of this process when that is.
        resting = [
            each
            for each, failure in self._failures.items()
            if failure.until_s > now_s and failure.how is not _Outcome.REFUSED
        ]
        went = await self._run(offsets, skip=resting)
        before = self._failures
        # What was not read again when its pause was over has been moved by somebody else.
        self._failures = {each: kept for each, kept in before.items() if kept.until_s > now_s}
        for each, step in went.items():
            self._failures.pop(each, None)
            if step.how is not _Outcome.WELL:
                pause_s = _pause_s(step, before.get(each))
                self._failures[each] = _Failure(step.how, pause_s, now_s + pause_s)
        return sum(step.how is _Outcome.WELL for step in went.values())

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Until nothing is due any more, but for what could not be moved."""
        stuck: set[UUID] = set()
        while True:
            went = await self._run(offsets, skip=stuck)
            if not went:
                return
            stuck.update(each for each, step in went.items() if step.how is not _Outcome.WELL)

    async def _run(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> dict[UUID, _Went]:
        """How each record of one batch went."""
        clocks = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        records = await self._ledger.due(clocks, limit=BATCH_SIZE, skip=skip)
        went = await asyncio.gather(*(self._step(each, offsets[each.org_id]) for each in records))
        return {record.id: step for record, step in zip(records, went, strict=True)}

    async def _step(self, record: Transfer, offset: timedelta) -> _Went:
        try:
            await self._steps_of(record.kind).run(record, offset)
        except StillRefused as error:
            told = {"kind": record.kind, "id": str(record.id), "reason": str(error)}
            _log.warning("due.refused", **told, delay_s=int(error.pause.total_seconds()))
            return _Went(_Outcome.REFUSED, error.pause.total_seconds())
        except (Unavailable, Unclear) as error:
            _log.info("due.no_answer", kind=record.kind, id=str(record.id), reason=str(error))
            return _Went(_Outcome.NOT_YET)
        except Exception as error:  # noqa: BLE001  one record must not stop the others
            _log.error("due.step_failed", kind=record.kind, id=str(record.id), exc_info=error)
            return _Went(_Outcome.WRONG)
        return _WELL

    def _steps_of(self, kind: str) -> Steps:
        if kind not in self._steps:
            raise Broken(f"nobody runs the steps of {kind}")
        return self._steps[kind]


def _pause_s(step: _Went, before: _Failure | None) -> float:
    if step.how is _Outcome.REFUSED:
        return step.pause_s
    if before is None or before.how is _Outcome.REFUSED:
        return _FIRST_PAUSE_S
    return min(before.pause_s * 2, _PAUSE_MAX_S)
