"""Visibility horizon of the change log: readers see only changes below it.

The horizon is the oldest active writing transaction in any database of the server. A forgotten
transaction stops all events, without an error anywhere.
"""

import time
from dataclasses import dataclass, field

import structlog
from prometheus_client import Gauge

from landbridge.platform.db.pool import Database

_log = structlog.stdlib.get_logger()

HELD_UP_S = Gauge(
    "landbridge_log_held_up_seconds",
    "How long the oldest transaction under way has kept events from being read, at least.",
    multiprocess_mode="mostrecent",
)

# If nothing has committed since the oldest transaction began, nothing is held up.
_OLDEST = """
select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as is_held
from pg_current_snapshot() as s
"""

# No statement of ours takes this long.
DELAY_MAX_S = 30.0
_WARN_EVERY_S = 60.0


@dataclass(slots=True)
class Horizon:
    """Watches the horizon; one in each worker, with a state of its own."""

    database: Database
    _oldest: str = field(default="", init=False)
    _since_s: float = field(default=0.0, init=False)
    _warned_s: float | None = field(default=None, init=False)

    async def measure(self, now_s: float | None = None) -> float:
        """Return for how many seconds the log has been held up; `now_s` is of the monotonic clock.

        Logs a warning, once a minute, if that is longer than any statement of ours takes.
        """
        (row,) = await self.database.rows(_OLDEST)
        now_s = time.monotonic() if now_s is None else now_s
        if not row["is_held"] or row["oldest"] != self._oldest:
            self._oldest, self._since_s = row["oldest"], now_s
        held_s = now_s - self._since_s
        HELD_UP_S.set(held_s)
        was_logged = self._warned_s is not None and now_s - self._warned_s < _WARN_EVERY_S
        if held_s > DELAY_MAX_S and not was_logged:
            self._warned_s = now_s
            _log.warning("events.held_up", delay_s=int(held_s))
        return held_s
