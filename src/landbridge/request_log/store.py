"""Every statement on the log of requests."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.core.pages import Window
from landbridge.db.pool import Row, Tx
from landbridge.request_log.model import Filters, Line

_ADD = """
insert into request_log (
    org_id, id, at, x_request_id, request_id, method, route, path, query, status, took_us, key_id,
    request_body, answer_body, left_out
)
select * from unnest(
    $1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::uuid[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::smallint[], $11::integer[], $12::uuid[], $13::text[], $14::text[],
    $15::integer[]
)
on conflict (org_id, id) do nothing
"""

# Looks at no more than so many of the newest lines, so that a search for what is not there ends.
_PAGE = """
select l.org_id, l.id, l.at, l.x_request_id, l.request_id, l.method, l.route, l.path, l.query,
    l.status, l.took_us, l.key_id, l.request_body, l.answer_body, l.left_out
from (
    select org_id, id, at, x_request_id, request_id, method, route, path, query, status, took_us,
        key_id, request_body, answer_body, left_out
    from request_log
    where org_id = $1 and at < $2 and at >= $3
    order by at desc
    limit $4
) l
where l.org_id = $1
    and ($5::text is null or l.method = $5)
    and ($6::integer is null or l.status between $6 and $7)
    and ($8::text is null or left(l.path, length($8)) = $8)
    and ($9::text is null or l.x_request_id = $9)
    and ($10::uuid is null or l.request_id = $10)
order by l.at desc
limit $11
"""

# Where such a search ended, if there is more behind it.
_END = """
select min(l.at) as at, count(*) as count
from (
    select at
    from request_log
    where org_id = $1 and at < $2 and at >= $3
    order by at desc
    limit $4
) l
"""

_FIND = """
select org_id, id, at, x_request_id, request_id, method, route, path, query, status, took_us,
    key_id, request_body, answer_body, left_out
from request_log
where org_id = $1 and x_request_id = $2
order by at desc
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
        where d.org_id = o.org_id and d.at < $2
        order by d.at
        limit $3
    ) r
    limit $3
) old
where l.org_id = old.org_id and l.id = old.id
"""


async def add(tx: Tx, lines: Sequence[Line]) -> None:
    """Keep lines; those that are there already stay as they are."""
    await tx.execute(
        _ADD,
        [each.org_id for each in lines],
        [each.id for each in lines],
        [each.at for each in lines],
        [each.x_request_id for each in lines],
        [each.request_id for each in lines],
        [each.method for each in lines],
        [each.route for each in lines],
        [each.path for each in lines],
        [each.query for each in lines],
        [each.status for each in lines],
        [each.took // timedelta(microseconds=1) for each in lines],
        [each.key_id for each in lines],
        [each.request_body for each in lines],
        [each.answer_body for each in lines],
        [each.left_out for each in lines],
    )


async def page(
    tx: Tx, org_id: UUID, filters: Filters, window: Window, *, looked_at_max: int
) -> list[Line]:
    """Lines within the window, newest first."""
    low, high = filters.statuses or (None, None)
    rows = await tx.fetch(
        _PAGE,
        *(org_id, window.position.created_at, window.since, looked_at_max),
        *(filters.method, low, high, filters.path, filters.x_request_id, filters.request_id),
        window.limit,
    )
    return [_line(each) for each in rows]


async def end(tx: Tx, org_id: UUID, window: Window, *, looked_at_max: int) -> datetime | None:
    """The last line that a page looked at, if it looked at as many as it may."""
    position = window.position.created_at
    row = await tx.fetchrow(_END, org_id, position, window.since, looked_at_max)
    return row["at"] if row is not None and row["count"] == looked_at_max else None


async def find(tx: Tx, org_id: UUID, x_request_id: str) -> Line | None:
    """The newest line of this request id."""
    row = await tx.fetchrow(_FIND, org_id, x_request_id)
    return None if row is None else _line(row)


async def sweep(tx: Tx, org_ids: Sequence[UUID], until: datetime, *, limit: int) -> int:
    """Remove at most so many lines from before then; how many these were."""
    tag = await tx.execute(_SWEEP, org_ids, until, limit)
    return int(tag.rpartition(" ")[2])


def _line(row: Row) -> Line:
    return Line(
        org_id=row["org_id"],
        id=row["id"],
        at=row["at"],
        x_request_id=row["x_request_id"],
        request_id=row["request_id"],
        method=row["method"],
        route=row["route"],
        path=row["path"],
        query=row["query"],
        status=row["status"],
        took=timedelta(microseconds=row["took_us"]),
        key_id=row["key_id"],
        request_body=row["request_body"],
        answer_body=row["answer_body"],
        left_out=row["left_out"],
    )
