"""How long the log of changes has been held up: nothing is read of it beyond its horizon.

The horizon is the oldest transaction under way that writes, in any database of the server: one
that somebody has forgotten stops all events, without an error anywhere.
"""

import time
from dataclasses import dataclass, field

import structlog
from prometheus_client import Gauge

from landbridge.db.pool import Database

_log = structlog.stdlib.get_logger()

HELD_UP_S = Gauge(
    "landbridge_log_held_up_seconds",
    "How long the oldest transaction under way has kept events from being read, at least.",
    multiprocess_mode="mostrecent",
)

# While nothing was committed since the oldest one began, the two are one: nothing is held up.
_OLDEST = """
select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as is_held
from pg_current_snapshot() as s
"""

# No statement of ours takes so long.
PATIENCE_S = 30.0
_WARN_EVERY_S = 60.0


@dataclass(slots=True)
class Horizon:
    """Watches it; one in each worker, which knows what it has seen itself."""

    database: Database
    _oldest: str = field(default="", init=False)
    _since_s: float = field(default=0.0, init=False)
    _warned_s: float | None = field(default=None, init=False)

    async def look(self, now_s: float | None = None) -> float:
        """Since when the log has been held up, in seconds; `now_s` is of the monotonic clock.

        Warns, once a minute, where that is longer than any statement of ours takes.
        """
        (row,) = await self.database.rows(_OLDEST)
        now_s = time.monotonic() if now_s is None else now_s
        if not row["is_held"] or row["oldest"] != self._oldest:
            self._oldest, self._since_s = row["oldest"], now_s
        held_s = now_s - self._since_s
        HELD_UP_S.set(held_s)
        is_told = self._warned_s is not None and now_s - self._warned_s < _WARN_EVERY_S
        if held_s > PATIENCE_S and not is_told:
            self._warned_s = now_s
            _log.warning("events.held_up", delay_s=int(held_s))
        return held_s
