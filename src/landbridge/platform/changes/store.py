"""Every statement on `changes`, except the ledger's, which writes its changes with the money."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from landbridge.platform.changes.model import Change, LogPosition, PayloadSnapshot
from landbridge.platform.db.commit_proofs import prove
from landbridge.platform.db.pool import Row, Tx

# A transaction may begin, by another write, before one that changes the same object first. The
# order of tx, which readers follow, must not contradict that of seq. A tx later than our own is
# settled no sooner, so readers miss nothing.
_ADD = """
insert into changes (
    org_id, object_id, seq, kind, change_type, actor, facts, occurred_at, is_settled, tx,
    snapshot_owner_id,
    sealed_snapshot
)
select $1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, true,
    greatest(
        pg_current_xact_id(),
        (select tx from changes where org_id = $1 and object_id = $2 and seq = $3 - 1)
    ),
    $9, $10
"""

# The caller holds the lock of the object's row, so no other transaction counts concurrently.
_ADD_NEXT = """
insert into changes
    (org_id, object_id, seq, kind, change_type, actor, facts, occurred_at, is_settled, tx)
select $1, $2, coalesce(p.seq, 0) + 1, $3, $4, $5, $6::text::jsonb, $7, true,
    greatest(pg_current_xact_id(), p.tx)
from (values (1)) as one (change)
left join lateral (
    select seq, tx
    from changes
    where org_id = $1 and object_id = $2
    order by seq desc
    limit 1
) p on true
returning seq
"""

# Only one transaction writes a change of this number, and `Clock.stamp` gives each its own moment.
_PROOF = (
    "select 1 from changes where org_id = $1 and object_id = $2 and seq = $3 and occurred_at = $4"
)

# Everything below the horizon is settled: no more rows can appear there. Sorted by the column: `tx`
# alone would be the selected text.
_READ = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, c.tx::text, c.snapshot_owner_id, c.sealed_snapshot
from changes c
where c.org_id = $1 and c.tx >= $2::text::xid8
    and c.tx < pg_snapshot_xmin(pg_current_snapshot())
    and (c.tx, c.object_id, c.seq) > ($2::text::xid8, $3, $4)
order by c.tx, c.object_id, c.seq
limit $5
"""

_READ_BACK = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, c.tx::text, c.snapshot_owner_id, c.sealed_snapshot
from changes c
where c.org_id = $1 and c.tx <= $2::text::xid8
    and c.tx < pg_snapshot_xmin(pg_current_snapshot())
    and (c.tx, c.object_id, c.seq) < ($2::text::xid8, $3, $4)
order by c.tx desc, c.object_id desc, c.seq desc
limit $5
"""

# The changes of an object are ordered by their positions.
_READ_OBJECT = """
select org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts::text,
    occurred_at,
    tx::text, snapshot_owner_id, sealed_snapshot
from changes
where org_id = $1 and object_id = $2 and tx < pg_snapshot_xmin(pg_current_snapshot())
    and (tx, object_id, seq) > ($3::text::xid8, $4, $5)
order by seq
limit $6
"""

_READ_OBJECT_BACK = """
select org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts::text,
    occurred_at,
    tx::text, snapshot_owner_id, sealed_snapshot
from changes
where org_id = $1 and object_id = $2 and tx < pg_snapshot_xmin(pg_current_snapshot())
    and (tx, object_id, seq) < ($3::text::xid8, $4, $5)
order by seq desc
limit $6
"""

# Changes are stamped shortly before their transaction begins to write, so their order by time is
# that of the log except for changes close to each other. The intermediate changes of a path, which
# are not settled, have the time and the transaction of the final one.
# `offset 0` keeps the scan on the index by time: for a minimum of `tx` alone, PostgreSQL would scan
# the log by transactions from its beginning to that time, which is nearly all of it.
_FIRST_SINCE = """
select least(
    pg_snapshot_xmin(pg_current_snapshot()),
    (
        select min(w.tx)
        from (
            select c.tx
            from changes c
            where c.org_id = $1 and c.is_settled and c.occurred_at >= f.occurred_at
            and c.occurred_at <= f.occurred_at + $3::interval
            offset 0
        ) w
    )
)::text
from (select min(occurred_at) as occurred_at from changes where org_id = $1 and is_settled
    and occurred_at >= $2) f
"""

_LAST_BEFORE = """
select (
    select max(w.tx)
    from (
        select c.tx
        from changes c
        where c.org_id = $1 and c.is_settled and c.occurred_at <= l.occurred_at
            and c.occurred_at >= l.occurred_at - $3::interval
        offset 0
    ) w
)::text
from (select max(occurred_at) as occurred_at from changes where org_id = $1 and is_settled
    and occurred_at < $2) l
"""

_HORIZON = "select pg_snapshot_xmin(pg_current_snapshot())::text"

_UNSETTLED = """
select c.tx::text
from changes c
where c.org_id = $1 and c.tx >= pg_snapshot_xmin(pg_current_snapshot())
order by c.tx
limit 1
"""

# By the index of snapshots. The rest of the change is kept forever, and the digest of the snapshot,
# which the leaf of the change has (reporting/proofs).
_FORGET_PICTURES = """
update changes c
set snapshot_owner_id = null, sealed_snapshot = null, snapshot_digest = sha256(c.sealed_snapshot)
from (
    select o.org_id, o.object_id, o.seq
    from changes o
    where o.org_id = $1 and o.sealed_snapshot is not null and o.occurred_at < $2
        and o.tx < $3::text::xid8
    order by o.occurred_at
    limit $4
) old
where c.org_id = $1 and c.org_id = old.org_id and c.object_id = old.object_id and c.seq = old.seq
"""
# More transactions no database has.
_TX_MAX = (1 << 63) - 1

_FIND = """
select c.org_id, c.object_id, c.seq, c.kind, c.change_type, c.status_before, c.status_after,
    c.actor,
    c.facts::text, c.occurred_at, c.tx::text, c.snapshot_owner_id, c.sealed_snapshot
