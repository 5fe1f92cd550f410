"""Leases of endpoints: each belongs to one worker, by a token of its own, and expires.

The expiry is real time; the token alone decides who holds the lease.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.developers.webhooks.model import WebhookStatus
from landbridge.platform.changes.model import LogPosition
from landbridge.platform.db.pool import Row, Tx

# Endpoints with unread log entries whose lease is free or ours. The inner ordering makes each
# lookup use the index of that order, however few rows there were when it was planned.
_WITH_UNREAD_EVENTS = """
select e.org_id, e.id
from unnest($1::uuid[]) as o (org_id)
cross join lateral (
    select w.org_id, w.id, w.read_place, w.read_object_id, w.read_seq
    from webhook_endpoints w
    where w.org_id = o.org_id and w.status = 'ACTIVE' and w.deleted_at is null
        and (w.leased_until is null or w.leased_until <= $2 or w.leased_by = any($3::uuid[]))
    order by w.id
) e
cross join lateral (
    select b.place
    from change_batches b
    where b.org_id = e.org_id and b.place >= e.read_place
        and (
            b.place > e.read_place or (
                select true
                from changes c
                where c.org_id = b.org_id and c.batch = b.number
                    and (c.object_id, c.seq) > (e.read_object_id, e.read_seq)
                limit 1
            )
        )
    order by b.place
    limit 1
) unread
"""

_WITH_DUE = """
select e.org_id, e.id
from unnest($1::uuid[], $4::timestamptz[]) as o (org_id, now)
cross join lateral (
    select w.org_id, w.id
    from webhook_endpoints w
    where w.org_id = o.org_id and w.status = 'ACTIVE' and w.deleted_at is null
        and (w.leased_until is null or w.leased_until <= $2 or w.leased_by = any($3::uuid[]))
    order by w.id
) e
cross join lateral (
    select d.due_at
    from webhook_deliveries d
    where d.org_id = e.org_id and d.endpoint_id = e.id and d.status = 'PENDING'
        and d.due_at is not null
    order by d.due_at
    limit 1
) first
where first.due_at <= o.now
"""

# Locked endpoints are skipped: another worker is taking their lease. Run again after an
# unacknowledged commit, it finds its own token.
_ACQUIRE = """
update webhook_endpoints e
set leased_by = $3, leased_until = $4
from (
    select w.org_id, w.id
    from webhook_endpoints w
    where w.org_id = $1 and w.id = $2 and w.status = 'ACTIVE' and w.deleted_at is null
        and (w.leased_until is null or w.leased_until <= $5 or w.leased_by = $3)
    for no key update skip locked
) free
where e.org_id = $1 and e.org_id = free.org_id and e.id = free.id
returning e.id
"""

# Keeps a read cursor that was set elsewhere since the lease was taken: the version has changed.
_RENEW = """
update webhook_endpoints
set leased_until = $5,
    read_place = case when version = $6 then $7 else read_place end,
    read_object_id = case when version = $6 then $8 else read_object_id end,
    read_seq = case when version = $6 then $9 else read_seq end
where org_id = $1 and id = $2 and leased_by = $3 and round = $4
returning version, status, deleted_at is not null as is_deleted
"""

_GET_STATE = """
select version, status, deleted_at is not null as is_deleted
from webhook_endpoints
where org_id = $1 and id = $2 and leased_by = $3
"""

# Also releases a revoked lease, which keeps other workers from starting. A locked row is skipped:
# its lease expires.
_RELEASE = """
update webhook_endpoints e
set leased_by = null, leased_until = null
from (
    select w.org_id, w.id
    from webhook_endpoints w
    where w.org_id = $1 and w.id = $2
        and (w.leased_by = $3 or (w.leased_by is null and w.leased_until = $4))
    for no key update skip locked
) ours
where e.org_id = $1 and e.org_id = ours.org_id and e.id = ours.id
"""

# Paused endpoints are not retried.
_PENDING = """
select count(*)
from unnest($1::uuid[]) as o (org_id)
join webhook_endpoints e on e.org_id = o.org_id and e.status = 'ACTIVE' and e.deleted_at is null
join webhook_deliveries d
    on d.org_id = e.org_id and d.endpoint_id = e.id and d.status = 'PENDING'
"""


@dataclass(frozen=True, slots=True)
class EndpointLease:
    """A lease of an endpoint; `until` is in real time."""

    org_id: UUID
    endpoint_id: UUID
    token: UUID
    until: datetime


@dataclass(frozen=True, slots=True)
class LeaseState:
    """State of an endpoint when its lease is renewed."""

    version: int
    is_served: bool


async def with_unread_events(
    tx: Tx, org_ids: Collection[UUID], now: datetime, tokens: Collection[UUID]
) -> Sequence[tuple[UUID, UUID]]:
    """Return (organisation, endpoint) with unread events and a lease that is free or ours."""
    rows = await tx.fetch(_WITH_UNREAD_EVENTS, list(org_ids), now, list(tokens))
    return [(row["org_id"], row["id"]) for row in rows]


async def with_due(
    tx: Tx, clocks: Mapping[UUID, datetime], now: datetime, tokens: Collection[UUID]
) -> Sequence[tuple[UUID, UUID]]:
    """Return (organisation, endpoint) with retries due by these clocks, and a lease as above."""
    rows = await tx.fetch(_WITH_DUE, list(clocks), now, list(tokens), list(clocks.values()))
    return [(row["org_id"], row["id"]) for row in rows]


async def acquire(tx: Tx, lease: EndpointLease, now: datetime) -> bool:
    """Acquire a lease; False if it is held, or the endpoint is locked or not to be served."""
    endpoint_id = await tx.fetchval(
        _ACQUIRE, lease.org_id, lease.endpoint_id, lease.token, lease.until, now
    )
    return endpoint_id is not None


async def renew(
    tx: Tx,
    lease: EndpointLease,
    *,
    round_: int,
    version: int,
    until: datetime,
    read_to: LogPosition,
) -> LeaseState | None:
    """Renew a lease and store the read cursor; None if the lease is lost.

    Locks the endpoint, so that no other worker takes the lease before this commits.
    """
    row = await tx.fetchrow(
        _RENEW,
        lease.org_id,
        lease.endpoint_id,
        lease.token,
        round_,
        until,
        version,
        read_to.place,
        read_to.object_id,
        read_to.seq,
    )
    return _lease_state(row)


async def get_state(tx: Tx, lease: EndpointLease) -> LeaseState | None:
    """Return the current state of the endpoint; None if the lease is lost."""
    return _lease_state(await tx.fetchrow(_GET_STATE, lease.org_id, lease.endpoint_id, lease.token))


async def release(tx: Tx, lease: EndpointLease) -> None:
    """Release a lease that is no longer used; does nothing if another worker holds it."""
    await tx.execute(_RELEASE, lease.org_id, lease.endpoint_id, lease.token, lease.until)


async def pending(tx: Tx, org_ids: Collection[UUID]) -> int:
    """Return the number of pending deliveries at active endpoints of these organisations."""
    return await tx.fetchval(_PENDING, list(org_ids))


def _lease_state(row: Row | None) -> LeaseState | None:
    if row is None:
        return None
    is_served = row["status"] == WebhookStatus.ACTIVE and not row["is_deleted"]
    return LeaseState(row["version"], is_served)
