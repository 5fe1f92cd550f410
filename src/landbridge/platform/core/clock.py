"""Clocks. All code that decides by time reads a `Clock`; nothing else calls `datetime.now`.

Guarantees:
- `stamp` never returns the same instant twice in any process of the installation. Instants have
  microseconds, and each process owns one of a hundred clock nodes (`node`, leased from the
  database): its number is the last two digits. So `updatedAt` distinguishes records, which the
  cursors of lists rely on (docs/concepts/lists.md).
- An organisation of the sandbox has an offset that only grows. Organisation time is real time plus
  that offset, and everything that belongs to an organisation happens in its time.
"""

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from landbridge.platform.core.errors import InvariantBroken, ReadOnlyServer

Key = TypeVar("Key")

NODES = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATABASE_TIME = "select statement_timestamp()"


class ValueQuery(Protocol):
    """Connection that returns single values."""

    async def fetchval(self, sql: str, *args: Any) -> Any:
        """Return the first column of the first row."""
        ...


class Clock:
    """Real time in one process: `stamp` for values that are stored, `now` for comparisons only."""

    def __init__(self, node: int) -> None:
        self._node = node % NODES
        self._last_us = 0

    @property
    def can_stamp(self) -> bool:
        """Return whether this process owns a clock node and can stamp."""
        return True

    def now(self, offset: timedelta = timedelta()) -> datetime:
        """Return the current time of an organisation with this offset."""
        return _EPOCH + timedelta(microseconds=self._real_us()) + offset

    def now_of(self, offsets: Mapping[Key, timedelta]) -> dict[Key, datetime]:
        """Return the current time of each organisation, from its offset (zero for most)."""
        now = self.now()
        return {key: now + offset if offset else now for key, offset in offsets.items()}

    async def in_database(self, tx: ValueQuery) -> datetime:
        """Return the current time of the database, which all processes share."""
        return await tx.fetchval(_DATABASE_TIME)

    def stamp(self, offset: timedelta = timedelta()) -> datetime:
        """Return the current time, different from every other stamp in any process.

        The offset has whole seconds, so it keeps the node's digits. Stamps run ahead of real time
        only when a process stamps more than ten thousand times a second.
        """
        us = self._real_us() // NODES * NODES + self._node
        if us <= self._last_us:
            us = self._last_us + NODES
        self._last_us = us
        return _EPOCH + timedelta(microseconds=us) + offset

    def _real_us(self) -> int:
        return time.time_ns() // 1000


class ReadingClock(Clock):
    """Clock of a process that writes nothing, and so needs no clock node."""

    def __init__(self) -> None:
        super().__init__(node=0)

    @property
    def can_stamp(self) -> bool:
        """Return False: without a clock node there are no stamps."""
        return False

    def stamp(self, offset: timedelta = timedelta()) -> datetime:
        """Raise: this process owns no clock node."""
        raise InvariantBroken(f"nothing is stamped without a clock node, not even at {offset}")


class StandbyClock(Clock):
    """Clock of a process on a standby, which gets its clock node when the standby is promoted."""

    def __init__(self) -> None:
        super().__init__(node=0)
        self._has_node = False

    @property
    def can_stamp(self) -> bool:
        """Return whether the process has got its clock node, which happens on promotion."""
        return self._has_node

    def begin(self, node: int) -> None:
        """Set the clock node; from now on `stamp` works."""
        self._node, self._has_node = node % NODES, True

    def stamp(self, offset: timedelta = timedelta()) -> datetime:
        """Return the next stamp; raises `ReadOnlyServer` while there is no clock node."""
        if not self._has_node:
            raise ReadOnlyServer
        return super().stamp(offset)


class FrozenClock(Clock):
    """Clock that is set explicitly; for tests and seeding."""

    def __init__(self, at: datetime, node: int = 0) -> None:
        super().__init__(node)
        self.at = at

    async def in_database(self, tx: ValueQuery) -> datetime:
        """Return the time that the test has set, instead of the database's time."""
        del tx
        return self.now()

    def _real_us(self) -> int:
        return (self.at - _EPOCH) // timedelta(microseconds=1)
