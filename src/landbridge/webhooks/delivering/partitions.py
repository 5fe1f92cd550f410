"""Days of deliveries: made before they are needed, dropped when they were kept long enough.

Guarantees:
- no statement on deliveries waits for either: a day is attached and detached under locks that
  readers and writers do not ask for, and only a table that is nobody's part any more is dropped;
- any number of workers may keep days at once, and any may be killed at it: a day is made whole or
  not at all, and one that was half dropped is dropped by whoever comes next;
- nothing that is kept is dropped: a day goes two days after the last moment at which anything of it
  is shown or tried.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import asyncpg
import structlog

from landbridge.core.clock import Clock
from landbridge.db.pool import Database, Tx

_log = structlog.stdlib.get_logger()

# Today, and so many days after it: a worker that did not run for a day finds one nevertheless.
DAYS_AHEAD = 2
# Beyond what is kept: a row that is looked for just before it goes, and clocks that differ.
_MARGIN_DAYS = 2
_TABLE = "webhook_deliveries"

# Tables of days, also such as are no part any more: their worker was killed before it dropped them.
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

# Somebody else was first: the table is there, is a part, is none any more, or is gone.
_FIRST = (
    asyncpg.DuplicateTableError,
    # Of the row type that each table has.
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
    """Days are real ones, in UTC; `kept` is for how long deliveries can be looked at."""

    database: Database
    clock: Clock
    kept: timedelta
    # Days that are known to be there, so that a courier may ask before each batch.
    _made: set[date] = field(default_factory=set[date], init=False)

    async def keep(self) -> None:
        """Make today and the next two days, if they are not there; drop what is too old."""
        self._made.clear()
        await self.make()
        await self.drop()
        # Last, since whoever attaches may have to wait for another who detaches.
        await self._make_until(DAYS_AHEAD)

    async def make(self) -> None:
        """Make today, if it is not there; free once it is."""
        await self._make_until(0)

    async def _make_until(self, ahead: int) -> None:
        today = self.clock.now().astimezone(UTC).date()
        wanted = [today + timedelta(days=each) for each in range(ahead + 1)]
        if self._made.issuperset(wanted):
            return
        there = {each.day for each in await self._days() if each.is_part}
        for day in wanted:
            if day not in there:
                await self._make(day)
        self._made = {*wanted, *(each for each in self._made if each > today)}

    async def drop(self) -> None:
        """Drop every day that nothing is kept of any more."""
        until = self.clock.now().astimezone(UTC) - self.kept - timedelta(days=_MARGIN_DAYS)
        for each in await self._days():
            if each.day < until.date():
                await self._drop(each)

    async def _make(self, day: date) -> None:
        name, until = _name(day), day + timedelta(days=1)

        async def work(tx: Tx) -> None:
            await tx.execute(f"create table {name} (like {_TABLE} including all)")
            # `create table ... partition of` would wait for, and stop, everything that goes on.
            await tx.execute(
                f"alter table {_TABLE} attach partition {name} for values from ('{day}') to ('{until}')"  # noqa: E501  one statement
            )

        try:
            await self.database.transact(work)
        except _FIRST:
            _log.info("webhook_days.made_elsewhere", day=str(day))

    async def _drop(self, each: "_Day") -> None:
        name = _name(each.day)
        # One that is leaving waits for whoever drops it now, or was killed at it.
        how = "finalize" if each.is_leaving else "concurrently"
        try:
            if each.is_part:
                # No transaction: it waits for those that use the table, and locks nobody out.
                await self.database.single(
                    lambda tx: tx.execute(f"alter table {_TABLE} detach partition {name} {how}")
                )
            await self.database.single(lambda tx: tx.execute(f"drop table if exists {name}"))
        except _FIRST:
            _log.info("webhook_days.dropped_elsewhere", day=str(each.day))
        else:
            _log.info("webhook_days.dropped", day=str(each.day))

    async def _days(self) -> "list[_Day]":
        return [
            _Day(_day(row["name"]), is_part=row["is_part"], is_leaving=row["is_leaving"])
            for row in await self.database.rows(_DAYS)
        ]


@dataclass(frozen=True, slots=True)
class _Day:
    day: date
    is_part: bool
    is_leaving: bool


def _name(day: date) -> str:
    """Digits and a constant, so nothing in it needs quoting."""
    return f"{_TABLE}_{day:%Y%m%d}"


def _day(name: str) -> date:
    return datetime.strptime(name[-8:], "%Y%m%d").replace(tzinfo=UTC).date()
