"""Keeps the roll-ups up with the log.

Guarantees:
- every change is folded once into each build: its cells and its watermark move in one transaction
  under the lock of the build's row, so a worker may be killed anywhere, and many may work at once;
- no late commit is skipped: the watermark stays below the oldest transaction that still runs;
- a new build takes the place of the current one when it is as far; until then, and in the moment
  itself, reports are those of the current one;
- nobody waits for a build that somebody else folds; a step has some thousands of changes, or as
  many as one transaction has made.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog
from prometheus_client import Gauge

from landbridge.core.clock import Clock
from landbridge.core.errors import Busy
from landbridge.db.pool import Database, Tx
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.model import (
    HOUR_FRAME,
    UTC_ZONE,
    Build,
    Step,
    live,
    month_frame,
)

_log = structlog.stdlib.get_logger()

BEHIND = Gauge(
    "landbridge_reports_behind_changes",
    "Changes that are not in the roll-ups of reports yet, up to ten thousand per organisation.",
    multiprocess_mode="mostrecent",
)
BEHIND_MAX = 10_000

# So many changes at once: a tenth of a second or two, and nobody waits for the locks.
FOLDED_AT_ONCE = 5_000
# After this many steps the next organisation has its turn; a build in the making has fewer.
_STEPS_MAX, _MAKING_STEPS_MAX = 10, 2
# Deleting a cell takes some ten microseconds.
SWEPT_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Folding:
    """Folds for all organisations."""

    database: Database
    clock: Clock

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Fold some more of whatever waits, and sweep; whether there may be more."""
        news = await self.database.single(lambda tx: build_store.with_news(tx, offsets.keys()))
        is_more = False
        for org_id in news:
            try:
                is_more |= await self._serve(org_id, offsets[org_id])
            except Busy as error:
                _log.warning("reports.busy", org_id=str(org_id), reason=str(error))
            except Exception as error:  # noqa: BLE001  one organisation must not stop the others
                _log.error("reports.folding_failed", org_id=str(org_id), exc_info=error)
        return is_more

    async def begin(self, org_id: UUID, zone: str, offset: timedelta, *, is_new: bool) -> Build:
        """The build of this zone that is made, or was: a new one unless the newest will do.

        With `is_new`, one that is current already will not do.
        """

        async def work(tx: Tx) -> Build | None:
            found = await build_store.lock(tx, org_id)
            if found and found[-1].zone == zone and not (is_new and found[-1].is_current):
                return found[-1]
            at = self.clock.now(offset)
            return await build_store.add(tx, org_id, zone, at, behind=found)

        while (build := await self.database.transact(work)) is None:
            pass  # somebody else was first; the next look sees that one
        return build

    async def step(
        self, org_id: UUID, number: int, *, changes_max: int = FOLDED_AT_ONCE
    ) -> Step | None:
        """Fold some changes into a build, and let it take its place; None if another does."""

        async def work(tx: Tx) -> Step | None:
            build = await build_store.take(tx, org_id, number)
            if build is None:
                return None
            since = build.folded_to
            until, settled_to = await build_store.step(tx, org_id, since, changes_max)
            if until > since:
                await build_store.fold(tx, build, until, _frames(build))
            count = await build_store.count(tx, org_id, since=since, until=until)
            return Step(max(until, since), settled_to, count)

        done = await self.database.transact(work)
        if done is not None and done.is_last:
            await self._promote(org_id, number)
        return done

    async def sweep(self, org_id: UUID, *, cells_max: int = SWEPT_AT_ONCE) -> bool:
        """Remove some of what was before the current build, or never became it; whether more is."""

        async def work(tx: Tx) -> bool:
            builds = await build_store.builds(tx, org_id)
            kept = {each.build for each in live(builds)}
            for each in builds:
                if each.build in kept:
                    continue
                if await build_store.take(tx, org_id, each.build) is not None:
                    return await build_store.sweep(tx, org_id, each.build, cells_max)
            return False

        return await self.database.transact(work)

    async def reach(self, org_id: UUID) -> tuple[int, int]:
        """From which transaction to which the organisation's log goes, as far as it is settled."""
        return await self.database.single(lambda tx: build_store.reach(tx, org_id))

    async def behind(self, org_ids: Iterable[UUID]) -> int:
        """How many changes the current builds don't have yet, up to 10,000 per organisation."""
        wanted = list(org_ids)
        count = await self.database.single(lambda tx: build_store.behind(tx, wanted, BEHIND_MAX))
        BEHIND.set(count)
        return count

    async def _serve(self, org_id: UUID, offset: timedelta) -> bool:
        """An organisation's turn; whether it has more."""
        found = await self.database.single(lambda tx: build_store.builds(tx, org_id))
        builds = live(found) or [await self.begin(org_id, UTC_ZONE, offset, is_new=False)]
        is_more = await self.sweep(org_id)
        for each in builds:
            is_more |= await self._fold(each)
        return is_more

    async def _fold(self, build: Build) -> bool:
        for _ in range(_STEPS_MAX if build.is_current else _MAKING_STEPS_MAX):
            done = await self.step(build.org_id, build.build)
            if done is None or done.is_last:
                return False
        return True

    async def _promote(self, org_id: UUID, number: int) -> None:
        """Let the newest build take the place of the current one, if it is as far."""

        async def work(tx: Tx) -> None:
            builds = await build_store.lock(tx, org_id)
            current = next((each for each in builds if each.is_current), None)
            newest = builds[-1] if builds else None
            if (
                newest is not None
                and newest.build == number
                and not newest.is_current
                and (current is None or newest.folded_to >= current.folded_to)
            ):
                await build_store.promote(tx, org_id, number)

        found = await self.database.single(lambda tx: build_store.builds(tx, org_id))
        if any(each.build == number and not each.is_current for each in found):
            await self.database.transact(work)


def _frames(build: Build) -> list[tuple[str, str, str]]:
    zones = dict.fromkeys((UTC_ZONE, build.zone))
    return [
        (HOUR_FRAME, "hour", UTC_ZONE),
        *((zone, "day", zone) for zone in zones),
        *((month_frame(zone), "month", zone) for zone in zones),
    ]
