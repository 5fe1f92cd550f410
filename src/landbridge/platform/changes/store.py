"""Statements on `changes`. The ledger's functions write changes too, together with the money."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from landbridge.platform.changes.model import UNPLACED, Change, LogPosition, PayloadSnapshot
from landbridge.platform.changes.node_functions import APPEND
from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.one_organisation import is_distributed
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row

# The caller holds the lock of the object, so the object's later changes get a larger batch number.
_ADD = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, actor, facts, occurred_at, is_settled, batch,
    snapshot_owner_id,
    sealed_snapshot
)
select $1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, true, b.number, $9, $10
from batch b
"""

# The caller holds the lock of the object's row, so no other transaction takes the same number.
_ADD_NEXT = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes
    (org_id, object_id, seq, kind, change_type, actor, facts, occurred_at, is_settled, batch)
select $1, $2,
    1 + coalesce((select max(c.seq) from changes c where c.org_id = $1 and c.object_id = $2), 0),
    $3, $4, $5, $6::text::jsonb, $7, true, b.number
from batch b
returning seq
"""

# Only one transaction writes a change with this number, and `Clock.stamp` gives every change a time
# of its own.
_PROOF = (
    "select 1 from changes where org_id = $1 and object_id = $2 and seq = $3 and occurred_at = $4"
)

# Changes without a place are left out, so that nothing appears later before a position that was
# already read. The changes of each batch are looked up by its number, in the order of the index on
# places.
_READ = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, b.place, c.snapshot_owner_id, c.sealed_snapshot
from change_batches b
join changes c on c.org_id = b.org_id and c.batch = b.number
where b.org_id = $1 and b.place >= $2 and (b.place, c.object_id, c.seq) > ($2, $3, $4)
order by b.place, c.object_id, c.seq
limit $5
"""

_READ_BACK = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, b.place, c.snapshot_owner_id, c.sealed_snapshot
from change_batches b
join changes c on c.org_id = b.org_id and c.batch = b.number
where b.org_id = $1 and b.place <= $2 and (b.place, c.object_id, c.seq) < ($2, $3, $4)
order by b.place desc, c.object_id desc, c.seq desc
limit $5
"""

# Changes of one object, in the order of their positions.
_READ_OBJECT = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, b.place, c.snapshot_owner_id, c.sealed_snapshot
from changes c
join change_batches b on b.org_id = c.org_id and b.number = c.batch
where c.org_id = $1 and c.object_id = $2 and (b.place, c.object_id, c.seq) > ($3, $4, $5)
order by c.seq
limit $6
"""

_READ_OBJECT_BACK = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, b.place, c.snapshot_owner_id, c.sealed_snapshot
from changes c
join change_batches b on b.org_id = c.org_id and b.number = c.batch
where c.org_id = $1 and c.object_id = $2 and (b.place, c.object_id, c.seq) < ($3, $4, $5)
order by c.seq desc
limit $6
"""

# Changes are stamped shortly before their commit, so the order by time differs from the order of
# the log only for changes close to each other. The intermediate changes of a path, which are not
# settled, have the time and the batch of the final one. `offset 0` keeps the scan on the index by
# time: for a minimum of `place` alone, PostgreSQL would scan the log by places from its beginning
# to that time, which is nearly all of it.
_FIRST_SINCE = """
select min(w.place)
from (select min(occurred_at) as occurred_at from changes where org_id = $1 and is_settled
    and occurred_at >= $2) f
cross join lateral (
    select b.place
    from changes c
    join change_batches b on b.org_id = c.org_id and b.number = c.batch
    where c.org_id = $1 and c.is_settled and c.occurred_at >= f.occurred_at
        and c.occurred_at <= f.occurred_at + $3::interval
    offset 0
) w
"""

_LAST_BEFORE = """
select max(coalesce(w.place, $4))
from (select max(occurred_at) as occurred_at from changes where org_id = $1 and is_settled
    and occurred_at < $2) l
cross join lateral (
    select b.place
    from changes c
    join change_batches b on b.org_id = c.org_id and b.number = c.batch
    where c.org_id = $1 and c.is_settled and c.occurred_at <= l.occurred_at
        and c.occurred_at >= l.occurred_at - $3::interval
    offset 0
) w
"""

_LAST_PLACE = "select last_place from change_logs where org_id = $1"

# Finds old snapshots by their index, and deletes only them. The rest of the change is kept forever,
# as is the digest of the snapshot, which is part of the change's leaf (reporting/proofs).
_DELETE_SNAPSHOTS = """
update changes c
set snapshot_owner_id = null, sealed_snapshot = null, snapshot_digest = sha256(c.sealed_snapshot)
from (
    select o.org_id, o.object_id, o.seq
    from changes o
    where o.org_id = $1 and o.sealed_snapshot is not null and o.occurred_at < $2
        and (
            $3::bigint is null or exists (
                select from change_batches b
                where b.org_id = o.org_id and b.number = o.batch and b.place < $3
            )
        )
    order by o.occurred_at
    limit $4
) old
where c.org_id = $1 and c.org_id = old.org_id and c.object_id = old.object_id and c.seq = old.seq
"""

_FIND = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, b.place, c.snapshot_owner_id, c.sealed_snapshot
from unnest($2::uuid[], $3::integer[]) as i (object_id, seq)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.seq = i.seq
join change_batches b on b.org_id = c.org_id and b.number = c.batch
"""

