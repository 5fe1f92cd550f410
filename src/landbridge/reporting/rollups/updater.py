"""Folds the log into the roll-ups.

Guarantees:
- Every change is folded once into each build: its cells and its watermark move in one transaction
  under the lock of the build's row. A worker may be killed at any point, and several may run at
  once.
- No late commit is skipped: it gets a place above the watermark.
- A new build replaces the current one when it has caught up; until then reports read the current
  one.
- No worker waits for a build that another one folds. A step folds some thousands of changes, or one
  batch.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from prometheus_client import Gauge

from landbridge.platform.changes.placing import place_changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.model import (
    HOUR_FRAME,
    UTC_ZONE,
    RollupBuild,
    RollupProgress,
    live,
    month_frame,
)

BEHIND = Gauge(
    "landbridge_reports_behind_changes",
    "Changes that are not in the roll-ups of reports yet, up to ten thousand per organisation.",
    multiprocess_mode="mostrecent",
)
BEHIND_MAX = 10_000

# Changes per step, which takes 0.1 to 0.2 s, so that others wait only briefly for the locks.
FOLDED_AT_ONCE = 5_000
# Steps for one organisation before the next one: for the current build, and for a new one.
_STEPS_MAX, _MAKING_STEPS_MAX = 10, 2
# Cells deleted at once; each takes about ten microseconds.
SWEPT_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class RollupUpdater:
    """Folds for all organisations."""

    database: Database
    clock: Clock

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Fold some pending changes and sweep; returns whether more may be pending."""
        await place_changes(self.database, offsets.keys())
        changed_orgs = await self.database.single(
            lambda tx: build_store.with_new_changes(tx, offsets.keys())
        )
        is_more = False
        for org_id in changed_orgs:
            with logged_failures(
                busy="reports.busy", failed="reports.folding_failed", org_id=str(org_id)
            ):
                is_more |= await self._serve(org_id, offsets[org_id])
        return is_more

    async def begin(
        self, org_id: UUID, zone: str, offset: timedelta, *, is_new: bool
    ) -> RollupBuild:
        """Return the newest build if it has this zone, otherwise add a build and return that.

        With `is_new`, a build is also added if the newest one is current already.
        """

        async def work(tx: Tx) -> RollupBuild | None:
            found = await build_store.lock(tx, org_id)
            if found and found[-1].zone == zone and not (is_new and found[-1].is_current):
                return found[-1]
            at = self.clock.now(offset)
            return await build_store.add(tx, org_id, zone, at, previous=found)

        while (build := await self.database.transact(work)) is None:
            pass  # another caller was first; try again with its build
        return build

    async def step(
        self, org_id: UUID, number: int, *, changes_max: int = FOLDED_AT_ONCE
    ) -> RollupProgress | None:
        """Fold some changes and promote a complete build; None if another worker has it."""

        async def work(tx: Tx) -> RollupProgress | None:
            build = await build_store.take(tx, org_id, number)
            if build is None:
                return None
            since = build.rolled_up_to
            until, placed_to = await build_store.step(tx, org_id, since, changes_max)
            if until > since:
                await build_store.fold(tx, build, until, frames(build))
            count = await build_store.count(tx, org_id, since=since, until=until)
            return RollupProgress(max(until, since), placed_to, count)

        done = await self.database.transact(work)
        if done is not None and done.is_last:
            await self._promote(org_id, number)
        return done

    async def sweep(self, org_id: UUID, *, cells_max: int = SWEPT_AT_ONCE) -> bool:
        """Remove part of outdated or abandoned builds; returns whether more remain."""

        async def work(tx: Tx) -> bool:
            builds = await build_store.builds(tx, org_id)
            live_builds = {each.build for each in live(builds)}
            for each in builds:
                if each.build in live_builds:
                    continue
                if await build_store.take(tx, org_id, each.build) is not None:
                    return await build_store.sweep(tx, org_id, each.build, cells_max)
            return False

        return await self.database.transact(work)

    async def reach(self, org_id: UUID) -> tuple[int, int]:
        """Return the first place of the organisation's log, and its end."""
        await place_changes(self.database, [org_id])
        return await self.database.single(lambda tx: build_store.reach(tx, org_id))

    async def behind(self, org_ids: Iterable[UUID]) -> int:
        """Return how many changes current builds lack, up to 10,000 per organisation."""
        ids = list(org_ids)
        count = await self.database.single(lambda tx: build_store.behind(tx, ids, BEHIND_MAX))
        BEHIND.set(count)
        return count

    async def _serve(self, org_id: UUID, offset: timedelta) -> bool:
        """Fold one organisation's changes; returns whether it has more."""
        found = await self.database.single(lambda tx: build_store.builds(tx, org_id))
        builds = live(found) or [await self.begin(org_id, UTC_ZONE, offset, is_new=False)]
        is_more = await self.sweep(org_id)
        for each in builds:
            is_more |= await self._fold(each)
        return is_more

    async def _fold(self, build: RollupBuild) -> bool:
        for _ in range(_STEPS_MAX if build.is_current else _MAKING_STEPS_MAX):
            done = await self.step(build.org_id, build.build)
            if done is None or done.is_last:
                return False
        return True

    async def _promote(self, org_id: UUID, number: int) -> None:
        """Promote the newest build if it has caught up with the current one."""

        async def work(tx: Tx) -> None:
            builds = await build_store.lock(tx, org_id)
            current = next((each for each in builds if each.is_current), None)
            newest = builds[-1] if builds else None
            if (
                newest is not None
                and newest.build == number
                and not newest.is_current
                and (current is None or newest.rolled_up_to >= current.rolled_up_to)
            ):
                await build_store.promote(tx, org_id, number)

        found = await self.database.single(lambda tx: build_store.builds(tx, org_id))
        if any(each.build == number and not each.is_current for each in found):
            await self.database.transact(work)


def frames(build: RollupBuild) -> list[tuple[str, str, str]]:
    """Return the name, the unit and the zone of each granularity of a build."""
    zones = dict.fromkeys((UTC_ZONE, build.zone))
    return [
        (HOUR_FRAME, "hour", UTC_ZONE),
        *((zone, "day", zone) for zone in zones),
        *((month_frame(zone), "month", zone) for zone in zones),
    ]
