"""Statements on the counts of deliveries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from landbridge.db.pool import Row, Tx

_ADD = """
insert into report_deliveries (org_id, frame, start, endpoint_id, outcome, took_ms, count)
select $1, n.frame, n.start, $2, n.outcome, n.took_ms, n.count
from unnest($3::text[], $4::timestamptz[], $5::text[], $6::integer[], $7::bigint[])
    as n (frame, start, outcome, took_ms, count)
on conflict (org_id, frame, start, endpoint_id, outcome, took_ms) do update
set count = report_deliveries.count + excluded.count
"""

# Each range is summed before it is told to which period it adds and from which it takes. Ranges are
# looked up one by one, whatever is thought of how many there are.
_SUMS = """
with part as (
    select r.gains, r.loses, d.endpoint_id, d.outcome, d.took_ms, d.count
    from unnest($2::text[], $3::timestamptz[], $4::timestamptz[], $5::date[], $6::date[])
        as r (frame, since, until, gains, loses)
    cross join lateral (
        select case when $8 then x.endpoint_id end as endpoint_id, x.outcome, x.took_ms,
            sum(x.count)::bigint as count
        from report_deliveries x
        where x.org_id = $1 and x.frame = r.frame
            and x.start >= r.since and x.start < r.until
            and ($7::uuid[] is null or x.endpoint_id = any($7))
        group by 1, x.outcome, x.took_ms
    ) d
)
select s.period, p.endpoint_id, p.outcome, p.took_ms, sum(s.sign * p.count)::bigint as count
from part p
cross join lateral (values (p.gains, 1), (p.loses, -1)) as s (period, sign)
where s.period is not null
group by s.period, p.endpoint_id, p.outcome, p.took_ms
having sum(s.sign * p.count) <> 0
"""


class CellRange(NamedTuple):
    """Cells of a frame from `since` to before `until`.

    They are added to the period `gains`, and taken from `loses`.
    """

    frame: str
    since: datetime
    until: datetime
    gains: date | None
    loses: date | None


class Cell(NamedTuple):
    """Where something is counted; `start` is of the frame, `took_ms` rounded."""

    frame: str
    start: datetime
    outcome: str
    took_ms: int


async def add(tx: Tx, org_id: UUID, endpoint_id: UUID, cells: Mapping[Cell, int]) -> None:
    """Add to what was counted."""
    await tx.execute(
        _ADD,
        *(org_id, endpoint_id),
        [each.frame for each in cells],
        [each.start for each in cells],
        [each.outcome for each in cells],
        [each.took_ms for each in cells],
        list(cells.values()),
    )


async def sums(
    tx: Tx,
    org_id: UUID,
    ranges: Sequence[CellRange],
    endpoint_ids: Collection[UUID] | None,
    *,
    by_endpoint: bool,
) -> list[Row]:
    """Rows of period, endpoint (null unless told apart), outcome, took_ms and count."""
    return await tx.fetch(
        _SUMS,
        org_id,
        [each.frame for each in ranges],
        [each.since for each in ranges],
        [each.until for each in ranges],
        [each.gains for each in ranges],
        [each.loses for each in ranges],
        None if endpoint_ids is None else list(endpoint_ids),
        by_endpoint,
    )
