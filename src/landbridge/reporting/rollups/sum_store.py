"""Reads of sums: roll-ups, the unfolded tail of the log, and partial cells, in one snapshot.

Each statement sees one snapshot, so a change is either in the roll-ups or in the tail, never in
both: folding moves `rolled_up_to` in the same transaction.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.reporting.rollups.model import (
    AMOUNTS,
    BY_HOUR,
    FAMILIES,
    UTC_ZONE,
    DayRange,
    Range,
    RollupQuery,
    RollupSum,
    Span,
    SpanParts,
    parts,
    utc_days,
)

# Before any record. The first moment of year 1 can't be used: the driver sends it as -infinity,
# from which a series never ends.
_FIRST = datetime(1, 2, 1, tzinfo=UTC)

# Whole days of a range in another zone than UTC, by the calendar of the database, which also folds:
# their first instants and their midnights, which differ where clocks are set back at or over
# midnight; and the midnights at which whole months start. $1 to $2, in zone $3. Clocks change at
# full quarters of an hour in UTC; dates only move forwards (in 2011 they did so everywhere).
_DAYS = """
select d.first as since, l.first as until,
    d.day::timestamp at time zone $3 as first_midnight,
    l.day::timestamp at time zone $3 as end_midnight,
    (date_trunc('month', d.day - interval '1 day') + interval '1 month') at time zone $3
        as first_month,
    date_trunc('month', l.day::timestamp) at time zone $3 as end_month
from (
    select case when a.first < $1 then a.day + 1 else a.day end as day,
        case when a.first < $1 then n.first else a.first end as first
    from (
        select x.day, (
            select min(s)
            from generate_series(
                x.day::timestamp at time zone $3 - interval '3 hours',
                x.day::timestamp at time zone $3 + interval '3 hours', interval '15 minutes'
            ) as s
            where s at time zone $3 >= x.day
        ) as first
        from (select ($1::timestamptz at time zone $3)::date as day) x
    ) a
    cross join lateral (
        select min(s) as first
        from generate_series(
            (a.day + 1)::timestamp at time zone $3 - interval '3 hours',
            (a.day + 1)::timestamp at time zone $3 + interval '3 hours', interval '15 minutes'
        ) as s
        where s at time zone $3 >= a.day + 1
    ) n
) d
cross join (
    select y.day, (
        select min(s)
        from generate_series(
            y.day::timestamp at time zone $3 - interval '3 hours',
            y.day::timestamp at time zone $3 + interval '3 hours', interval '15 minutes'
        ) as s
        where s at time zone $3 >= y.day
    ) as first
    from (select ($2::timestamptz at time zone $3)::date as day) y
) l
"""

# Cells are those of the frames $3 from $4 to $5 (each), sums of changes from $6 to $7 (each). The
# rest of the range, $8 to $9 (each), is read from the current records, so nothing of the tail is
# subtracted for it. Ranges are looked up one by one (`offset 0`), whatever the planner expects. $12
# is the family of the measure, $13 the record kinds; $14 and $15 the values of `a` and `b` to sum,
# if not all; $16 to $18 whether `a`, `b` and `c` are broken down, $19 to $21 which amounts are
# requested, $22 to $24 the names of some `b`, as lists in texts: the driver takes half a
# microsecond for each element of an array. Amounts that nobody requested are not summed, and
# everything is summed once: both are expensive. Dimensions that are not broken down are null: nulls
# are sorted and compared in a fraction of the time of texts.
# The last place is a hint for the planner, as in the ledger's `house_account_store`.
_SUMS = """
with build as (
    select r.build, r.rolled_up_to
    from report_builds r
    where r.org_id = $1 and r.is_current
), cell as (
    select d.start, case when $16 then d.a end as a,
        case when $17 then coalesce(n.name, d.b) end as b, case when $18 then d.c end as c,
        d.count, d.units, d.other_units, d.usd_cents
    from unnest($3::text[], $4::timestamptz[], $5::timestamptz[]) as r (granularity, since, until)
    cross join lateral (
        select x.start, x.a, x.b, x.c, x.count, x.units, x.other_units, x.usd_cents
        from report_rollups x
        where x.org_id = $1 and x.build = (select build from build) and x.measure = $2
            and x.granularity = r.granularity
            and x.start >= r.since and x.start < r.until
            -- Lists of `b` are short, those of `a` may have every asset.
            and ($15::text[] is null or x.b = any($15)) and ($14::text[] is null or x.a = any($14))
        offset 0
    ) d
    left join unnest(
        string_to_array($22, ','), string_to_array($23, ','), string_to_array($24, ',')
    ) as n (a, b, name)
        on n.a collate "C" = d.a and n.b collate "C" = d.b
), fresh as (
    select t.occurred_at, t.a, t.b, t.c, t.count, t.units, t.other_units, t.usd_cents
    from report_deltas t
    where t.org_id = $1 and t.family = $12 and t.measure = $2
        and (
            t.place >= coalesce((select rolled_up_to from build), 0)
                and t.place <= 9223372036854775807
            or t.place is null
        )
        and exists (
            select from unnest($6::timestamptz[], $7::timestamptz[]) as r (since, until)
            where t.occurred_at >= r.since and t.occurred_at < r.until
        )
        and ($14::text[] is null or t.a = any($14)) and ($15::text[] is null or t.b = any($15))
    union all
    select s.created_at, s.kind, s.status, s.reason, 1, 0, 0, s.usd_cents
    from unnest($8::timestamptz[], $9::timestamptz[]) as r (since, until)
    cross join unnest($13::text[]) as k (kind)
    cross join lateral (
        select x.created_at, x.kind, x.status, x.reason, x.usd_cents
        from report_records x
        where x.org_id = $1 and x.kind = k.kind
            and x.created_at >= r.since and x.created_at < r.until
        offset 0
    ) s
    where $2 = 'state'
        and ($14::text[] is null or s.kind = any($14))
        and ($15::text[] is null or s.status = any($15))
    union all
    select u.occurred_at, '', '', '', 1, 0, 0, 0
    from unnest($8::timestamptz[], $9::timestamptz[]) as r (since, until)
    cross join lateral (
        select x.occurred_at
        from changes x
        where x.org_id = $1 and x.is_settled and x.occurred_at >= r.since
            and x.occurred_at < r.until
            and x.kind = 'USER' and x.change_type = 'create'
        offset 0
    ) u
    where $2 = 'user'
), part as (
    select l.start as occurred_at, l.a, l.b, l.c, l.count, l.units, l.other_units, l.usd_cents
    from cell l
    union all
    select f.occurred_at, case when $16 then f.a end,
        case when $17 then coalesce(n.name, f.b) end, case when $18 then f.c end, f.count,
        f.units, f.other_units, f.usd_cents
    from fresh f
    left join unnest(
        string_to_array($22, ','), string_to_array($23, ','), string_to_array($24, ',')
    ) as n (a, b, name)
        on n.a = f.a and n.b = f.b
)
select date_trunc($11, p.occurred_at at time zone $10)::date as period, null::uuid as user_id,
    p.a, p.b, p.c,
    sum(p.count)::bigint as count, sum(p.units) filter (where $19)::text as units,
    sum(p.other_units) filter (where $20)::text as other_units,
    sum(p.usd_cents) filter (where $21)::text as usd_cents
