"""Running what is due: the row is the job.

A record that waits for time has `due_at`; it is read, handed to its flow's step, and moved by the
ledger. A crash in between leaves the row due. Two workers that read the same row race; the ledger
lets one win.

A step that fails leaves its record due. It is passed over for a while that doubles each time, so
that it neither stands in the way of others nor is asked without end.
"""

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger

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


@dataclass(frozen=True, slots=True)
class _Failure:
    pause_s: int
    until_s: float


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
        return len(self._failures)

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> int:
        """One batch, the longest due first; answers how many records were moved."""
        now_s = time.monotonic()
        resting = [each for each, failure in self._failures.items() if failure.until_s > now_s]
        moved, failed = await self._run(offsets, skip=resting)
        for each in moved:
            self._failures.pop(each, None)
        for each in failed:
            before = self._failures.get(each)
            pause_s = _FIRST_PAUSE_S if before is None else min(before.pause_s * 2, _PAUSE_MAX_S)
            self._failures[each] = _Failure(pause_s, now_s + pause_s)
        return len(moved)

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Until nothing is due any more, but for what could not be moved."""
        stuck: set[UUID] = set()
        while True:
            moved, failed = await self._run(offsets, skip=stuck)
            if not moved and not failed:
                return
            stuck.update(failed)

    async def _run(
        self, offsets: Mapping[UUID, timedelta], *, skip: Collection[UUID]
    ) -> tuple[list[UUID], list[UUID]]:
        """The records of one batch that were moved, and those that could not be."""
        clocks = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        records = await self._ledger.due(clocks, limit=BATCH_SIZE, skip=skip)
        went = await asyncio.gather(*(self._step(each, offsets[each.org_id]) for each in records))
        paired = list(zip(records, went, strict=True))
        return (
            [record.id for record, is_well in paired if is_well],
            [record.id for record, is_well in paired if not is_well],
        )

    async def _step(self, record: Transfer, offset: timedelta) -> bool:
        try:
            await self._steps_of(record.kind).run(record, offset)
        except Exception as error:  # noqa: BLE001  one record must not stop the others
            _log.error("due.step_failed", kind=record.kind, id=str(record.id), exc_info=error)
            return False
        return True

    def _steps_of(self, kind: str) -> Steps:
        if kind not in self._steps:
            raise Broken(f"nobody runs the steps of {kind}")
        return self._steps[kind]
