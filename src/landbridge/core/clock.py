"""Time. All code that decides by time reads a `Clock`; nothing else calls `datetime.now`.

Guarantees:
- `stamp` never answers the same instant twice, in any process of the installation: instants have
  microseconds, and each process owns one lane of a hundred of them (`lane` is handed out by the
  database at start). Records can therefore be told apart by `updatedAt`, which is what the lists'
  cursors rely on (docs/concepts/lists.md).
- an organisation of the sandbox has an offset that only grows; organisation time is real time
  plus that offset, and everything that belongs to an organisation happens in its time.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from landbridge.core.errors import Broken

LANES = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATABASE_TIME = "select statement_timestamp()"


class Asking(Protocol):
    """Whoever asks the database for one value."""

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """The first column of the first row."""
        ...


class Clock:
    """Real time in one process; `stamp` for what is written, `now` for what is only compared."""

    def __init__(self, lane: int) -> None:
        self._lane = lane % LANES
        self._last_us = 0

    def now(self, offset: timedelta = timedelta()) -> datetime:
        """The present moment of an organisation with this offset."""
        return _EPOCH + timedelta(microseconds=self._real_us()) + offset

    async def in_database(self, tx: Asking) -> datetime:
        """The present moment by the database's clock: one for all processes, however theirs go."""
        return await tx.fetchval(_DATABASE_TIME)

    def stamp(self, offset: timedelta = timedelta()) -> datetime:
        """The present moment as no other call in any process answers it.

        The offset has whole seconds, so it keeps the lane. Runs ahead of real time only when
        one process stamps more than ten thousand times a second.
        """
        us = self._real_us() // LANES * LANES + self._lane
        if us <= self._last_us:
            us = self._last_us + LANES
        self._last_us = us
        return _EPOCH + timedelta(microseconds=us) + offset

    def _real_us(self) -> int:
        return time.time_ns() // 1000


class ReadingClock(Clock):
    """The clock of a process that writes nothing, and so needs no lane."""

    def __init__(self) -> None:
        super().__init__(lane=0)

    def stamp(self, offset: timedelta = timedelta()) -> datetime:
        """Refuse: another process owns that lane."""
        raise Broken(f"nothing is stamped without a lane, not even at {offset}")


class FrozenClock(Clock):
    """A clock that moves when it is told to; for tests."""

    def __init__(self, at: datetime, lane: int = 0) -> None:
        super().__init__(lane)
        self.at = at

    async def in_database(self, tx: Asking) -> datetime:
        """The same moment: it is this clock that a test moves."""
        del tx
        return self.now()

    def _real_us(self) -> int:
        return (self.at - _EPOCH) // timedelta(microseconds=1)