from part p
group by 1, p.a, p.b, p.c
having sum(p.count) <> 0 or sum(p.units) filter (where $19) <> 0
"""

# Like `_SUMS`, for records of some users, which have no hourly cells. $2 is a list of users, $4 to
# $6 are cells; $12 are the values of `b` to sum, null for all; $14 to $16 say whether users, `a`
# and `b` are broken down, $17 whether dollars are requested. Kinds are compared in another
# collation than that of the index, so that they are a filter: as an index condition, they would
# cost more for each user and cell than they save.
_SUMS_OF_USERS = """
with build as (
    select r.build, r.rolled_up_to
    from report_builds r
    where r.org_id = $1 and r.is_current
), part as (
    select g.start as occurred_at, g.user_id, g.kind, g.status, g.count, g.usd_cents
    from unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) as r (granularity, since, until)
    cross join lateral (
        select x.start, case when $14 then x.user_id end as user_id,
            case when $15 then x.kind end as kind, case when $16 then x.status end as status,
            sum(x.count)::bigint as count, sum(x.usd_cents) filter (where $17) as usd_cents
        from report_user_rollups x
        where x.org_id = $1 and x.build = (select build from build)
            and x.user_id = any((select string_to_array($2, ',')::uuid[])::uuid[])
            and x.granularity = r.granularity and x.start >= r.since and x.start < r.until
            and x.kind collate "default" = any($3::text[])
            and ($12::text[] is null or x.status = any($12))
        group by 1, 2, 3, 4
    ) g
    union all
    select t.occurred_at, t.user_id, t.a, t.b, t.count, t.usd_cents
    from report_deltas t
    where t.org_id = $1 and t.family = 'record' and t.measure = 'state'
        and t.user_id = any((select string_to_array($2, ',')::uuid[])::uuid[])
        and t.a = any($3::text[])
        and ($12::text[] is null or t.b = any($12))
        and (
            t.place >= coalesce((select rolled_up_to from build), 0)
                and t.place <= 9223372036854775807
            or t.place is null
        )
        and exists (
            select from unnest($7::timestamptz[], $8::timestamptz[]) as r (since, until)
            where t.occurred_at >= r.since and t.occurred_at < r.until
        )
    union all
    select s.created_at, s.user_id, s.kind, s.status, 1, s.usd_cents
    from unnest($9::timestamptz[], $10::timestamptz[]) as r (since, until)
    cross join unnest(string_to_array($2, ',')::uuid[]) as w (user_id)
    cross join unnest($3::text[]) as k (kind)
    cross join lateral (
        select x.created_at, x.user_id, x.kind, x.status, x.usd_cents
        from report_records x
        where x.org_id = $1 and x.user_id = w.user_id and x.kind = k.kind
            and x.created_at >= r.since and x.created_at < r.until
        offset 0
    ) s
    where $12::text[] is null or s.status = any($12)
)
select date_trunc($13, p.occurred_at at time zone $11)::date as period,
    case when $14 then p.user_id end as user_id, case when $15 then p.kind end as a,
    case when $16 then p.status end as b, null::text as c, sum(p.count)::bigint as count,
    null::text as units, null::text as other_units,
    sum(p.usd_cents) filter (where $17)::text as usd_cents
