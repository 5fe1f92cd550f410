"""How much of which bucket all processes have taken. The table is not logged: a crash fills all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.db.pool import Tx

# What is taken adds up, from whatever is left of before; never to more than a whole bucket.
_ADD = """
insert into request_rates as r (org_id, share_id, full_at)
select t.org_id, t.share_id, $4::timestamptz + least(t.taken, $5::interval)
from unnest($1::uuid[], $2::uuid[], $3::interval[]) as t (org_id, share_id, taken)
order by t.org_id, t.share_id
on conflict (org_id, share_id) do update
set full_at = least(
    greatest(r.full_at, $4::timestamptz) + (excluded.full_at - $4::timestamptz),
    $4::timestamptz + $5::interval
)
returning r.org_id, r.share_id, r.full_at
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken of a bucket, of a key or of the organisation itself, in time of its rate."""

    org_id: UUID
    share_id: UUID
    time: timedelta


async def add(
    tx: Tx, taken: Sequence[Taken], *, at: datetime, window: timedelta
) -> Sequence[Taken]:
    """Add what this process has taken; what all of them have."""
    rows = await tx.fetch(
        _ADD,
        [each.org_id for each in taken],
        [each.share_id for each in taken],
        [each.time for each in taken],
        at,
        window,
    )
    return [Taken(row["org_id"], row["share_id"], row["full_at"] - at) for row in rows]
