"""Every statement on `changes`, but for the ledger's: it writes its changes with the money."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from landbridge.changes.model import Change, Picture, Place
from landbridge.db.pool import Row, Tx
from landbridge.db.proofs import prove

# A transaction may begin, by another write, before one that changes the same object first: the
# order of tx must not contradict that of seq, and readers go by it (a tx that is later than our own
# is settled no sooner, so they miss nothing).
_ADD = """
insert into changes (
    org_id, object_id, seq, kind, what, actor, facts, at, rests, tx, picture_owner_id,
    sealed_picture
)
select $1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, true,
    greatest(
        pg_current_xact_id(),
        (select tx from changes where org_id = $1 and object_id = $2 and seq = $3 - 1)
    ),
    $9, $10
"""

# The caller holds the lock of the object's row, so nobody else counts at the same time.
_ADD_NEXT = """
insert into changes
    (org_id, object_id, seq, kind, what, actor, facts, at, rests, tx)
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
_PROOF = "select 1 from changes where org_id = $1 and object_id = $2 and seq = $3 and at = $4"

# Everything below the horizon is settled: what is not there now will never be. Sorted by the
# column: `tx` alone would be the text that is answered.
_READ = """
select c.org_id, c.object_id, c.seq, c.kind, c.what, c.status_before, c.status_after, c.actor,
    c.facts::text, c.at, c.tx::text, c.picture_owner_id, c.sealed_picture
from changes c
where c.org_id = $1 and c.tx >= $2::text::xid8
    and c.tx < pg_snapshot_xmin(pg_current_snapshot())
    and (c.tx, c.object_id, c.seq) > ($2::text::xid8, $3, $4)
order by c.tx, c.object_id, c.seq
limit $5
"""

_READ_BACK = """
select c.org_id, c.object_id, c.seq, c.kind, c.what, c.status_before, c.status_after, c.actor,
    c.facts::text, c.at, c.tx::text, c.picture_owner_id, c.sealed_picture
from changes c
where c.org_id = $1 and c.tx <= $2::text::xid8
    and c.tx < pg_snapshot_xmin(pg_current_snapshot())
    and (c.tx, c.object_id, c.seq) < ($2::text::xid8, $3, $4)
order by c.tx desc, c.object_id desc, c.seq desc
limit $5
"""

# The order of an object's changes is that of their places.
_READ_OBJECT = """
select org_id, object_id, seq, kind, what, status_before, status_after, actor, facts::text, at,
    tx::text, picture_owner_id, sealed_picture
from changes
where org_id = $1 and object_id = $2 and tx < pg_snapshot_xmin(pg_current_snapshot())
    and (tx, object_id, seq) > ($3::text::xid8, $4, $5)
order by seq
limit $6
"""

_READ_OBJECT_BACK = """
select org_id, object_id, seq, kind, what, status_before, status_after, actor, facts::text, at,
    tx::text, picture_owner_id, sealed_picture
from changes
where org_id = $1 and object_id = $2 and tx < pg_snapshot_xmin(pg_current_snapshot())
    and (tx, object_id, seq) < ($3::text::xid8, $4, $5)
order by seq desc
limit $6
"""

# Changes are stamped a moment before their transaction begins to write, so their order by time is
# that of the log but for changes close to each other. The stations of a path, which do not rest,
# have the time and the transaction of the one that does.
_FIRST_SINCE = """
select least(
    pg_snapshot_xmin(pg_current_snapshot()),
    (
        select min(c.tx)
        from changes c
        where c.org_id = $1 and c.rests and c.at >= f.at and c.at <= f.at + $3::interval
    )
)::text
from (select min(at) as at from changes where org_id = $1 and rests and at >= $2) f
"""

_LAST_BEFORE = """
select (
    select max(c.tx)
    from changes c
    where c.org_id = $1 and c.rests and c.at <= l.at and c.at >= l.at - $3::interval
)::text
from (select max(at) as at from changes where org_id = $1 and rests and at < $2) l
"""

_HORIZON = "select pg_snapshot_xmin(pg_current_snapshot())::text"

_UNSETTLED = """
select c.tx::text
from changes c
where c.org_id = $1 and c.tx >= pg_snapshot_xmin(pg_current_snapshot())
order by c.tx
limit 1
"""

# By the index of pictures. What is left of the change is what the log keeps for good.
_FORGET_PICTURES = """
update changes c
set picture_owner_id = null, sealed_picture = null
from (
    select o.org_id, o.object_id, o.seq
    from changes o
    where o.org_id = $1 and o.sealed_picture is not null and o.at < $2
        and o.tx < $3::text::xid8
    order by o.at
    limit $4
) old
where c.org_id = $1 and c.org_id = old.org_id and c.object_id = old.object_id and c.seq = old.seq
"""
# More transactions no database has.
_TX_MAX = (1 << 63) - 1

_FIND = """
select c.org_id, c.object_id, c.seq, c.kind, c.what, c.status_before, c.status_after, c.actor,
    c.facts::text, c.at, c.tx::text, c.picture_owner_id, c.sealed_picture
from unnest($2::uuid[], $3::integer[]) as i (object_id, seq)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.seq = i.seq
"""

