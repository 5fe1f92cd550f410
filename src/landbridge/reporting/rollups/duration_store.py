"""Reads of durations: roll-ups and the unfolded tail of the log, in one snapshot."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any, cast
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.reporting.rollups.model import FAMILIES, Durations, RollupMeasure, Span, parts
from landbridge.reporting.rollups.sum_store import cell_columns, columns, days

# Like the sums in `sum_store`, but returns cells in packed form, because adding them up in SQL
# would take longer than transferring them. $11 are the values of `a` in the roll-ups and $12 those
# in the log, null for all; $13 says whether they are broken down.
_DURATIONS = """
with build as (
    select r.build, r.rolled_up_to
    from report_builds r
    where r.org_id = $1 and r.is_current
)
select date_trunc($9, d.start at time zone $8)::date as period, d.a, d.durations, d.counts
from unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) as r (granularity, since, until)
cross join lateral (
    select x.start, x.a, x.durations, x.counts
    from report_durations x
    where x.org_id = $1 and x.build = (select build from build) and x.measure = $2
        and x.granularity = r.granularity
        and x.start >= r.since and x.start < r.until
        and ($11::text[] is null or x.a = any($11))
    offset 0
) d
union all
select s.period, s.a, array_agg(s.duration), array_agg(s.count)
from (
    select date_trunc($9, t.occurred_at at time zone $8)::date as period,
        case when $13 then t.a else '' end as a, t.b::bigint as duration,
        sum(t.count)::bigint as count
    from report_deltas t
    where t.org_id = $1 and t.family = $10 and t.measure = $2
        and (
            t.place >= coalesce((select rolled_up_to from build), 0)
                and t.place <= 9223372036854775807
            or t.place is null
        )
        and exists (
            select from unnest($6::timestamptz[], $7::timestamptz[]) as r (since, until)
            where t.occurred_at >= r.since and t.occurred_at < r.until
        )
        and ($12::text[] is null or t.a = any($12))
    group by 1, 2, 3
    having sum(t.count) <> 0
) s
group by s.period, s.a
"""


async def durations(
    tx: Tx, org_id: UUID, measure: RollupMeasure, kinds: Collection[str] | None, span: Span
) -> list[Durations]:
    """Return durations by period and `a`; of these kinds of records, or of all kinds together."""
    is_of_kinds = measure is RollupMeasure.TIME
    are_together = is_of_kinds and kinds is None
    only = list(kinds) if is_of_kinds and kinds is not None else None
    found = parts(span, await days(tx, span), has_hours=False)
    rows = await tx.fetch(
        _DURATIONS,
        *(org_id, measure),
        *cell_columns(found),
        *columns(found.folded),
        *(span.zone, span.interval, FAMILIES[measure]),
        *([""] if are_together else only, only, not are_together),
    )
    return _merged(rows)


def _merged(rows: Sequence[Row]) -> list[Durations]:
    merged: dict[tuple[date, str], dict[int, int]] = {}
    # Access columns by position, which is faster, as there may be tens of thousands of rows.
    for period, a, lengths, counts in cast("Iterable[tuple[Any, ...]]", rows):
        found = dict(zip(lengths, counts, strict=True))
        known = merged.setdefault((period, a), found)
        if known is not found:
            for length, count in found.items():
                known[length] = known.get(length, 0) + count
                # The count is zero if a record is pending in the roll-ups, and ended in the tail.
                if not known[length]:
                    del known[length]
    return [Durations(period, a, counts) for (period, a), counts in merged.items() if counts]
