"""The zone in which an organisation has days besides UTC. Setting it makes a build of such days.

Guarantees:
- one zone is made at a time, however many are asked for at once: so nobody has more than one set
  of days in the making;
- every change of the zone is told in the log, once, with the build that begins it.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.changes.service import tell_next
from landbridge.core.clock import Clock
from landbridge.core.errors import FieldsInvalid, ResourceConflict
from landbridge.core.ids import derived_id
from landbridge.db.pool import Database, Tx
from landbridge.reporting.rollups import build_store
from landbridge.reporting.rollups.folding import Folding
from landbridge.reporting.rollups.model import UTC_ZONE, Build, Zones
from landbridge.reporting.rollups.service import Rollups
from landbridge.web.caller import Caller, check_admin

# What the log calls it. No event has this name.
KIND = "REPORT.ZONE"

# Of the other names (EST, CET) the database knows some as offsets that never change.
_NAME = re.compile(r"[A-Z][A-Za-z]*(/[A-Za-z0-9_+-]+)+", re.ASCII)
_NAME_LENGTH_MAX = 64


@dataclass(frozen=True, slots=True)
class TimeZones:
    """Reads and sets the zones of all organisations."""

    database: Database
    clock: Clock
    rollups: Rollups
    folding: Folding

    async def get(self, org_id: UUID) -> Zones:
        """The zone that reports can be asked in, and the one that is to take its place."""
        builds = await self.rollups.builds(org_id)
        current = next((each.zone for each in builds if each.is_current), UTC_ZONE)
        newest = builds[-1].zone if builds else current
        return Zones(current=current, coming=None if newest == current else newest)

    async def ask(self, caller: Caller, zone: str) -> Zones:
        """`set`, by a caller; raises `RoleNotAllowed`, too."""
        check_admin(caller)
        await self.set(caller.org_id, zone, offset=caller.clock_offset, actor=caller.actor)
        return await self.get(caller.org_id)

    async def set(self, org_id: UUID, zone: str, *, offset: timedelta, actor: str) -> Build:
        """Have days of a zone made (the build is answered); until then reports are as before.

        What is set already is left as it is; `offset` is the organisation's clock's. Raises
        `FieldsInvalid` for a zone that there is not, and `ResourceConflict` while days of another
        one, or all days anew, are being made.
        """
        await self.check(zone)

        async def work(tx: Tx) -> Build | None:
            found = await build_store.lock(tx, org_id)
            if found and found[-1].zone == zone:
                return found[-1]
            if found and not found[-1].is_current:
                raise _unfinished(found[-1].zone)
            at = self.clock.stamp(offset)
            build = await build_store.add(tx, org_id, zone, at, behind=found)
            if build is not None and (found or zone != UTC_ZONE):
                await _tell(tx, org_id, zone, actor=actor, at=at)
            return build

        while (build := await self.database.transact(work)) is None:
            pass  # somebody else was first; the next look sees that one
        return build

    async def check(self, zone: str) -> None:
        """Raise `FieldsInvalid` unless this is the name of a zone, to us and to the database."""
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

    async def rebuild(self, org_id: UUID, *, offset: timedelta) -> Build:
        """Begin to make the roll-ups again, or go on where that was begun before."""
        zones = await self.get(org_id)
        zone = zones.coming or zones.current
        return await self.folding.begin(org_id, zone, offset, is_new=True)


async def _tell(tx: Tx, org_id: UUID, zone: str, *, actor: str, at: datetime) -> None:
    """Only for whoever has added a build: the next one to add sees this one first."""
    await tell_next(
        tx,
        org_id=org_id,
        object_id=derived_id(org_id, KIND),
        kind=KIND,
        what="set",
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