from part p
group by 1, 2, 3, 4
having sum(p.count) <> 0
"""


async def days(tx: Tx, span: Span) -> DayRange:
    """Return the whole days of a span; without any, their end may precede their start."""
    if span.zone == UTC_ZONE:
        return utc_days(span)
    after, before = max(span.after, _FIRST), max(span.before, _FIRST)
    row = await tx.fetchrow(_DAYS, after, before, span.zone)
    assert row is not None
    return DayRange(
        whole=(row["since"], row["until"]),
        midnights=(row["first_midnight"], row["end_midnight"]),
        months=(row["first_month"], row["end_month"]),
    )


async def sums(tx: Tx, org_id: UUID, query: RollupQuery, span: Span) -> list[RollupSum]:
    """Return sums by period and the requested breakdowns."""
    found = parts(span, await days(tx, span), has_hours=query.measure in BY_HOUR)
    amounts = AMOUNTS[query.measure] if query.has_amounts else ()
    rows = await tx.fetch(
        _SUMS,
        *(org_id, query.measure),
        *cell_columns(found),
        *columns(found.folded),
        *columns(found.rest),
        *(span.zone, span.interval, FAMILIES[query.measure], list(query.kinds)),
        *(query.values_of("a"), query.values_of("b")),
        *(name in query.by for name in ("a", "b", "c")),
        *(name in amounts for name in ("units", "other_units", "usd_cents")),
        *map(",".join, ([a for a, _ in query.names], [b for _, b in query.names])),
        ",".join(query.names.values()),
    )
    return _sums(rows)


async def sums_of_users(
    tx: Tx, org_id: UUID, user_ids: Collection[UUID | str], query: RollupQuery, span: Span
) -> list[RollupSum]:
    """Return the states of these users' records, by period and the requested breakdowns."""
    found = parts(span, await days(tx, span), has_hours=False)
    rows = await tx.fetch(
        _SUMS_OF_USERS,
        *(org_id, ",".join(map(str, user_ids)), query.values_of("a")),
        *cell_columns(found),
        *columns(found.folded),
        *columns(found.rest),
        *(span.zone, query.values_of("b"), span.interval),
        *(name in query.by for name in ("user", "a", "b")),
        query.has_amounts,
    )
    return _sums(rows)


def columns(ranges: Sequence[Range]) -> tuple[list[datetime], list[datetime]]:
    """Return the starts and the ends of ranges."""
    return [since for since, _ in ranges], [until for _, until in ranges]


def cell_columns(found: SpanParts) -> tuple[list[str], list[datetime], list[datetime]]:
    """Return the frames, starts and ends of cells."""
    return [frame for frame, _ in found.cells], *columns([each for _, each in found.cells])


def _sums(rows: Sequence[Row]) -> list[RollupSum]:
    # Access columns by position, as there may be tens of thousands of rows. Columns that were not
    # requested are null.
    rows_ = cast("Iterable[tuple[Any, ...]]", rows)
    return [
        RollupSum(
            period,
            user_id,
            a or "",
            b or "",
            c or "",
            count,
            int(units or 0),
            int(other or 0),
            int(usd_cents or 0),
        )
        for period, user_id, a, b, c, count, units, other, usd_cents in rows_
    ]
