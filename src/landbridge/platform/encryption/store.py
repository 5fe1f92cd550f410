"""Statements on master_keys, data_keys and installation_secrets."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Row, Tx

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

# An organisation owns the data key for its own data, so both ids are equal.
_FIND_OWN = """
select d.org_id, d.id, d.master_key_id, d.sealed_key
from unnest($1::uuid[]) as o (org_id)
join data_keys d on d.org_id = o.org_id and d.id = o.org_id
"""

_DESTROY = "delete from data_keys where org_id = $1 and id = any($2::uuid[])"

# Ordered by id, so that an interrupted run can resume.
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

_ADD_INSTALLATION = """
insert into installation_secrets (name, master_key_id, sealed_secret) values ($1, $2, $3)
on conflict (name) do nothing
"""

_INSTALLATION = "select sealed_secret from installation_secrets where name = $1"

_OUTDATED_INSTALLATION = """
select name, sealed_secret from installation_secrets where master_key_id <> $1
order by name for update
"""

_RESEAL_INSTALLATION = """
update installation_secrets set master_key_id = $2, sealed_secret = $3 where name = $1
"""

_PROOF = "select 1 from data_keys where org_id = $1 and id = $2 and sealed_key = $3"


@dataclass(frozen=True, slots=True)
class SealedDataKey:
    """Data key as stored: sealed with the master key `master_key_id`."""

    org_id: UUID
    id: UUID
    master_key_id: int
    key: bytes


async def master_keys(tx: Tx) -> dict[int, bytes]:
    """Return the proof of each registered master key."""
    return {row["id"]: row["sealed_proof"] for row in await tx.fetch(_MASTER_KEYS)}


async def master_key(tx: Tx, key_id: int) -> bytes | None:
    """Return the proof of one master key; None if it is not registered."""
    return await tx.fetchval(_MASTER_KEY, key_id)


async def enrol(tx: Tx, key_id: int, proof: bytes) -> None:
    """Register a master key as in use; does nothing if it is registered."""
    await tx.execute(_ENROL, key_id, proof)


async def retire(tx: Tx, key_id: int) -> bool:
    """Delete a master key; return False if data keys are still sealed with it."""
    try:
        async with tx.transaction():
            await tx.execute(_RETIRE, key_id)
    except asyncpg.ForeignKeyViolationError:
        return False
    return True


async def add(tx: Tx, sealed: SealedDataKey) -> bool:
    """Store a data key; return False if its owner already has one."""
    try:
        added = await tx.fetchval(_ADD, sealed.org_id, sealed.id, sealed.master_key_id, sealed.key)
    except asyncpg.ForeignKeyViolationError as error:
        # The operator will delete the retired key after this, so it must not be needed by a new
        # row.
        raise InvariantBroken(
            f"master key {sealed.master_key_id} was retired while this process still seals with it"
        ) from error
    return added is not None


async def add_secret(tx: Tx, name: str, master_key_id: int, sealed: bytes) -> None:
    """Store a secret of the installation; does nothing if there is one of this name."""
    await tx.execute(_ADD_INSTALLATION, name, master_key_id, sealed)


async def secret(tx: Tx, name: str) -> bytes | None:
    """Return a sealed secret of the installation; None if there is none of this name."""
    return await tx.fetchval(_INSTALLATION, name)


async def outdated_secrets(tx: Tx, master_key_id: int) -> dict[str, bytes]:
    """Lock and return the installation's secrets that another master key seals, by name."""
    rows = await tx.fetch(_OUTDATED_INSTALLATION, master_key_id)
    return {row["name"]: row["sealed_secret"] for row in rows}


async def reseal_secret(tx: Tx, name: str, master_key_id: int, sealed: bytes) -> None:
    """Store a secret that was resealed with another master key."""
    await tx.execute(_RESEAL_INSTALLATION, name, master_key_id, sealed)


async def find(tx: Tx, org_id: UUID, owner_ids: Collection[UUID]) -> Sequence[SealedDataKey]:
    """Return the data keys of those of these owners that have one."""
    return [_sealed(row) for row in await tx.fetch(_FIND, org_id, list(owner_ids))]


async def find_own(tx: Tx, org_ids: Collection[UUID]) -> Sequence[SealedDataKey]:
    """Return the data keys for these organisations' own data."""
    return [_sealed(row) for row in await tx.fetch(_FIND_OWN, list(org_ids))]


async def destroy(tx: Tx, org_id: UUID, owner_ids: Collection[UUID]) -> None:
    """Delete data keys."""
    await tx.execute(_DESTROY, org_id, list(owner_ids))


async def outdated(
    tx: Tx, org_id: UUID, *, after: UUID, master_key_id: int, limit: int
) -> Sequence[SealedDataKey]:
    """Lock and return data keys after the id `after` that another master key has sealed."""
    return [_sealed(row) for row in await tx.fetch(_OUTDATED, org_id, after, master_key_id, limit)]


async def reseal(tx: Tx, org_id: UUID, master_key_id: int, keys: Sequence[SealedDataKey]) -> None:
    """Replace the sealed form of data keys."""
    ids, sealed = [each.id for each in keys], [each.key for each in keys]
    await tx.execute(_RESEAL, org_id, master_key_id, ids, sealed)
    for each in keys:
        # Sealing a key twice gives different bytes, so these bytes prove the commit.
        register_commit_proof(_PROOF, org_id, each.id, each.key)


def _sealed(row: Row) -> SealedDataKey:
    return SealedDataKey(row["org_id"], row["id"], row["master_key_id"], row["sealed_key"])
