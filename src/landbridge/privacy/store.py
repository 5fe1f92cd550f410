"""Every statement on master_keys and data_keys."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from landbridge.core.errors import Broken
from landbridge.db.pool import Row, Tx
from landbridge.db.proofs import prove

_MASTER_KEYS = "select id, sealed_proof from master_keys order by id"

_MASTER_KEY = "select sealed_proof from master_keys where id = $1"

_ENROL = """
insert into master_keys (id, sealed_proof) values ($1, $2) on conflict (id) do nothing
"""

_RETIRE = "delete from master_keys where id = $1"

_ADD = """
insert into data_keys (org_id, id, master_key_id, sealed_key) values ($1, $2, $3, $4)
on conflict (org_id, id) do nothing
returning id
"""

_FIND = """
select org_id, id, master_key_id, sealed_key
from data_keys
where org_id = $1 and id = any($2::uuid[])
"""

# An organisation is the owner of its own.
_FIND_OWN = """
select d.org_id, d.id, d.master_key_id, d.sealed_key
from unnest($1::uuid[]) as o (org_id)
join data_keys d on d.org_id = o.org_id and d.id = o.org_id
"""

_DESTROY = "delete from data_keys where org_id = $1 and id = any($2::uuid[])"

# In the order of ids, so that a walk that was broken off goes on where it stood.
_OUTDATED = """
select org_id, id, master_key_id, sealed_key
from data_keys
where org_id = $1 and id > $2 and master_key_id <> $3
order by id
limit $4
for update
"""

_RESEAL = """
update data_keys d
set master_key_id = $2, sealed_key = i.sealed_key
from unnest($3::uuid[], $4::bytea[]) as i (id, sealed_key)
where d.org_id = $1 and d.id = i.id
"""


_PROOF = "select 1 from data_keys where org_id = $1 and id = $2 and sealed_key = $3"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A data key as it is stored: sealed with this master key."""

    org_id: UUID
    id: UUID
    master_key_id: int
    key: bytes


async def master_keys(tx: Tx) -> dict[int, bytes]:
    """The proof of each master key that is in use."""
    return {row["id"]: row["sealed_proof"] for row in await tx.fetch(_MASTER_KEYS)}


async def master_key(tx: Tx, key_id: int) -> bytes | None:
    """The proof of one master key, if it is in use."""
    return await tx.fetchval(_MASTER_KEY, key_id)


async def enrol(tx: Tx, key_id: int, proof: bytes) -> None:
    """Note that a master key is in use, unless that is noted."""
    await tx.execute(_ENROL, key_id, proof)


async def retire(tx: Tx, key_id: int) -> bool:
    """Forget a master key; False if data keys are sealed with it still."""
    try:
        async with tx.transaction():
            await tx.execute(_RETIRE, key_id)
    except asyncpg.ForeignKeyViolationError:
        return False
    return True


async def add(tx: Tx, sealed: Sealed) -> bool:
    """Store a data key; False if its owner has one."""
    try:
        added = await tx.fetchval(_ADD, sealed.org_id, sealed.id, sealed.master_key_id, sealed.key)
    except asyncpg.ForeignKeyViolationError as error:
        # Whoever rotates keys will never need this one again, and must be able to believe that.
        raise Broken(
            f"master key {sealed.master_key_id} was retired while this process still seals with it"
        ) from error
    return added is not None


async def find(tx: Tx, org_id: UUID, owner_ids: Collection[UUID]) -> Sequence[Sealed]:
    """The data keys of these owners, of those who have one."""
    return [_sealed(row) for row in await tx.fetch(_FIND, org_id, list(owner_ids))]


async def find_own(tx: Tx, org_ids: Collection[UUID]) -> Sequence[Sealed]:
    """The data keys of these organisations themselves, of those who have one."""
    return [_sealed(row) for row in await tx.fetch(_FIND_OWN, list(org_ids))]


async def destroy(tx: Tx, org_id: UUID, owner_ids: Collection[UUID]) -> None:
    """Delete data keys."""
    await tx.execute(_DESTROY, org_id, list(owner_ids))


async def outdated(
    tx: Tx, org_id: UUID, *, after: UUID, master_key_id: int, limit: int
) -> Sequence[Sealed]:
    """Data keys behind `after` that another master key sealed, locked."""
    rows = await tx.fetch(_OUTDATED, org_id, after, master_key_id, limit)
    return [_sealed(row) for row in rows]


async def reseal(tx: Tx, org_id: UUID, master_key_id: int, keys: Sequence[Sealed]) -> None:
    """Replace the sealed form of data keys."""
    ids, sealed = [each.id for each in keys], [each.key for each in keys]
    await tx.execute(_RESEAL, org_id, master_key_id, ids, sealed)
    for each in keys:
        # No key is sealed in the same way twice.
        prove(_PROOF, org_id, each.id, each.key)


def _sealed(row: Row) -> Sealed:
    return Sealed(row["org_id"], row["id"], row["master_key_id"], row["sealed_key"])
