"""Usage of rate limits by all processes.

The table is unlogged: a crash empties it, which is harmless.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.db.pool import Tx

# Adds usage to what is left of earlier usage, up to a whole bucket.
_ADD = """
insert into rate_limit_usage as r (org_id, bucket_id, full_at)
select t.org_id, t.bucket_id, $4::timestamptz + least(t.taken, $5::interval)
from unnest($1::uuid[], $2::uuid[], $3::interval[]) as t (org_id, bucket_id, taken)
order by t.org_id, t.bucket_id
on conflict (org_id, bucket_id) do update
set full_at = least(
    (
        (greatest(r.full_at, $4::timestamptz) at time zone 'UTC')
        + (excluded.full_at - $4::timestamptz)
    ) at time zone 'UTC',
    $6::timestamptz
)
returning r.org_id, r.bucket_id, r.full_at
"""


@dataclass(frozen=True, slots=True)
class BucketUsage:
    """Usage of a key's or organisation's bucket, as the time that it takes to refill."""

    org_id: UUID
    bucket_id: UUID
    time: timedelta


async def add(
    tx: Tx, usages: Sequence[BucketUsage], *, at: datetime, window: timedelta
) -> Sequence[BucketUsage]:
    """Add the usage of this process; return the usage of all processes."""
    rows = await tx.fetch(
        _ADD,
        [each.org_id for each in usages],
        [each.bucket_id for each in usages],
        [each.time for each in usages],
        at,
        window,
        at + window,
    )
    return [BucketUsage(row["org_id"], row["bucket_id"], row["full_at"] - at) for row in rows]
