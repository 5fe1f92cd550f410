"""Request log: the latest requests of each organisation, for its developers.

Entries are written each second: a killed process loses the last second, one that shuts down loses
nothing. The log is a convenience: entries that the database does not accept are dropped, which the
process log reports. No request fails or waits because of it.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from uuid import UUID

import structlog

from landbridge.developers.request_log.middleware import (
    BufferBounds,
    OrganisationBuffer,
    RequestLogMiddleware,
)
from landbridge.developers.request_log.model import (
    CapturedRequest,
    LoggedCall,
    RequestLogFilters,
    RequestLogPage,
)
from landbridge.developers.request_log.redaction import redact, redact_unparsed
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy, ResourceNotFound
from landbridge.platform.core.event_wait import wait_for_event
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.organisation_groups import batches
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import column_arrays, read_row

_ADD = """
insert into request_log (
    org_id, id, occurred_at, x_request_id, request_id, method, route, path, query, status,
    duration_us, key_id, request_body, response_body, omitted_count
)
select * from unnest(
    $1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::uuid[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::smallint[], $11::integer[], $12::uuid[], $13::text[], $14::text[],
    $15::integer[]
) as n (
    org_id, id, occurred_at, x_request_id, request_id, method, route, path, query, status,
    duration_us, key_id, request_body, response_body, omitted_count
)
on conflict (org_id, id) do nothing
"""

# Scans a bounded number of the newest entries, so that a search without matches ends.
_PAGE = """
select l.org_id, l.id, l.occurred_at, l.x_request_id, l.request_id, l.method, l.route, l.path,
    l.query,
    l.status, l.duration_us, l.key_id, l.request_body, l.response_body, l.omitted_count
from (
    select org_id, id, occurred_at, x_request_id, request_id, method, route, path, query, status,
        duration_us,
        key_id, request_body, response_body, omitted_count
    from request_log
    where org_id = $1 and occurred_at < $2 and occurred_at >= $3
    order by occurred_at desc
    limit $4
) l
where l.org_id = $1
    and ($5::text is null or l.method = $5)
    and ($6::integer is null or l.status between $6 and $7)
    and ($8::text is null or left(l.path, length($8)) = $8)
    and ($9::text is null or l.x_request_id = $9)
    and ($10::uuid is null or l.request_id = $10)
order by l.occurred_at desc
limit $11
"""

# The position where such a search stopped, if more entries follow.
_END = """
select min(l.occurred_at) as occurred_at, count(*) as count
from (
    select occurred_at
    from request_log
    where org_id = $1 and occurred_at < $2 and occurred_at >= $3
    order by occurred_at desc
    limit $4
) l
"""

_FIND = """
select org_id, id, occurred_at, x_request_id, request_id, method, route, path, query, status,
    duration_us,
    key_id, request_body, response_body, omitted_count
from request_log
where org_id = $1 and x_request_id = $2
order by occurred_at desc
limit 1
"""

_SWEEP = """
delete from request_log l
using (
    select r.org_id, r.id
    from unnest($1::uuid[]) as o (org_id)
    cross join lateral (
        select d.org_id, d.id
        from request_log d
        where d.org_id = o.org_id and d.occurred_at < $2
        order by d.occurred_at
        limit $3
    ) r
    limit $3
) old
where l.org_id = old.org_id and l.id = old.id
"""

_log = structlog.stdlib.get_logger()

_FLUSH_EVERY_S = 1.0
# Rows of one transaction.
_ROWS_MAX = 100
# Bodies redacted before other tasks may run: a few tenths of a millisecond each.
_BODIES_AT_ONCE = 4
# Newest entries that one page of a search scans.
SCAN_MAX = 10_000
SWEEP_MAX = 1_000
UNKNOWN = "there is no such request in the log"


class RequestLog:
    """Log of requests and responses; `retention` is the retention time, zero disables the log."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        retention: timedelta,
        bounds: BufferBounds = BufferBounds(),  # noqa: B008  frozen
        scan_max: int = SCAN_MAX,
    ) -> None:
        self._database = database
        self._clock = clock
        self._retention = retention
        self._scan_max = scan_max
        self._flushing = asyncio.Lock()
        self.listener = RequestLogMiddleware(clock, bounds)

    @property
    def is_on(self) -> bool:
        """Return whether requests are logged."""
        return bool(self._retention)

    async def page(
        self, org_id: UUID, filters: RequestLogFilters, window: PageWindow
    ) -> RequestLogPage:
        """Return entries, newest first. A search that scans very many may end a page early."""
        bounds = (window.position.created_at, window.since, self._scan_max)
        rows = await self._database.read_on_replica(
            lambda tx: tx.fetch(
                _PAGE,
                org_id,
                *bounds,
                filters.method,
                *(filters.statuses or (None, None)),
                filters.path,
                filters.x_request_id,
                filters.request_id,
                window.limit,
            )
        )
        lines = [_stored(row) for row in rows]
        if len(lines) == window.limit:
            return RequestLogPage(lines, lines[-1].occurred_at)
        row = await self._database.read_on_replica(lambda tx: tx.fetchrow(_END, org_id, *bounds))
        if row is None or row["count"] < self._scan_max:
            return RequestLogPage(lines, None)
        return RequestLogPage(lines, row["occurred_at"])

    async def get(self, org_id: UUID, x_request_id: str) -> LoggedCall:
        """Return the newest entry with this request id; raises `ResourceNotFound`."""
        row = await self._database.single(lambda tx: tx.fetchrow(_FIND, org_id, x_request_id))
        if row is None:
            raise ResourceNotFound(UNKNOWN)
        return _stored(row)

    async def flush(self) -> None:
        """Write the captured entries; those that cannot be written are dropped.

        Waits for a flush in progress, so entries taken by another call are written too.
        """
        async with self._flushing:
            await self._write(self.listener.take())

    async def _write(self, captured: Mapping[UUID, OrganisationBuffer]) -> None:
        lines: list[LoggedCall] = []
        for share in captured.values():
            retention = [line async for line in _redacted(share.lines)]
            if retention:
                retention[-1] = replace(retention[-1], omitted_count=share.omitted_count)
            lines += retention
        for batch in batches(self._database, lines, attrgetter("org_id")):
            try:
                for part in _parts(batch):
                    await self._database.single(lambda tx, part=part: _add(tx, part))
            except Busy as error:
                _log.warning("request_log.left_out", count=len(batch), reason=str(error))

    @asynccontextmanager
    async def flushing(self, *, every_s: float = _FLUSH_EVERY_S) -> AsyncGenerator[None]:
        """Flush periodically, and once more at the end."""
        stop = asyncio.Event()

        async def flush() -> None:
            while not stop.is_set():
                await wait_for_event(stop, every_s)
                try:
                    await self.flush()
                except Exception as error:  # noqa: BLE001  one failure must not end the rest
                    _log.error("request_log.failed", exc_info=error)

        task = asyncio.create_task(flush())
        try:
            yield
        finally:
            # Shielded from cancellation, which would lose the entries just taken.
            stop.set()
            await task
            await self.flush()

    async def sweep(self, org_ids: Collection[UUID], *, limit: int = SWEEP_MAX) -> bool:
        """Delete entries past their retention; return whether there may be more."""
        until = self._clock.now() - self._retention
        tag = await self._database.single(
            lambda tx: tx.execute(_SWEEP, list(org_ids), until, limit)
        )
        return int(tag.rpartition(" ")[2]) == limit