# For objects with few changes: a payment record has about a dozen.
_HISTORY = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, b.place, c.snapshot_owner_id, c.sealed_snapshot
from changes c
join change_batches b on b.org_id = c.org_id and b.number = c.batch
where c.org_id = $1 and c.object_id = any($2::uuid[])
order by c.object_id, c.seq
"""

_LAST_AT = """
select occurred_at
from changes
where org_id = $1 and object_id = $2
order by seq desc
limit 1
"""

_LAST_ACTOR = """
select actor
from changes
where org_id = $1 and object_id = $2 and change_type = $3
order by seq desc
limit 1
"""

_EXISTS = "select exists (select from changes where org_id = $1 and object_id = $2)"


async def add(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    seq: int,
    kind: str,
    change_type: str,
    actor: str,
    facts: str | None,
    at: datetime,
    snapshot: PayloadSnapshot | None,
) -> None:
    """Append a change. Raises for a duplicate change number, which only a bug can cause."""
    await tx.execute(
        APPEND if is_distributed(tx) else _ADD,
        *(org_id, object_id, seq, kind, change_type, actor, facts, at),
        *((None, None) if snapshot is None else (snapshot.owner_id, snapshot.sealed)),
    )
    register_change_as_proof(org_id, object_id, seq, at)


async def add_next(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    kind: str,
    change_type: str,
    actor: str,
    facts: str | None,
    at: datetime,
) -> None:
    """Append a change of an object whose row the caller has locked."""
    what = (kind, change_type, actor, facts, at)
    if is_distributed(tx):
        seq = await tx.fetchval(APPEND, org_id, object_id, None, *what, None, None)
    else:
        seq = await tx.fetchval(_ADD_NEXT, org_id, object_id, *what)
    register_change_as_proof(org_id, object_id, seq, at)


def register_change_as_proof(org_id: UUID, object_id: UUID, seq: int, at: datetime) -> None:
    """Use this change as the commit proof of the current transaction."""
    register_commit_proof(_PROOF, org_id, object_id, seq, at)


async def exists(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Return whether any change of this object was recorded."""
    return await tx.fetchval(_EXISTS, org_id, object_id)


async def last_at(tx: Tx, org_id: UUID, object_id: UUID) -> datetime | None:
    """Return the time of an object's last change; None if it has none."""
    return await tx.fetchval(_LAST_AT, org_id, object_id)


async def last_actor(tx: Tx, org_id: UUID, object_id: UUID, change_type: str) -> str | None:
    """Return the actor of an object's last change of this type; None if there is none."""
    return await tx.fetchval(_LAST_ACTOR, org_id, object_id, change_type)


async def read(tx: Tx, org_id: UUID, after: LogPosition, limit: int) -> list[Change]:
    """Return changes after a position, oldest first."""
    return [
        _change(row)
        for row in await tx.fetch(_READ, org_id, after.place, after.object_id, after.seq, limit)
    ]


async def read_back(tx: Tx, org_id: UUID, before: LogPosition, limit: int) -> list[Change]:
    """Return changes before a position, newest first."""
    rows = await tx.fetch(_READ_BACK, org_id, before.place, before.object_id, before.seq, limit)
    return [_change(row) for row in rows]


async def read_object(
    tx: Tx, org_id: UUID, object_id: UUID, after: LogPosition, limit: int
) -> list[Change]:
    """Return changes of one object after a position, oldest first."""
    bounds = (after.place, after.object_id, after.seq, limit)
    return [_change(row) for row in await tx.fetch(_READ_OBJECT, org_id, object_id, *bounds)]


async def read_object_back(
    tx: Tx, org_id: UUID, object_id: UUID, before: LogPosition, limit: int
) -> list[Change]:
    """Return changes of one object before a position, newest first."""
    bounds = (before.place, before.object_id, before.seq, limit)
    return [_change(row) for row in await tx.fetch(_READ_OBJECT_BACK, org_id, object_id, *bounds)]


async def first_since(tx: Tx, org_id: UUID, at: datetime, spread: timedelta) -> int | None:
    """Return the lowest place of changes at this time or later; None if none of them has one."""
    return await tx.fetchval(_FIRST_SINCE, org_id, at, spread)


async def last_before(tx: Tx, org_id: UUID, at: datetime, spread: timedelta) -> int | None:
    """Return the highest place among changes before this time; None if there is none."""
    return await tx.fetchval(_LAST_BEFORE, org_id, at, spread, UNPLACED)


async def last_place(tx: Tx, org_id: UUID) -> int:
    """Return the highest place given in an organisation's log; 0 if it has none."""
    return await tx.fetchval(_LAST_PLACE, org_id) or 0


async def delete_snapshots(
    tx: Tx, org_id: UUID, before: datetime, below: int | None, limit: int
) -> int:
    """Delete up to `limit` snapshots of the oldest changes, and return the number deleted."""
    tag = await tx.execute(_DELETE_SNAPSHOTS, org_id, before, below, limit)
    return int(tag.rpartition(" ")[2])


async def find(tx: Tx, org_id: UUID, versions: Collection[tuple[UUID, int]]) -> list[Change]:
    """Return those of these changes that exist, in any order."""
    objects, numbers = [each for each, _ in versions], [seq for _, seq in versions]
    return [_change(row) for row in await tx.fetch(_FIND, org_id, objects, numbers)]


async def history(tx: Tx, org_id: UUID, object_ids: Collection[UUID]) -> list[Change]:
    """Return all changes of these objects, grouped by object, oldest first."""
    return [_change(row) for row in await tx.fetch(_HISTORY, org_id, list(object_ids))]


def _change(row: Row) -> Change:
    facts, owner_id = row["facts"], row["snapshot_owner_id"]
    return read_row(
        row,
        Change,
        facts={} if facts is None else msgspec.json.decode(facts),
        place=UNPLACED if row["place"] is None else row["place"],
        snapshot=None if owner_id is None else PayloadSnapshot(owner_id, row["sealed_snapshot"]),
    )
