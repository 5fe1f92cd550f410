"""In whose time pages tell times: the zone in which the organisation has its days."""

import time
from collections.abc import Callable
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.reporting.rollups.zones import TimeZones

_KEPT_S = 30
_KEPT_MAX = 10_000


class PageZones:
    """Zones of organisations, looked up at most every half minute by each process."""

    def __init__(self, zones: Callable[[], TimeZones]) -> None:
        self._zones = zones
        self._known: dict[UUID, tuple[float, ZoneInfo]] = {}

    async def of(self, org_id: UUID) -> ZoneInfo:
        """The zone of this organisation."""
        now_s = time.monotonic()
        found = self._known.get(org_id)
        if found is None or now_s - found[0] > _KEPT_S:
            if len(self._known) >= _KEPT_MAX:
                self._known.clear()
            found = (now_s, ZoneInfo((await self._zones().get(org_id)).current))
            self._known[org_id] = found
        return found[1]