async def _redacted(lines: Sequence[CapturedRequest]) -> AsyncGenerator[LoggedCall]:
    """Return the redacted entries, a few at a time."""
    for index, captured in enumerate(lines):
        if index % _BODIES_AT_ONCE == 0:
            await asyncio.sleep(0)
        yield _line(captured)


def _line(captured: CapturedRequest) -> LoggedCall:
    try:
        retention = redact(captured)
    except Exception as error:  # noqa: BLE001  one request must not hide those of others
        _log.error("request_log.unread", route=captured.route, exc_info=error)
        retention = redact_unparsed(captured)
    return copy_fields(
        captured,
        LoggedCall,
        id=new_id(),
        request_id=UUID(retention.request_id) if retention.request_id else None,
        path=retention.path,
        query=retention.query,
        request_body=retention.request_body,
        response_body=retention.response_body,
        omitted_count=0,
    )


def _parts(lines: Sequence[LoggedCall]) -> Iterator[Sequence[LoggedCall]]:
    for start in range(0, len(lines), _ROWS_MAX):
        yield lines[start : start + _ROWS_MAX]


async def _add(tx: Tx, lines: Sequence[LoggedCall]) -> None:
    """Store entries; existing ones stay unchanged."""
    durations = [each.duration // timedelta(microseconds=1) for each in lines]
    await tx.execute(_ADD, *column_arrays(_ADD, lines, duration_us=durations))


def _stored(row: Row) -> LoggedCall:
    return read_row(row, LoggedCall, duration=timedelta(microseconds=row["duration_us"]))