from unnest($2::uuid[], $3::integer[]) as i (object_id, seq)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.seq = i.seq
"""

# For objects with few changes; a record has a dozen.
_HISTORY = """
select org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts::text,
    occurred_at,
    tx::text, snapshot_owner_id, sealed_snapshot
from changes
where org_id = $1 and object_id = any($2::uuid[])
order by object_id, seq
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
    """Append a change; a duplicate sequence number is a bug, and raises."""
    await tx.execute(
        _ADD,
        *(org_id, object_id, seq, kind, change_type, actor, facts, at),
        *((None, None) if snapshot is None else (snapshot.owner_id, snapshot.sealed)),
    )
    prove_change(org_id, object_id, seq, at)


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
    seq = await tx.fetchval(_ADD_NEXT, org_id, object_id, kind, change_type, actor, facts, at)
    prove_change(org_id, object_id, seq, at)


def prove_change(org_id: UUID, object_id: UUID, seq: int, at: datetime) -> None:
    """Set this change as the commit proof of the current transaction."""
    prove(_PROOF, org_id, object_id, seq, at)


async def exists(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Return whether any change of this object was recorded."""
    return await tx.fetchval(_EXISTS, org_id, object_id)


async def last_at(tx: Tx, org_id: UUID, object_id: UUID) -> datetime | None:
    """Return the time of an object's last change."""
    return await tx.fetchval(_LAST_AT, org_id, object_id)


async def last_actor(tx: Tx, org_id: UUID, object_id: UUID, change_type: str) -> str | None:
    """Return who made an object's last change of this type."""
    return await tx.fetchval(_LAST_ACTOR, org_id, object_id, change_type)


async def read(tx: Tx, org_id: UUID, after: LogPosition, limit: int) -> list[Change]:
    """Return changes after a position, oldest first."""
    return [
        _change(row)
        for row in await tx.fetch(_READ, org_id, str(after.tx), after.object_id, after.seq, limit)
    ]


async def read_back(tx: Tx, org_id: UUID, before: LogPosition, limit: int) -> list[Change]:
    """Return changes before a position, newest first."""
    rows = await tx.fetch(_READ_BACK, org_id, str(before.tx), before.object_id, before.seq, limit)
    return [_change(row) for row in rows]


async def read_object(
    tx: Tx, org_id: UUID, object_id: UUID, after: LogPosition, limit: int
) -> list[Change]:
    """Return changes of one object after a position, oldest first."""
    bounds = (str(after.tx), after.object_id, after.seq, limit)
    return [_change(row) for row in await tx.fetch(_READ_OBJECT, org_id, object_id, *bounds)]


async def read_object_back(
    tx: Tx, org_id: UUID, object_id: UUID, before: LogPosition, limit: int
) -> list[Change]:
    """Return changes of one object before a position, newest first."""
    bounds = (str(before.tx), before.object_id, before.seq, limit)
    return [_change(row) for row in await tx.fetch(_READ_OBJECT_BACK, org_id, object_id, *bounds)]


async def first_since(tx: Tx, org_id: UUID, at: datetime, spread: timedelta) -> int:
    """Return the lowest transaction id of changes at this time or later, settled or not."""
    return int(await tx.fetchval(_FIRST_SINCE, org_id, at, spread))


async def last_before(tx: Tx, org_id: UUID, at: datetime, spread: timedelta) -> int | None:
    """Return the highest transaction id among changes before this time; None if there is none."""
    found = await tx.fetchval(_LAST_BEFORE, org_id, at, spread)
    return None if found is None else int(found)


async def horizon(tx: Tx) -> int:
    """Return the transaction id below which everything is settled."""
    return int(await tx.fetchval(_HORIZON))


async def has_unsettled(tx: Tx, org_id: UUID) -> bool:
    """Return whether any committed change is not settled yet."""
    return await tx.fetchval(_UNSETTLED, org_id) is not None


async def delete_snapshots(
    tx: Tx, org_id: UUID, before: datetime, below: int | None, limit: int
) -> int:
    """Delete a bounded number of the oldest snapshots; return how many."""
    tag = await tx.execute(
        _FORGET_PICTURES, org_id, before, str(_TX_MAX if below is None else below), limit
    )
    return int(tag.rpartition(" ")[2])


async def find(tx: Tx, org_id: UUID, versions: Collection[tuple[UUID, int]]) -> list[Change]:
    """Return the existing ones of these changes, by (object, number), in no order."""
    objects, numbers = [each for each, _ in versions], [seq for _, seq in versions]
    return [_change(row) for row in await tx.fetch(_FIND, org_id, objects, numbers)]


async def history(tx: Tx, org_id: UUID, object_ids: Collection[UUID]) -> list[Change]:
    """Return all changes of these objects, object by object, oldest first."""
    return [_change(row) for row in await tx.fetch(_HISTORY, org_id, list(object_ids))]


def _change(row: Row) -> Change:
    facts, owner_id = row["facts"], row["snapshot_owner_id"]
    return Change(
        org_id=row["org_id"],
        object_id=row["object_id"],
        seq=row["seq"],
        kind=row["kind"],
        change_type=row["change_type"],
        status_before=row["status_before"],
        status_after=row["status_after"],
        actor=row["actor"],
        facts={} if facts is None else msgspec.json.decode(facts),
        occurred_at=row["occurred_at"],
        tx=int(row["tx"]),
        snapshot=None if owner_id is None else PayloadSnapshot(owner_id, row["sealed_snapshot"]),
    )
