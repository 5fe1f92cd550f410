"""Time zones of pages: the zone in which the organisation counts its days."""

import time
from collections.abc import Callable
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.reporting.rollups.time_zones import TimeZones

_CACHE_S = 30
_CACHE_MAX = 10_000


class PageZones:
    """Cache of organisations' zones; each process refreshes an entry every 30 seconds."""

    def __init__(self, zones: Callable[[], TimeZones]) -> None:
        self._zones = zones
        self._known: dict[UUID, tuple[float, ZoneInfo]] = {}

    async def of(self, org_id: UUID) -> ZoneInfo:
        """Return the zone of an organisation."""
        now_s = time.monotonic()
        found = self._known.get(org_id)
        if found is None or now_s - found[0] > _CACHE_S:
            if len(self._known) >= _CACHE_MAX:
                self._known.clear()
            found = (now_s, ZoneInfo((await self._zones().get(org_id)).current))
            self._known[org_id] = found
        return found[1]
