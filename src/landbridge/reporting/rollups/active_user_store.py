"""Reads which users have records in a range, from the first cell of each that is not zero."""

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.reporting.rollups.model import Interval, RollupMeasure, RollupQuery, Span, parts
from landbridge.reporting.rollups.sum_store import cell_columns, columns, days

# Parameters as in `sum_store`. No cell is negative, and no user's sum is: a user without changes
# behind the watermark has records if any cell is above zero; one with changes, if all cells and
# these changes are. The conditions are a `case`, so that they are probed user by user. Users are
# sorted before that (`offset 0`), so that probing ends at the limit ($12).
_ACTIVE = """
with build as (
    select r.build, r.rolled_up_to
    from report_builds r
    where r.org_id = $1 and r.is_current
), fresh as (
    select t.user_id, sum(t.count) as count
    from report_deltas t
    where t.org_id = $1 and t.family = 'record' and t.measure = 'state'
        and t.user_id = any((select string_to_array($2, ',')::uuid[])::uuid[])
        and t.a = any($3::text[])
        and ($4::text[] is null or t.b = any($4))
        and (
            t.place >= coalesce((select rolled_up_to from build), 0)
                and t.place <= 9223372036854775807
            or t.place is null
        )
        and exists (
            select from unnest($8::timestamptz[], $9::timestamptz[]) as r (since, until)
            where t.occurred_at >= r.since and t.occurred_at < r.until
        )
    group by t.user_id
)
select w.user_id
from (
    select u.user_id, f.count
    from unnest(string_to_array($2, ',')::uuid[]) as u (user_id)
    left join fresh f on f.user_id = u.user_id
    order by u.user_id desc
    offset 0
) w
where case
    when w.count > 0 then true
    when w.count < 0 then w.count + (
        select coalesce(sum(x.count), 0)
        from build
        cross join unnest($5::text[], $6::timestamptz[], $7::timestamptz[])
            as r (granularity, since, until)
        join report_user_rollups x on x.org_id = $1 and x.build = build.build
            and x.user_id = w.user_id and x.granularity = r.granularity
            and x.start >= r.since and x.start < r.until
        where x.kind = any($3) and ($4::text[] is null or x.status = any($4))
    ) > 0
    else exists (
        select
        from unnest($5::text[], $6::timestamptz[], $7::timestamptz[])
            as r (granularity, since, until)
        cross join lateral (
            select
            from report_user_rollups x
            where x.org_id = $1 and x.build = (select build from build) and x.user_id = w.user_id
                and x.granularity = r.granularity and x.start >= r.since and x.start < r.until
                and x.kind collate "default" = any($3)
                and ($4::text[] is null or x.status = any($4)) and x.count > 0
            limit 1
        ) c
    )
end or case when cardinality($10::timestamptz[]) > 0 then exists (
    select
    from unnest($10::timestamptz[], $11::timestamptz[]) as r (since, until)
    cross join unnest($3::text[]) as k (kind)
    cross join lateral (
        select
        from transfers t
        where t.org_id = $1 and t.user_id = w.user_id and t.kind = k.kind
            and t.created_at >= r.since and t.created_at < r.until
            and ($4::text[] is null or t.status = any($4))
        limit 1
    ) s
) end
order by w.user_id desc
limit $12
"""


async def active_users(
    tx: Tx,
    org_id: UUID,
    user_ids: Collection[UUID],
    *,
    kinds: Collection[str],
    statuses: Collection[str] | None,
    span: Span,
    limit: int,
) -> list[UUID]:
    """Return those of the users who have records of these kinds and statuses: the last by id."""
    # Whole months have cells of their own; the periods of the span do not matter here.
    span = replace(span, interval=Interval.YEAR)
    only = {} if statuses is None else {"b": statuses}
    query = RollupQuery(RollupMeasure.STATE, kinds, by=(), only=only, names={})
    found = parts(span, await days(tx, span), has_hours=False)
    rows = await tx.fetch(
        _ACTIVE,
        *(org_id, ",".join(map(str, user_ids)), query.values_of("a"), query.values_of("b")),
        *cell_columns(found),
        *columns(found.folded),
        *columns(found.rest),
        limit,
    )
    return [row["user_id"] for row in rows]
