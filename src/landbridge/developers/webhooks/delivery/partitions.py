"""Daily partitions of deliveries: created ahead of time, dropped after their retention.

Guarantees:
- No statement on deliveries waits for either: partitions are attached and detached under locks that
  readers and writers do not take, and only a detached table is dropped.
- Any number of workers may maintain partitions concurrently, and any may be killed. A partition is
  created completely or not at all; a half-dropped one is dropped by the next worker.
- Retained data is never dropped: a partition is dropped two days after its rows were last shown or
  retried.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import asyncpg
import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx

_log = structlog.stdlib.get_logger()

# Days created ahead, besides today: enough for a day without any worker.
DAYS_AHEAD = 2
# Margin beyond the retention: late reads of a row, and clocks that differ.
_MARGIN_DAYS = 2
_TABLE = "webhook_deliveries"

# Daily tables, including detached ones whose worker was killed before dropping them.
_DAYS = """
select c.relname::text as name, c.relispartition as is_part,
    coalesce((
        select i.inhdetachpending from pg_inherits i where i.inhrelid = c.oid
    ), false) as is_leaving
from pg_class c
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    and c.relname ~ '^webhook_deliveries_[0-9]{8}$'
order by c.relname
"""

# Another worker was faster: the table exists, is attached, is detached or is dropped.
_CONCURRENT_CHANGE = (
    asyncpg.DuplicateTableError,
    # Raised for the row type of an existing table.
    asyncpg.DuplicateObjectError,
    asyncpg.UniqueViolationError,
    asyncpg.InvalidObjectDefinitionError,
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedObjectError,
    asyncpg.WrongObjectTypeError,
    asyncpg.ObjectNotInPrerequisiteStateError,
)


@dataclass(slots=True, kw_only=True)
class Partitions:
    """Days are real ones, in UTC; `retention` is how long deliveries are stored."""

    database: Database
    clock: Clock
    retention: timedelta
    # Days known to exist, so that a worker can check before each batch.
    _existing: set[date] = field(default_factory=set[date], init=False)

    async def maintain(self) -> None:
        """Create missing partitions for today and the next two days; drop those too old."""
        self._existing.clear()
        await self.create()
        await self.drop()
        # Last, since attaching may have to wait for a concurrent detach.
        await self._create_until(DAYS_AHEAD)

    async def create(self) -> None:
        """Create today's partition if it is missing; free once it exists."""
        await self._create_until(0)

    async def _create_until(self, ahead: int) -> None:
        today = self.clock.now().astimezone(UTC).date()
        required = [today + timedelta(days=each) for each in range(ahead + 1)]
        if self._existing.issuperset(required):
            return
        existing = {each.day for each in await self._days() if each.is_attached}
        for day in required:
            if day not in existing:
                await self._create(day)
        self._existing = {*required, *(each for each in self._existing if each > today)}

    async def drop(self) -> None:
        """Drop every partition past its retention."""
        until = self.clock.now().astimezone(UTC) - self.retention - timedelta(days=_MARGIN_DAYS)
        for each in await self._days():
            if each.day < until.date():
                await self._drop(each)

    async def _create(self, day: date) -> None:
        name, until = _name(day), day + timedelta(days=1)

        async def work(tx: Tx) -> None:
            await tx.execute(f"create table {name} (like {_TABLE} including all)")
            # `create table ... partition of` would wait for, and block, all running statements.
            await tx.execute(
                f"alter table {_TABLE} attach partition {name} for values from ('{day}') to ('{until}')"  # noqa: E501  one statement
            )

        try:
            await self.database.transact(work)
        except _CONCURRENT_CHANGE:
            _log.info("webhook_days.made_elsewhere", day=str(day))

    async def _drop(self, each: "_DayPartition") -> None:
        name = _name(each.day)
        # A partition being detached belongs to another worker, or to one that was killed.
        mode = "finalize" if each.is_detaching else "concurrently"
        try:
            if each.is_attached:
                # Outside a transaction: it waits for users of the table and blocks none.
                await self.database.single(
                    lambda tx: tx.execute(f"alter table {_TABLE} detach partition {name} {mode}")
                )
            await self.database.single(lambda tx: tx.execute(f"drop table if exists {name}"))
        except _CONCURRENT_CHANGE:
            _log.info("webhook_days.dropped_elsewhere", day=str(each.day))
        else:
            _log.info("webhook_days.dropped", day=str(each.day))

    async def _days(self) -> "list[_DayPartition]":
        return [
            _DayPartition(
                _day(row["name"]), is_attached=row["is_part"], is_detaching=row["is_leaving"]
            )
            for row in await self.database.rows(_DAYS)
        ]


@dataclass(frozen=True, slots=True)
class _DayPartition:
    day: date
    is_attached: bool
    is_detaching: bool


def _name(day: date) -> str:
    """Return a table name of digits and a constant, which needs no quoting."""
    return f"{_TABLE}_{day:%Y%m%d}"


def _day(name: str) -> date:
    return datetime.strptime(name[-8:], "%Y%m%d").replace(tzinfo=UTC).date()
