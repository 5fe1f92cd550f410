"""SQL statement that finds overdue deposits."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.payments.incoming_payments.model import IncomingPaymentStatus
from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Row, Tx

# A waiting payment is due, or in the review queue: both partial indexes hold nothing else.
OVERDUE = """
select w.org_id, w.id, w.status, w.updated_at, w.asset, w.units
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select r.org_id, r.id, r.status, r.updated_at, r.asset, r.units
    from incoming_payments r
    where r.org_id = o.org_id and r.due_at is not null
    union all
    select r.org_id, r.id, r.status, r.updated_at, r.asset, r.units
    from incoming_payments r
    where r.org_id = o.org_id and r.due_at is null and r.status = 'UNMATCHED'
) w
join unnest($3::text[], $4::double precision[]) as p (status, within_s) on p.status = w.status
where extract(epoch from o.now - w.updated_at) > p.within_s
    and (w.updated_at, w.id) > ($5, $6)
order by w.updated_at, w.id
limit $7
"""


async def overdue(
    tx: Tx,
    clocks: Mapping[UUID, datetime],
    sla: Mapping[IncomingPaymentStatus, timedelta],
    *,
    after: PagePosition,
    limit: int,
) -> Sequence[Row]:
    """List deposits behind `after` that exceed the time per status in `sla`."""
    return await tx.fetch(
        OVERDUE,
        list(clocks),
        list(clocks.values()),
        list(sla),
        [within.total_seconds() for within in sla.values()],
        after.created_at,
        after.id,
        limit,
    )
