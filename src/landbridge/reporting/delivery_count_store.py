"""Statements on the counts of deliveries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_ADD = """
insert into report_delivery_counts (org_id, granularity, start, endpoint_id, outcome, duration_ms,
    count)
select $1, n.granularity, n.start, $2, n.outcome, n.duration_ms, n.count
from unnest($3::text[], $4::timestamptz[], $5::text[], $6::integer[], $7::bigint[])
    as n (granularity, start, outcome, duration_ms, count)
on conflict (org_id, granularity, start, endpoint_id, outcome, duration_ms) do update
set count = report_delivery_counts.count + excluded.count
"""

# Each range is summed before the result is assigned to the periods that gain and lose it. Ranges
# are looked up one by one, whatever row count the planner expects.
_SUMS = """
with part as (
    select r.gains, r.loses, d.endpoint_id, d.outcome, d.duration_ms, d.count
    from unnest($2::text[], $3::timestamptz[], $4::timestamptz[], $5::date[], $6::date[])
        as r (granularity, since, until, gains, loses)
    cross join lateral (
        select case when $8 then x.endpoint_id end as endpoint_id, x.outcome, x.duration_ms,
            sum(x.count)::bigint as count
        from report_delivery_counts x
        where x.org_id = $1 and x.granularity = r.granularity
            and x.start >= r.since and x.start < r.until
            and ($7::uuid[] is null or x.endpoint_id = any($7))
        group by 1, x.outcome, x.duration_ms
    ) d
)
select s.period, p.endpoint_id, p.outcome, p.duration_ms, sum(s.sign * p.count)::bigint as count
from part p
cross join lateral (values (p.gains, 1), (p.loses, -1)) as s (period, sign)
where s.period is not null
group by s.period, p.endpoint_id, p.outcome, p.duration_ms
having sum(s.sign * p.count) <> 0
"""


class DeliveryCountRange(NamedTuple):
    """Counter cells of one granularity, from `since` (inclusive) to `until` (exclusive).

    They are added to the report period `gains` and subtracted from the period `loses`.
    """

    granularity: str
    since: datetime
    until: datetime
    gains: date | None
    loses: date | None


class DeliveryCountRow(NamedTuple):
    """Counter cell; `start` is truncated to the granularity, `duration_ms` is rounded."""

    granularity: str
    start: datetime
    outcome: str
    duration_ms: int


async def add(
    tx: Tx, org_id: UUID, endpoint_id: UUID, cells: Mapping[DeliveryCountRow, int]
) -> None:
    """Add counts to the cells."""
    await tx.execute(
        _ADD,
        org_id,
        endpoint_id,
        [each.granularity for each in cells],
        [each.start for each in cells],
        [each.outcome for each in cells],
        [each.duration_ms for each in cells],
        list(cells.values()),
    )


async def sums(
    tx: Tx,
    org_id: UUID,
    ranges: Sequence[DeliveryCountRange],
    endpoint_ids: Collection[UUID] | None,
    *,
    by_endpoint: bool,
) -> list[Row]:
    """Return rows of period, endpoint (null unless broken down), outcome, duration_ms and count."""
    return await tx.fetch(
        _SUMS,
        org_id,
        [each.granularity for each in ranges],
        [each.since for each in ranges],
        [each.until for each in ranges],
        [each.gains for each in ranges],
        [each.loses for each in ranges],
        None if endpoint_ids is None else list(endpoint_ids),
        by_endpoint,
    )
