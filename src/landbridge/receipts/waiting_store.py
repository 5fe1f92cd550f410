"""The statement that finds deposits which wait for too long."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.db.pool import Row, Tx
from landbridge.receipts.model import Status

# What waits is due, or in the queue for people: the two indexes that this reads hold nothing else.
OVERDUE = """
select w.org_id, w.id, w.status, w.updated_at
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select r.org_id, r.id, r.status, r.updated_at
    from receipts r
    where r.org_id = o.org_id and r.due_at is not null
    union all
    select r.org_id, r.id, r.status, r.updated_at
    from receipts r
    where r.org_id = o.org_id and r.due_at is null and r.status = 'UNMATCHED'
) w
join unnest($3::text[], $4::double precision[]) as p (status, within_s) on p.status = w.status
where extract(epoch from o.now - w.updated_at) > p.within_s
order by w.updated_at
limit $5
"""


async def overdue(
    tx: Tx,
    clocks: Mapping[UUID, datetime],
    patience: Mapping[Status, timedelta],
    *,
    limit: int,
) -> Sequence[Row]:
    """Deposits that have been at a status for longer than `patience` says."""
    return await tx.fetch(
        OVERDUE,
        list(clocks),
        list(clocks.values()),
        list(patience),
        [within.total_seconds() for within in patience.values()],
        limit,
    )
