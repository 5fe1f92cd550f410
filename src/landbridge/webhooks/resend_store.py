"""Statements that have events delivered again."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.changes.model import Place
from landbridge.db.pool import Tx

# Whoever holds this lock knows that no courier writes deliveries here meanwhile: each locks the row
# first, to see that the lease is still its own.
_LOCK = """
select version, read_tx::text, read_object_id, read_seq, round, read_again_at
from webhook_endpoints
where org_id = $1 and id = $2 and deleted_at is null
for no key update
"""

_PENDING = """
select count(*)
from webhook_deliveries
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
"""

# What is told of an endpoint counts its version up (store.py).
_COUNT = "update webhook_endpoints set version = $3 where org_id = $1 and id = $2"

# Nothing overtakes an earlier event of its object that waits: it waits behind it. The round stays:
# what the log is read for once more is not taken for done by that.
_RESEND = """
update webhook_deliveries d
set status = 'PENDING', gives_up_at = $5, updated_at = $4,
    due_at = case when (
        select (b.tx, b.seq, b.part) < (d.tx, d.seq, d.part)
        from webhook_deliveries b
        where b.org_id = $1 and b.endpoint_id = $3 and b.object_id = d.object_id
            and b.status = 'PENDING'
        order by b.tx, b.seq, b.part
        limit 1
    ) then null else $4::timestamptz end
where d.org_id = $1 and d.id = $2 and d.endpoint_id = $3
    and (d.status <> 'PENDING' or d.due_at is not null)
"""

# The oldest first, of each object one at a time. What happened since then was written down since
# then.
_RESEND_FAILED = """
update webhook_deliveries d
set status = 'PENDING', gives_up_at = $6, updated_at = $5,
    due_at = case when failed.place > 1 or (
        select (b.tx, b.seq, b.part) < (d.tx, d.seq, d.part)
        from webhook_deliveries b
        where b.org_id = $1 and b.endpoint_id = $2 and b.object_id = d.object_id
            and b.status = 'PENDING'
        order by b.tx, b.seq, b.part
        limit 1
    ) then null else $5::timestamptz end
from (
    select o.org_id, o.id, o.day,
        row_number() over (partition by o.object_id order by o.tx, o.seq, o.part) as place
    from (
        select f.org_id, f.id, f.day, f.object_id, f.tx, f.seq, f.part
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

# Without its mark a courier puts down what it has in hand. Until it has, or its turn has ended by
# itself, nobody else begins.
_READ_AGAIN = """
update webhook_endpoints
set read_tx = $3::text::xid8, read_object_id = $4, read_seq = $5, round = $6,
    begins_at = least(begins_at, $7), tried_from = $8, read_again_at = $9, leased_by = null
where org_id = $1 and id = $2
"""

_REPLACE = """
update webhook_deliveries
set status = 'REPLACED', due_at = null, updated_at = $6
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
    and (tx, object_id, seq) > ($3::text::xid8, $4, $5)
"""

# What stands before the place is not read again, and so is still to be delivered.
_KEEP = """
update webhook_deliveries
set round = $3
where org_id = $1 and endpoint_id = $2 and status = 'PENDING'
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an endpoint has come; `read_again_at` is real time, None: never."""

    version: int
    read_to: Place
    round: int
    read_again_at: datetime | None


async def lock(tx: Tx, org_id: UUID, endpoint_id: UUID) -> Progress | None:
    """Lock an endpoint for this transaction; None if there is none."""
    row = await tx.fetchrow(_LOCK, org_id, endpoint_id)
    if row is None:
        return None
    read_to = Place(int(row["read_tx"]), row["read_object_id"], row["read_seq"])
    return Progress(row["version"], read_to, row["round"], row["read_again_at"])


async def pending(tx: Tx, org_id: UUID, endpoint_id: UUID) -> int:
    """How many deliveries are pending."""
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
    gives_up_at: datetime,
) -> None:
    """Make a delivery due, or wait for an earlier one; the endpoint is locked."""
    await tx.execute(_RESEND, org_id, delivery_id, endpoint_id, at, gives_up_at)


async def resend_failed(
    tx: Tx,
    org_id: UUID,
    endpoint_id: UUID,
    *,
    since: datetime,
    limit: int,
    at: datetime,
    gives_up_at: datetime,
) -> int:
    """Make what failed since then due, at most so many; how many these were."""
    tag = await tx.execute(_RESEND_FAILED, org_id, endpoint_id, since, limit, at, gives_up_at)
    return int(tag.rpartition(" ")[2])


async def has_failed(tx: Tx, org_id: UUID, endpoint_id: UUID, *, since: datetime) -> bool:
    """Whether anything that happened since then failed."""
    return await tx.fetchval(_HAS_FAILED, org_id, endpoint_id, since)


async def read_again(
    tx: Tx, org_id: UUID, endpoint_id: UUID, progress: Progress, *, since: datetime, at: datetime
) -> None:
    """Have the log read again as that progress says, in a new round; the endpoint is locked."""
    place = progress.read_to
    await tx.execute(
        _READ_AGAIN,
        *(
            org_id,
            endpoint_id,
            str(place.tx),
            place.object_id,
            place.seq,
            progress.round,
            since,
            at,
            progress.read_again_at,
        ),
    )
    await tx.execute(_REPLACE, org_id, endpoint_id, str(place.tx), place.object_id, place.seq, at)
    await tx.execute(_KEEP, org_id, endpoint_id, progress.round)
