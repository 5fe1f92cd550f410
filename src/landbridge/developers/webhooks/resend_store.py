"""Statements that have events delivered again."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.changes.model import LogPosition
from landbridge.platform.db.pool import Tx

# While this lock is held, no worker writes deliveries here: each locks the row first to check that
# it still holds the lease.
_LOCK = """
select version, read_place, read_object_id, read_seq, round, replay_requested_at
from webhook_endpoints
where org_id = $1 and id = $2 and deleted_at is null
for no key update
"""

_PENDING = """
select count(*)
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
"""

# Each logged change of an endpoint increments its version (store.py).
_COUNT = "update webhook_endpoints set version = $3 where org_id = $1 and id = $2"

# A resent delivery waits behind earlier pending events of its object. Its round stays unchanged, so
# a replay does not count it as done.
_RESEND = """
update webhook_deliveries d
set status = 'PENDING', deadline_at = $5, updated_at = $4,
    due_at = case when (
        select (b.place, b.seq, b.part) < (d.place, d.seq, d.part)
        from webhook_deliveries b
        where b.org_id = $1 and b.endpoint_id = $3 and b.object_id = d.object_id
            and b.status = 'PENDING'
        order by b.place, b.seq, b.part
        limit 1
    ) then null else $4::timestamptz end
where d.org_id = $1 and d.id = $2 and d.endpoint_id = $3
    and (d.status <> 'PENDING' or d.due_at is not null)
"""

# The oldest first, each object one at a time. An event's row is never older than the event.
_RESEND_FAILED = """
update webhook_deliveries d
set status = 'PENDING', deadline_at = $6, updated_at = $5,
    due_at = case when failed.rank > 1 or (
        select (b.place, b.seq, b.part) < (d.place, d.seq, d.part)
        from webhook_deliveries b
        where b.org_id = $1 and b.endpoint_id = $2 and b.object_id = d.object_id
            and b.status = 'PENDING'
        order by b.place, b.seq, b.part
        limit 1
    ) then null else $5::timestamptz end
from (
    select o.org_id, o.id, o.day,
        row_number() over (partition by o.object_id order by o.place, o.seq, o.part) as rank
    from (
        select f.org_id, f.id, f.day, f.object_id, f.place, f.seq, f.part
        from webhook_deliveries f
        where f.org_id = $1 and f.endpoint_id = $2 and f.status <> 'DELIVERED'
            and f.status in ('REFUSED', 'GIVEN_UP') and f.created_at >= $3 and f.event_at >= $3
        order by f.created_at, f.id
        limit $4
    ) o
    where o.org_id = $1
) failed
where d.org_id = failed.org_id and d.id = failed.id and d.day = failed.day and d.org_id = $1
"""

_HAS_FAILED = """
select exists (
    select from webhook_deliveries
    where org_id = $1 and endpoint_id = $2 and status <> 'DELIVERED'
        and status in ('REFUSED', 'GIVEN_UP') and created_at >= $3 and event_at >= $3
)
"""

# A worker whose token is removed writes its outcomes. Until it has, or its lease has expired, no
# other worker starts.
_READ_AGAIN = """
update webhook_endpoints
set read_place = $3, read_object_id = $4, read_seq = $5, round = $6,
    starts_at = least(starts_at, $7), retry_window_starts_at = $8, replay_requested_at = $9,
        leased_by = null
where org_id = $1 and id = $2
"""

_REPLACE = """
update webhook_deliveries
set status = 'REPLACED', due_at = null, updated_at = $6
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
    and (place, object_id, seq) > ($3, $4, $5)
"""

# Deliveries before the cursor are not read again, and so are still pending.
_KEEP = """
update webhook_deliveries
set round = $3
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of an endpoint; `replay_requested_at` is real time, None: never."""

    version: int
    read_to: LogPosition
    round: int
    replay_requested_at: datetime | None


async def lock(tx: Tx, org_id: UUID, endpoint_id: UUID) -> Progress | None:
    """Lock an endpoint for this transaction; None if it does not exist."""
    row = await tx.fetchrow(_LOCK, org_id, endpoint_id)
    if row is None:
        return None
    read_to = LogPosition(row["read_place"], row["read_object_id"], row["read_seq"])
    return Progress(row["version"], read_to, row["round"], row["replay_requested_at"])


async def pending(tx: Tx, org_id: UUID, endpoint_id: UUID) -> int:
    """Return the number of pending deliveries."""
    return await tx.fetchval(_PENDING, org_id, endpoint_id)


async def count(tx: Tx, org_id: UUID, endpoint_id: UUID, version: int) -> None:
    """Count one more change of an endpoint that is locked."""
    await tx.execute(_COUNT, org_id, endpoint_id, version)


async def resend(
    tx: Tx,
    org_id: UUID,
    endpoint_id: UUID,
    delivery_id: UUID,
    *,
    at: datetime,
    deadline_at: datetime,
) -> None:
    """Make a delivery due, or wait for an earlier one; the endpoint is locked."""
    await tx.execute(_RESEND, org_id, delivery_id, endpoint_id, at, deadline_at)


async def resend_failed(
    tx: Tx,
    org_id: UUID,
    endpoint_id: UUID,
    *,
    since: datetime,
    limit: int,
    at: datetime,
    deadline_at: datetime,
) -> int:
    """Make deliveries that failed since then due, up to a limit; return their number."""
    tag = await tx.execute(_RESEND_FAILED, org_id, endpoint_id, since, limit, at, deadline_at)
    return int(tag.rpartition(" ")[2])


async def has_failed(tx: Tx, org_id: UUID, endpoint_id: UUID, *, since: datetime) -> bool:
    """Return whether a delivery of an event since then failed."""
    return await tx.fetchval(_HAS_FAILED, org_id, endpoint_id, since)


async def read_again(
    tx: Tx, org_id: UUID, endpoint_id: UUID, progress: Progress, *, since: datetime, at: datetime
) -> None:
    """Start a new replay round from this progress; the endpoint is locked."""
    position = progress.read_to
    await tx.execute(
        _READ_AGAIN,
        org_id,
        endpoint_id,
        position.place,
        position.object_id,
        position.seq,
        progress.round,
        since,
        at,
        progress.replay_requested_at,
    )
    await tx.execute(
        _REPLACE, org_id, endpoint_id, position.place, position.object_id, position.seq, at
    )
    await tx.execute(_KEEP, org_id, endpoint_id, progress.round)
