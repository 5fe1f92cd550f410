"""Statements on status histories and overdue records."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Row, Tx

VISITS = """
select status_after as status, actor, occurred_at
from changes
where org_id = $1 and object_id = $2 and status_after is not null
order by seq
"""

# Waiting records have a due time or, in review or owed by a user, none: see FIND_PAYING. Both
# indexes hold no other records. A record whose attention mark (payments/engine/attention.py) is for
# its present version needs a person, however short it has waited.
OVERDUE = """
select w.org_id, w.id, w.kind, w.status, w.updated_at, w.due_at, w.attention,
    w.source_asset, w.source_units
from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as o (org_id, now, due_before)
cross join lateral (
    select t.org_id, t.id, t.kind, t.status, t.updated_at, t.due_at, t.source_asset,
        t.source_units,
        case when (t.facts -> 'attention' ->> 'version')::integer = t.version
            then t.facts -> 'attention' ->> 'reason' end as attention
    from transfers t
    where t.org_id = o.org_id and t.due_at is not null
    union all
    select t.org_id, t.id, t.kind, t.status, t.updated_at, t.due_at, t.source_asset,
        t.source_units, null
    from transfers t
    where t.org_id = o.org_id and t.due_at is null and t.status = 'IN_REVIEW'
    union all
    select t.org_id, t.id, t.kind, t.status, t.updated_at, t.due_at, t.source_asset,
        t.source_units, null
    from transfers t
    where t.org_id = o.org_id and t.due_at is null and t.status = 'OPEN'
) w
join unnest($4::text[], $5::text[], $6::double precision[], $7::boolean[], $8::boolean[])
    as p (kind, status, within_s, is_listed, is_listed_with_attention)
    on p.kind = w.kind and p.status = w.status
where (
        w.due_at < o.due_before or extract(epoch from o.now - w.updated_at) > p.within_s
        or w.attention is not null
    )
    and case when w.attention is null then p.is_listed else p.is_listed_with_attention end
    and (w.updated_at, w.id) > ($9, $10)
order by w.updated_at, w.id
limit $11
"""


async def status_history(tx: Tx, org_id: UUID, transfer_id: UUID) -> Sequence[Row]:
    """Return every status that a record reached, oldest first."""
    return await tx.fetch(VISITS, org_id, transfer_id)


async def overdue(
    tx: Tx,
    clocks: Mapping[UUID, datetime],
    time_limits: Sequence[tuple[str, str, timedelta | None, bool, bool]],
    *,
    grace: timedelta,
    after: PagePosition,
    limit: int,
) -> Sequence[Row]:
    """Return overdue records; `time_limits` are the fields of `StatusTimeLimit`."""
    return await tx.fetch(
        OVERDUE,
        list(clocks),
        list(clocks.values()),
        [now - grace for now in clocks.values()],
        [each[0] for each in time_limits],
        [each[1] for each in time_limits],
        [None if each[2] is None else each[2].total_seconds() for each in time_limits],
        [each[3] for each in time_limits],
        [each[4] for each in time_limits],
        after.created_at,
        after.id,
        limit,
    )