# Of objects whose changes are few; a record has a dozen.
_HISTORY = """
select org_id, object_id, seq, kind, what, status_before, status_after, actor, facts::text, at,
    tx::text, picture_owner_id, sealed_picture
from changes
where org_id = $1 and object_id = any($2::uuid[])
order by object_id, seq
"""

_EXISTS = "select exists (select from changes where org_id = $1 and object_id = $2)"


async def add(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    seq: int,
    kind: str,
    what: str,
    actor: str,
    facts: str | None,
    at: datetime,
    picture: Picture | None,
) -> None:
    """Append a change; a sequence number that is taken is a bug, and raises."""
    await tx.execute(
        _ADD,
        *(org_id, object_id, seq, kind, what, actor, facts, at),
        *((None, None) if picture is None else (picture.owner_id, picture.sealed)),
    )
    prove_change(org_id, object_id, seq, at)


async def add_next(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    kind: str,
    what: str,
    actor: str,
    facts: str | None,
    at: datetime,
) -> None:
    """Append a change of an object whose row the caller has locked."""
    seq = await tx.fetchval(_ADD_NEXT, org_id, object_id, kind, what, actor, facts, at)
    prove_change(org_id, object_id, seq, at)


def prove_change(org_id: UUID, object_id: UUID, seq: int, at: datetime) -> None:
    """Let this change prove that the transaction under way was committed."""
    prove(_PROOF, org_id, object_id, seq, at)


async def exists(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Whether anything was told of this object."""
    return await tx.fetchval(_EXISTS, org_id, object_id)


async def read(tx: Tx, org_id: UUID, after: Place, limit: int) -> list[Change]:
    """Changes right after a place, oldest first."""
    return [
        _change(row)
        for row in await tx.fetch(_READ, org_id, str(after.tx), after.object_id, after.seq, limit)
    ]


async def read_back(tx: Tx, org_id: UUID, before: Place, limit: int) -> list[Change]:
    """Changes right before a place, newest first."""
    rows = await tx.fetch(_READ_BACK, org_id, str(before.tx), before.object_id, before.seq, limit)
    return [_change(row) for row in rows]


async def read_object(
    tx: Tx, org_id: UUID, object_id: UUID, after: Place, limit: int
) -> list[Change]:
    """Changes of one object right after a place, oldest first."""
    bounds = (str(after.tx), after.object_id, after.seq, limit)
    return [_change(row) for row in await tx.fetch(_READ_OBJECT, org_id, object_id, *bounds)]


async def read_object_back(
    tx: Tx, org_id: UUID, object_id: UUID, before: Place, limit: int
) -> list[Change]:
    """Changes of one object right before a place, newest first."""
    bounds = (str(before.tx), before.object_id, before.seq, limit)
    return [_change(row) for row in await tx.fetch(_READ_OBJECT_BACK, org_id, object_id, *bounds)]


async def first_since(tx: Tx, org_id: UUID, at: datetime, spread: timedelta) -> int:
    """The first transaction that a change of this moment or later is in, or may yet be in."""
    return int(await tx.fetchval(_FIRST_SINCE, org_id, at, spread))


async def last_before(tx: Tx, org_id: UUID, at: datetime, spread: timedelta) -> int | None:
    """The last transaction that a change of before this moment is in; None if there is none."""
    found = await tx.fetchval(_LAST_BEFORE, org_id, at, spread)
    return None if found is None else int(found)


async def horizon(tx: Tx) -> int:
    """The transaction below which everything is settled."""
    return int(await tx.fetchval(_HORIZON))


async def has_unsettled(tx: Tx, org_id: UUID) -> bool:
    """Whether anything that was committed is not settled yet."""
    return await tx.fetchval(_UNSETTLED, org_id) is not None


async def forget_pictures(
    tx: Tx, org_id: UUID, before: datetime, below: int | None, limit: int
) -> int:
    """Take away at most so many of the oldest pictures; how many these were."""
    tag = await tx.execute(
        _FORGET_PICTURES, org_id, before, str(_TX_MAX if below is None else below), limit
    )
    return int(tag.rpartition(" ")[2])


async def find(tx: Tx, org_id: UUID, wanted: Collection[tuple[UUID, int]]) -> list[Change]:
    """Those of these changes, by (object, number), that there are; in no order."""
    objects, numbers = [each for each, _ in wanted], [seq for _, seq in wanted]
    return [_change(row) for row in await tx.fetch(_FIND, org_id, objects, numbers)]


async def history(tx: Tx, org_id: UUID, object_ids: Collection[UUID]) -> list[Change]:
    """All changes of these objects, object by object, oldest first."""
    return [_change(row) for row in await tx.fetch(_HISTORY, org_id, list(object_ids))]


def _change(row: Row) -> Change:
    facts, owner_id = row["facts"], row["picture_owner_id"]
    return Change(
        org_id=row["org_id"],
        object_id=row["object_id"],
        seq=row["seq"],
        kind=row["kind"],
        what=row["what"],
        status_before=row["status_before"],
        status_after=row["status_after"],
        actor=row["actor"],
        facts={} if facts is None else msgspec.json.decode(facts),
        at=row["at"],
        tx=int(row["tx"]),
        picture=None if owner_id is None else Picture(owner_id, row["sealed_picture"]),
    )
