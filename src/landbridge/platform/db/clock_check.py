"""Clock check: no work starts while a machine's clock is ahead of the database's.

Workers delete, expire and give up by their machine's clock, and none of that can be undone.

Guarantees:
- Nothing starts while the clock is more than a minute ahead. A jump is found at the next start: the
  clock is compared with the process's own timer each time, and with the database after a
  difference, and once a minute.
- A slow answer of the database does not make a clock seem ahead.
"""

import asyncio
import time
from datetime import timedelta
from typing import Final

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database

_log = structlog.stdlib.get_logger()

AHEAD_MAX: Final = timedelta(minutes=1)
_CHECK_EVERY_S: Final = 60.0
_DEVIATION_MAX_S: Final = 1.0


class ClockCheck:
    """Comparison of this machine's clock with the database's."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        # The clock when it was last found right, and the process's timer then.
        self._right_at: tuple[float, float] | None = None
        self._logged_at: float | None = None
        # Schedules that start at once ask the database once.
        self._asking = asyncio.Lock()

    async def is_ahead(self) -> bool:
        """Return whether the clock is too far ahead; logs that once a minute."""
        if self._runs_on(self._clock.now().timestamp(), time.monotonic()):
            return False
        async with self._asking:
            return await self._ask()

    async def _ask(self) -> bool:
        now, timer = self._clock.now(), time.monotonic()
        if self._runs_on(now.timestamp(), timer):
            return False
        ahead = now - await self._database.single(self._clock.in_database)
        if ahead <= AHEAD_MAX:
            self._right_at = now.timestamp(), timer
            return False
        self._right_at = None
        if self._logged_at is None or timer - self._logged_at >= _CHECK_EVERY_S:
            self._logged_at = timer
            reason = f"this machine's clock is {ahead} ahead of the database's"
            _log.error("worker.clock_ahead", reason=reason)
        return True

    def _runs_on(self, now_s: float, timer: float) -> bool:
        if self._right_at is None:
            return False
        right_s, right_timer = self._right_at
        passed_s = timer - right_timer
        deviation_s = abs(now_s - right_s - passed_s)
        return passed_s < _CHECK_EVERY_S and deviation_s < _DEVIATION_MAX_S
