"""Running what is due: the row is the job.

A record that waits for time has `due_at`; it is read, handed to its flow's step, and moved by the
ledger. A crash in between leaves the row due. Two workers that read the same row race; the ledger
lets one win.
"""

import asyncio
from collections.abc import Mapping
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


class Steps(Protocol):
    """What a flow does with its due records."""

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take the next step."""
        ...


class Due:
    """Reads due records of all kinds and hands each to its flow."""

    def __init__(self, ledger: Ledger, clock: Clock, steps: Mapping[str, Steps]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._steps = steps

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> int:
        """One batch, the longest due first; answers how many records were due."""
        clocks = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        records = await self._ledger.due(clocks, limit=BATCH_SIZE)
        await asyncio.gather(*(self._step(each, offsets[each.org_id]) for each in records))
        return len(records)

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Until nothing is due any more.

        Raises `Broken` if records stay due after their step: better a loud stop than a loop.
        """
        before: int | None = None
        while records := await self.run_once(offsets):
            if before is not None and records >= before and records < BATCH_SIZE:
                raise Broken(f"{records} records stay due after their step")
            before = records

    async def _step(self, record: Transfer, offset: timedelta) -> None:
        steps = self._steps.get(record.kind)
        if steps is None:
            raise Broken(f"nobody runs the steps of {record.kind}")
        try:
            await steps.run(record, offset)
        except Exception as error:  # noqa: BLE001  one record must not stop the others
            _log.error("due.step_failed", kind=record.kind, id=str(record.id), exc_info=error)
