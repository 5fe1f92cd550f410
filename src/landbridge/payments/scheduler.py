"""Scheduler: runs the steps of due records. There is no job queue: a record's row is the job.

A record that waits for a time has `due_at`. The scheduler reads due records and calls their flow's
step, which advances them through the ledger. After a crash in between, the row is still due. If two
workers read the same row, the ledger lets only one advance it. To make that rare, each worker reads
its own share of the records (`platform/db/worker_shares.py`).

If a step fails, or its chain or bank has no answer yet (`Unavailable`, `Unclear`), the record stays
due. It is skipped for a delay that doubles each time, so that it neither blocks other records nor
is retried without pause. A refused order that must arrive (`RetryExhausted`) sets the due time of
its next attempt, and its record counts as failing until then.

A step that takes long, for example because a provider does not answer, runs on during the next
batches. It delays only its own record.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
from landbridge.platform.db.worker_shares import WorkerShare

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 256
# Records read beyond the worker's share: few, because other workers are processing most of them.
_BEYOND_SHARE_SIZE = 16
_FIRST_PAUSE_S = 1
# Longest delay, in seconds, before a failing record is retried.
_PAUSE_MAX_S = 300
# Seconds for which a batch waits for its steps.
_BATCH_S = 1.0
# Maximum of steps that run on during the next batches. If it is reached in all, no batch is
# started; if it is reached by one organisation, its records are left out.
_LATE_MAX = 1_024
_LATE_EACH = 512


class FlowSteps(Protocol):
    """Runs the steps of due records of one flow."""

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Advance the record, or return if another worker has; raise if it can't be advanced."""
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
    """Backoff of a record, which is skipped before `until_s` of the monotonic clock."""

    status: _StepStatus
    pause_s: float
    until_s: float


_SUCCEEDED = _SchedulerStep(_StepStatus.SUCCEEDED)
# Results that count as failures for operators.
_FAULTS = frozenset({_StepStatus.FAILED, _StepStatus.REFUSED})


class Scheduler:
    """Reads due records of all kinds and runs the steps of their flows."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        steps: Mapping[str, FlowSteps],
        share: WorkerShare | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._steps = steps
        self._share = share or WorkerShare()
        self._failures: dict[UUID, _StepBackoff] = {}
        # Steps of earlier batches that are still running, by record, and their organisations.
        self._late: dict[UUID, asyncio.Task[_SchedulerStep]] = {}
        self._late_orgs: dict[UUID, UUID] = {}

    @property
    def failing(self) -> int:
        """Return how many records could not be advanced at their last attempt."""
        return sum(failure.status in _FAULTS for failure in self._failures.values())

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Run one batch, the longest due of each organisation first.

        Return how many records were advanced, by steps of this and of earlier batches.
        """
        count = self._end_late()
        if len(self._late) >= _LATE_MAX:
            await asyncio.wait(
                self._late.values(), timeout=_BATCH_S, return_when=asyncio.FIRST_COMPLETED
            )
            return count
        now_s = time.monotonic()
        # A refused record has a later due time, which does not depend on this process.
        skipped = [
            each
            for each, failure in self._failures.items()
            if failure.until_s > now_s and failure.status is not _StepStatus.REFUSED
        ]
        counts = Counter(self._late_orgs.values())
        takers = {each: offset for each, offset in offsets.items() if counts[each] < _LATE_EACH}
        records = await self._due_here(takers, skip=[*skipped, *self._late])
        tasks = {
            each.id: asyncio.create_task(self._step(each, offsets[each.org_id])) for each in records
        }
        await _wait_for(tasks.values())
        # A record that is not due after its delay was advanced by another worker.
        self._failures = {
            each: backoff
            for each, backoff in self._failures.items()
            if backoff.until_s > now_s or each in tasks or each in self._late
        }
        self._late |= tasks
        self._late_orgs |= {each.id: each.org_id for each in records}
        return count + self._end_late(now_s)

    async def close(self) -> None:
        """Wait for the steps that are still running."""
        if self._late:
            await asyncio.wait(self._late.values())
            self._end_late()

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Run until nothing is due any more, except records that could not be advanced."""
        stuck: set[UUID] = set()
        while True:
            results = await self._run(offsets, skip=[*stuck, *self._late])
            if not results:
                return
            stuck.update(
                each for each, step in results.items() if step.status is not _StepStatus.SUCCEEDED
            )

    async def _run(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> dict[UUID, _SchedulerStep]:
        """Run one batch to its end; return the result of each record."""
        records = await self._due(offsets, skip=skip)
        results = await asyncio.gather(
            *(self._step(each, offsets[each.org_id]) for each in records)
        )
        return {record.id: step for record, step in zip(records, results, strict=True)}

    async def _due(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> Sequence[Transfer]:
        clocks = self._clock.now_of(offsets)
        return await self._ledger.due(clocks, limit=BATCH_SIZE, skip=skip)

    async def _due_here(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> Sequence[Transfer]:
        """Return due records of this worker's share and, at intervals, a few of all records."""
        clocks, part = self._clock.now_of(offsets), self._share.next_part("due")
        limit = BATCH_SIZE if part == self._share.part else _BEYOND_SHARE_SIZE
        return await self._ledger.due(clocks, limit=limit, skip=skip, part=part)

    def _end_late(self, since_s: float | None = None) -> int:
        """Take the results of steps of earlier batches that have ended; count advanced records.

        The backoff of the others begins at `since_s`, now by default.
        """
        ended = {each: task for each, task in self._late.items() if task.done()}
        count = 0
        for each, task in ended.items():
            del self._late[each], self._late_orgs[each]
            step, before = task.result(), self._failures.pop(each, None)
            if step.status is _StepStatus.SUCCEEDED:
                count += 1
                continue
            pause_s = _pause_s(step, before)
            until_s = (time.monotonic() if since_s is None else since_s) + pause_s
            self._failures[each] = _StepBackoff(step.status, pause_s, until_s)
        return count

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


async def _wait_for(tasks: Collection[asyncio.Task[_SchedulerStep]]) -> None:
    """Wait at most `_BATCH_S` for the steps of a batch; if the wait is cancelled, cancel them."""
    if not tasks:
        return
    try:
        await asyncio.wait(tasks, timeout=_BATCH_S)
    except asyncio.CancelledError:
        for each in tasks:
            each.cancel()
        raise


def _pause_s(step: _SchedulerStep, before: _StepBackoff | None) -> float:
    if step.status is _StepStatus.REFUSED:
        return step.pause_s
    if before is None or before.status is _StepStatus.REFUSED:
        return _FIRST_PAUSE_S
    return min(before.pause_s * 2, _PAUSE_MAX_S)
