"""Statements on the request log."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.developers.request_log.model import LoggedCall, RequestLogFilters
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row

_ADD = """
insert into request_log (
    org_id, id, occurred_at, x_request_id, request_id, method, route, path, query, status,
    duration_us, key_id,
    request_body, response_body, omitted_count
)
select * from unnest(
    $1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::uuid[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::smallint[], $11::integer[], $12::uuid[], $13::text[], $14::text[],
    $15::integer[]
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


async def add(tx: Tx, lines: Sequence[LoggedCall]) -> None:
    """Store entries; existing ones stay unchanged."""
    await tx.execute(
        _ADD,
        [each.org_id for each in lines],
        [each.id for each in lines],
        [each.occurred_at for each in lines],
        [each.x_request_id for each in lines],
        [each.request_id for each in lines],
        [each.method for each in lines],
        [each.route for each in lines],
        [each.path for each in lines],
        [each.query for each in lines],
        [each.status for each in lines],
        [each.duration // timedelta(microseconds=1) for each in lines],
        [each.key_id for each in lines],
        [each.request_body for each in lines],
        [each.response_body for each in lines],
        [each.omitted_count for each in lines],
    )


async def page(
    tx: Tx, org_id: UUID, filters: RequestLogFilters, window: PageWindow, *, scan_max: int
) -> list[LoggedCall]:
    """Return entries within the window, newest first."""
    low, high = filters.statuses or (None, None)
    rows = await tx.fetch(
        _PAGE,
        org_id,
        window.position.created_at,
        window.since,
        scan_max,
        filters.method,
        low,
        high,
        filters.path,
        filters.x_request_id,
        filters.request_id,
        window.limit,
    )
    return [_line(each) for each in rows]


async def end(tx: Tx, org_id: UUID, window: PageWindow, *, scan_max: int) -> datetime | None:
    """Return the last entry that a page scanned, if it reached its scan limit."""
    position = window.position.created_at
    row = await tx.fetchrow(_END, org_id, position, window.since, scan_max)
    return row["occurred_at"] if row is not None and row["count"] == scan_max else None


async def find(tx: Tx, org_id: UUID, x_request_id: str) -> LoggedCall | None:
    """Return the newest entry with this request id."""
    row = await tx.fetchrow(_FIND, org_id, x_request_id)
    return None if row is None else _line(row)


async def sweep(tx: Tx, org_ids: Sequence[UUID], until: datetime, *, limit: int) -> int:
    """Delete at most this many entries older than the time; return their number."""
    tag = await tx.execute(_SWEEP, org_ids, until, limit)
    return int(tag.rpartition(" ")[2])


def _line(row: Row) -> LoggedCall:
    return read_row(row, LoggedCall, duration=timedelta(microseconds=row["duration_us"]))
