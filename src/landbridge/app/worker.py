"""The worker: runs each schedule at its interval, sooner if woken, less often while idle.

None is run while the machine's clock is ahead of the database's (platform/db/clock_check.py).
"""

import asyncio
import time
from dataclasses import dataclass

from landbridge.app.connected_schedules import chain_schedules, provider_schedules
from landbridge.app.container import Container
from landbridge.app.worker_schedules import DUE, SCHEDULES, ClockOffsets, WorkerSchedule
from landbridge.platform.core.errors import Busy
from landbridge.platform.core.event_wait import wait_for_any, wait_for_event
from landbridge.platform.db.clock_check import ClockCheck
from landbridge.platform.db.distribution import Nodes
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.write_watch import WriteWatch
from landbridge.platform.orgs.clock_offsets import ClockOffsetCache
from landbridge.platform.orgs.queues import restrict_to_queues


async def work(
    container: Container, stop: asyncio.Event, wakeup: asyncio.Event | None = None
) -> None:
    """Run every schedule until `stop`; jobs in progress are finished first.

    `wakeup` is set when something has become due, so that it need not wait for the next tick.
    """
    wakeup = wakeup or asyncio.Event()
    watch = WriteWatch(container.database)
    offsets = _WorkerOffsets(container, watch)
    await asyncio.gather(
        _set_at(stop, wakeup),
        watch.run(stop),
        *(
            _Repetition(each, container, offsets, watch, wakeup if each is DUE else None).run(stop)
            for each in (
                *SCHEDULES,
                *chain_schedules(container),
                *provider_schedules(container),
            )
            if not (each.needs_one_server and container.database.is_distributed)
        ),
    )


async def _set_at(stop: asyncio.Event, wakeup: asyncio.Event) -> None:
    await stop.wait()
    wakeup.set()


class _WorkerOffsets:
    """Clock offsets for the schedules, looked up again once anything was written."""

    def __init__(self, container: Container, watch: WriteWatch) -> None:
        self._database = container.database
        self._share = container.worker_share
        self._cache = ClockOffsetCache(container.database)
        self._watch = watch
        self._reading = asyncio.Lock()
        self._read_at: int | None = None
        self._offsets: ClockOffsets = {}
        self.nodes = Nodes(container.database)
        self.clock_check = ClockCheck(container.database, container.clock)

    async def read(self, *, is_woken: bool) -> ClockOffsets:
        """Return them; who was woken by a notification may be ahead of the watch."""
        async with self._reading:
            version = self._watch.version
            if is_woken or self._read_at != version:
                self._offsets = await self._cache.read()
                self._read_at = version
            return self._offsets

    async def read_for(self, schedule: WorkerSchedule, *, is_woken: bool) -> ClockOffsets:
        """Return those of the organisations that this schedule has to look at."""
        offsets = await self.read(is_woken=is_woken)
        if schedule.is_divided:
            part = self._share.next_part(schedule.name)
            if part.count > 1:
                offsets = {org_id: each for org_id, each in offsets.items() if part.has(org_id)}
        if not schedule.queues:
            return offsets
        return await restrict_to_queues(self._database, schedule.queues, offsets)


@dataclass(slots=True)
class _Repetition:
    schedule: WorkerSchedule
    container: Container
    offsets: _WorkerOffsets
    watch: WriteWatch
    wakeup: asyncio.Event | None

    async def run(self, stop: asyncio.Event) -> None:
        wakeup = self.wakeup or stop
        while not stop.is_set():
            is_woken = wakeup is not stop and wakeup.is_set()
            if is_woken:
                # Before the work: what becomes due during it wakes this schedule once more.
                wakeup.clear()
            seen = self.watch.version
            if not await self._run_once(is_woken=is_woken):
                await self._wait(wakeup, seen)

    async def _wait(self, wakeup: asyncio.Event, seen: int) -> None:
        every_s, idle_s = self.schedule.every_s, self.schedule.idle_s
        # Schedules of one interval run together: waking the process often costs more than the work.
        await wait_for_event(wakeup, every_s - time.monotonic() % every_s)
        if idle_s is not None and self.watch.version == seen:
            await wait_for_any((wakeup, self.watch.changed), idle_s - every_s)

    async def _run_once(self, *, is_woken: bool) -> bool:
        with logged_failures(
            busy="worker.busy", failed="worker.failed", schedule=self.schedule.name
        ):
            if await self.offsets.clock_check.is_ahead():
                if self.schedule.pause is not None:
                    await self.schedule.pause(self.container)
                return False
            if self.container.database.is_distributed and self.schedule.is_by_organisation:
                return await self._run_shards(is_woken=is_woken)
            offsets = await self.offsets.read_for(self.schedule, is_woken=is_woken)
            return bool(await self.schedule.run(self.container, offsets))
        return False

    async def _run_shards(self, *, is_woken: bool) -> bool:
        """Run the job for the organisations of each shard; those of a dead node wait."""
        offsets = await self.offsets.read(is_woken=is_woken)
        has_more = False
        for shard in await self.offsets.nodes.split(offsets):
            if self.offsets.nodes.is_avoided(shard):
                continue
            with logged_failures(
                busy="worker.busy", failed="worker.failed", schedule=self.schedule.name
            ):
                try:
                    part = {each: offsets[each] for each in shard.org_ids}
                    has_more |= bool(await self.schedule.run(self.container, part))
                except Busy:
                    self.offsets.nodes.avoid(shard)
                    raise
        return has_more
