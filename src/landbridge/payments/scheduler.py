"""Scheduler: runs the steps of due records. The row is the job.

A record that waits for a time has `due_at`. The scheduler reads it and calls its flow's step, which
advances it through the ledger. A crash in between leaves the row due. If two workers read the same
row, they race, and the ledger lets one win.

A record whose step fails stays due. So does one whose chain or bank has no answer yet
(`Unavailable`, `Unclear`). It is skipped for a delay that doubles each time, so that it neither
blocks other records nor is retried without pause. A refused order that must arrive
(`RetryExhausted`) has a due time of its own for its next attempt, and counts as failing until then.
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

from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.retry_until_settled import RetryExhausted
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Unavailable, Unclear

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 256
_FIRST_PAUSE_S = 1
# A failing record is retried every five minutes.
_PAUSE_MAX_S = 300


class FlowSteps(Protocol):
    """Steps of a flow's due records."""

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Advance the record, or find that another worker has; raise if neither is possible."""
        ...


class _StepStatus(Enum):
    """Result of a step."""

    SUCCEEDED = auto()
    NO_ANSWER = auto()
    REFUSED = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class _SchedulerStep:
    """Result of a step; `pause_s` is the delay of a refused order."""

    status: _StepStatus
    pause_s: float = 0


@dataclass(frozen=True, slots=True)
class _StepBackoff:
    """Backoff of a record: it is not retried, or not due, before `until_s` (monotonic clock)."""

    status: _StepStatus
    pause_s: float
    until_s: float


_SUCCEEDED = _SchedulerStep(_StepStatus.SUCCEEDED)
# Results that people should see.
_FAULTS = frozenset({_StepStatus.FAILED, _StepStatus.REFUSED})


class Scheduler:
    """Reads due records of all kinds and runs the steps of their flows."""

    def __init__(self, ledger: Ledger, clock: Clock, steps: Mapping[str, FlowSteps]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._steps = steps
        self._failures: dict[UUID, _StepBackoff] = {}

    @property
    def failing(self) -> int:
        """Return how many records could not be advanced at their last attempt."""
        return sum(failure.status in _FAULTS for failure in self._failures.values())

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Run one batch, the longest due of each organisation first; return the advanced count."""
        now_s = time.monotonic()
        # A refused record has a later due time, which does not depend on this process.
        skipped = [
            each
            for each, failure in self._failures.items()
            if failure.until_s > now_s and failure.status is not _StepStatus.REFUSED
        ]
        results = await self._run(offsets, skip=skipped)
        before = self._failures
        # A record that was not due again after its delay was advanced by another worker.
        self._failures = {
            each: backoff for each, backoff in before.items() if backoff.until_s > now_s
        }
        for each, step in results.items():
            self._failures.pop(each, None)
            if step.status is not _StepStatus.SUCCEEDED:
                pause_s = _pause_s(step, before.get(each))
                self._failures[each] = _StepBackoff(step.status, pause_s, now_s + pause_s)
        return sum(step.status is _StepStatus.SUCCEEDED for step in results.values())

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Run until nothing is due any more, except records that could not be advanced."""
        stuck: set[UUID] = set()
        while True:
            results = await self._run(offsets, skip=stuck)
            if not results:
                return
            stuck.update(
                each for each, step in results.items() if step.status is not _StepStatus.SUCCEEDED
            )

    async def _run(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> dict[UUID, _SchedulerStep]:
        """Run one batch; return the result of each record."""
        clocks = self._clock.now_of(offsets)
        records = await self._ledger.due(clocks, limit=BATCH_SIZE, skip=skip)
        results = await asyncio.gather(
            *(self._step(each, offsets[each.org_id]) for each in records)
        )
        return {record.id: step for record, step in zip(records, results, strict=True)}

    async def _step(self, record: Transfer, offset: timedelta) -> _SchedulerStep:
        try:
            await self._steps_of(record.kind).run(record, offset)
        except RetryExhausted as error:
            details = {"kind": record.kind, "id": str(record.id), "reason": str(error)}
            _log.warning("due.refused", **details, delay_s=int(error.pause.total_seconds()))
            return _SchedulerStep(_StepStatus.REFUSED, error.pause.total_seconds())
        except (Unavailable, Unclear) as error:
            _log.info("due.no_answer", kind=record.kind, id=str(record.id), reason=str(error))
            return _SchedulerStep(_StepStatus.NO_ANSWER)
        except Exception as error:  # noqa: BLE001  one record must not stop the others
            _log.error("due.step_failed", kind=record.kind, id=str(record.id), exc_info=error)
            return _SchedulerStep(_StepStatus.FAILED)
        return _SUCCEEDED

    def _steps_of(self, kind: str) -> FlowSteps:
        if kind not in self._steps:
            raise InvariantBroken(f"no flow has steps for {kind}")
        return self._steps[kind]


def _pause_s(step: _SchedulerStep, before: _StepBackoff | None) -> float:
    if step.status is _StepStatus.REFUSED:
        return step.pause_s
    if before is None or before.status is _StepStatus.REFUSED:
        return _FIRST_PAUSE_S
    return min(before.pause_s * 2, _PAUSE_MAX_S)
