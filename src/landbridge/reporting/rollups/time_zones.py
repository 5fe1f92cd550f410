"""Time zone in which an organisation has days besides UTC. Setting it starts a build of those days.

Guarantees:
- Only one zone is built at a time, even after concurrent requests.
- Every change of the zone is recorded in the log once, with the build that it starts.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldsInvalid, ResourceConflict
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.model import UTC_ZONE, RollupBuild, TimeZoneState
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.updater import RollupUpdater

# Kind of changes in the change log, for which no event is sent.
KIND = "REPORT.ZONE"

# Abbreviations (EST, CET) are excluded: the database knows some as fixed offsets.
_NAME = re.compile(r"[A-Z][A-Za-z]*(/[A-Za-z0-9_+-]+)+", re.ASCII)
_NAME_LENGTH_MAX = 64


@dataclass(frozen=True, slots=True)
class TimeZones:
    """Reads and sets the zones of all organisations."""

    database: Database
    clock: Clock
    rollups: Rollups
    folding: RollupUpdater

    async def get(self, org_id: UUID) -> TimeZoneState:
        """Return the zone available to reports, and the one that will replace it."""
        builds = await self.rollups.builds(org_id)
        current = next((each.zone for each in builds if each.is_current), UTC_ZONE)
        newest = builds[-1].zone if builds else current
        return TimeZoneState(current=current, coming=None if newest == current else newest)

    async def set_for(self, caller: Caller, zone: str) -> TimeZoneState:
        """Set the zone for a caller; raises as `set`, and `RoleNotAllowed`."""
        check_admin(caller)
        await self.set(caller.org_id, zone, offset=caller.clock_offset, actor=caller.actor)
        return await self.get(caller.org_id)

    async def set(self, org_id: UUID, zone: str, *, offset: timedelta, actor: str) -> RollupBuild:
        """Start building days of a zone and return the build; reports stay unchanged until then.

        A zone that is already set is left unchanged; `offset` is that of the organisation's clock.
        Raises `FieldsInvalid` for an unknown zone, and `ResourceConflict` while another zone is
        being built or the roll-ups are being rebuilt.
        """
        await self.check(zone)

        async def work(tx: Tx) -> RollupBuild | None:
            found = await build_store.lock(tx, org_id)
            if found and found[-1].zone == zone:
                return found[-1]
            if found and not found[-1].is_current:
                raise _unfinished(found[-1].zone)
            at = self.clock.stamp(offset)
            build = await build_store.add(tx, org_id, zone, at, previous=found)
            if build is not None and (found or zone != UTC_ZONE):
                await _record_change(tx, org_id, zone, actor=actor, at=at)
            return build

        while (build := await self.database.transact(work)) is None:
            pass  # another caller was first; try again with its build
        return build

    async def check(self, zone: str) -> None:
        """Raise `FieldsInvalid` unless both Python and the database know this zone."""
        if zone == UTC_ZONE:
            return
        is_known = len(zone) <= _NAME_LENGTH_MAX and _NAME.fullmatch(zone) and _is_ours(zone)
        now = self.clock.now()
        if not is_known or not await self.database.single(
            lambda tx: build_store.knows_zone(tx, zone, now)
        ):
            raise FieldsInvalid(
                {"timeZone": "timeZone must be UTC or an IANA name such as Europe/Berlin"}
            )

    async def rebuild(self, org_id: UUID, *, offset: timedelta) -> RollupBuild:
        """Start a rebuild of the roll-ups, or continue one."""
        zones = await self.get(org_id)
        zone = zones.coming or zones.current
        return await self.folding.begin(org_id, zone, offset, is_new=True)


async def _record_change(tx: Tx, org_id: UUID, zone: str, *, actor: str, at: datetime) -> None:
    """Record the new zone; call it after adding the build, so that later callers see the build."""
    await append_next_change(
        tx,
        org_id=org_id,
        object_id=derived_id(org_id, KIND),
        kind=KIND,
        change_type="set",
        actor=actor,
        at=at,
        facts={"zone": zone},
    )


def _unfinished(zone: str) -> ResourceConflict:
    return ResourceConflict(
        f"the days of {zone} are being made still; set another zone once they are there",
        field="timeZone",
    )


def _is_ours(zone: str) -> bool:
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return False
    return True
