"""Statements on orgs, api_keys and clock nodes, and the lock on the creator of a key."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.orgs.model import ApiKey, Mode, Org

# Any fixed number serves, except that of the migrations; the lock belongs to the transaction.
_LOCK_FIRST = "select pg_advisory_xact_lock(6734)"

_ADD_ORG = """
insert into orgs (id, name, created_at) values ($1, $2, $3)
on conflict (id) do nothing
returning id
"""

_ORGS = """
select id, name, clock_offset, created_at, frozen_at, freeze_reason
from orgs
order by created_at, id
"""

_GET = """
select id, name, clock_offset, created_at, frozen_at, freeze_reason
from orgs
where id = any($1::uuid[])
"""

_RENAME = "update orgs set name = $2 where id = $1 and name <> $2 returning id"

_FREEZE = """
with before as (select id, frozen_at from orgs where id = $1 for no key update)
update orgs o
set frozen_at = coalesce(b.frozen_at, $2),
    freeze_reason = case when b.frozen_at is null then $3 else o.freeze_reason end
from before b
where o.id = b.id
returning b.frozen_at is null
"""

_UNFREEZE = """
update orgs set frozen_at = null, freeze_reason = null where id = $1 and frozen_at is not null
returning id
"""

_CLOCKS = "select id, clock_offset from orgs"

_CLOCK_DIGEST = "select count(*) as count, coalesce(sum(clock_offset), '0') as total from orgs"

# The new offset is at most $4, which a concurrent call may have reached already.
_MOVE_CLOCK = """
update orgs
set clock_offset = greatest(clock_offset, least(clock_offset + $2, $4::interval))
where id = $1 and least(clock_offset + $2, $4::interval) <= $3
returning clock_offset
"""

_ADD_KEY = """
insert into api_keys
    (org_id, id, name, hint, secret_hash, created_at, expires_at, can_review, can_approve,
        can_pay, can_administer, created_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
on conflict do nothing
returning id
"""

# Removing or demoting an admin locks the same row before it revokes the admin's keys. So of the two
# transactions, the second sees what the first has written.
_HOLD_MAKER = """
select id
from team_members
where org_id = $1 and id = $2 and role = 'admin' and removed_at is null
for share
"""

_FORMER_DECIDERS = """
select m.id
from team_members m
where m.org_id = $1 and m.id = any($2::uuid[])
    and (m.role <> 'admin' or m.removed_at is not null)
union all
select k.id
from api_keys k
where k.org_id = $1 and k.id = any($2::uuid[])
    and (k.revoked_at is not null or k.expires_at <= $3)
"""

# Not restricted by org_id: the key identifies the organisation.
_FIND_KEYS = """
select k.secret_hash, k.org_id, k.id, k.expires_at, k.revoked_at, k.can_review, k.can_approve,
    k.can_pay, k.can_administer, o.clock_offset, o.frozen_at is not null as is_org_frozen
from api_keys k
join orgs o on o.id = k.org_id
where k.secret_hash = any($1::bytea[])
"""

_KEYS = """
select org_id, id, name, hint, created_at, expires_at, revoked_at, last_used_at, can_review,
    can_approve, can_pay, can_administer, created_by
from api_keys
where org_id = $1
order by created_at, id
"""

_MAKERS = """
select id, created_by
from api_keys
where org_id = $1 and id = any($2::uuid[]) and created_by is not null
"""

_REVOKE_KEY = """
update api_keys set revoked_at = $3 where org_id = $1 and id = $2 and revoked_at is null
returning id
"""

_REVOKE_DECIDING = """
update api_keys set revoked_at = $3
where org_id = $1 and created_by = $2 and revoked_at is null and (can_review or can_approve)
    and id <> all($4::uuid[])
returning id
"""

_HAS_KEY = "select exists (select from api_keys where org_id = $1 and id = $2)"

_USE_KEYS = """
update api_keys k
set last_used_at = greatest(k.last_used_at, u.used_at)
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as u (org_id, id, used_at)
where k.org_id = u.org_id and k.id = u.id
"""

# Takes the next node that is not leased; if all are, the next one.
_TAKE_NODE = """
update clock_nodes c
set assigned_count = coalesce(
    (
        select min(n)
        from generate_series(c.assigned_count + 1, c.assigned_count + 100) as n
        where not exists (
            select from clock_leases l where l.node = n % 100 and l.leased_until > $1
        )
    ),
    c.assigned_count + 1
)
returning c.assigned_count
"""

_LEASE_NODE = """
insert into clock_leases (node, leased_until) values ($1, $2)
on conflict (node) do update set leased_until = excluded.leased_until
"""

_IS_LEASED = "select true from clock_leases where node = $1 and leased_until = $2"

_RETURN_NODE = "delete from clock_leases where node = $1"

_CLAIM_MODE = "insert into installation (mode) values ($1) on conflict (singleton) do nothing"

_MODE = "select mode from installation"


async def add_org(tx: Tx, org: Org) -> bool:
    """Insert an organisation; return False if it exists already."""
    return await tx.fetchval(_ADD_ORG, org.id, org.name, org.created_at) is not None


async def lock_first(tx: Tx) -> None:
    """Lock the creation of the first organisation until the end of the transaction."""
    await tx.execute(_LOCK_FIRST)


async def orgs(tx: Tx) -> Sequence[Org]:
    """Return all organisations, oldest first."""
    return [read_row(row, Org) for row in await tx.fetch(_ORGS)]


async def get_batch(tx: Tx, org_ids: Sequence[UUID]) -> list[Org | None]:
    """Return these organisations in the order of the ids; None for one that does not exist."""
    found = {row["id"]: read_row(row, Org) for row in await tx.fetch(_GET, list(set(org_ids)))}
    return [found.get(each) for each in org_ids]


async def rename(tx: Tx, org_id: UUID, name: str) -> bool:
    """Rename an organisation; return False if it has that name already or does not exist."""
    return await tx.fetchval(_RENAME, org_id, name) is not None


async def freeze(tx: Tx, org_id: UUID, at: datetime, reason: str | None) -> bool:
    """Lock and freeze an organisation; return False if it is frozen already or does not exist."""
    return bool(await tx.fetchval(_FREEZE, org_id, at, reason))


async def unfreeze(tx: Tx, org_id: UUID) -> bool:
    """Unfreeze an organisation; return False if it is not frozen or does not exist."""
    return await tx.fetchval(_UNFREEZE, org_id) is not None


async def clocks(tx: Tx) -> dict[UUID, timedelta]:
    """Return each organisation's clock offset."""
    return {row["id"]: row["clock_offset"] for row in await tx.fetch(_CLOCKS)}


async def clock_digest(tx: Tx) -> tuple[int, timedelta]:
    """Return the number of organisations and the sum of their offsets."""
    row = await tx.fetchrow(_CLOCK_DIGEST)
    assert row is not None, "an aggregate has one row"
    return row["count"], row["total"]


async def move_clock(
    tx: Tx, org_id: UUID, by: timedelta, *, until: timedelta | None, ahead_max: timedelta
) -> timedelta | None:
    """Advance an organisation's clock, at most to the offset `until`.

    Returns the new offset; None if it would exceed `ahead_max`.
    """
    return await tx.fetchval(_MOVE_CLOCK, org_id, by, ahead_max, until)


async def add_key(tx: Tx, key: ApiKey, secret_hash: bytes) -> bool:
    """Store a key; False if this very secret, or a key of this id, is stored already."""
    added = await write_row(tx, _ADD_KEY, key, secret_hash=secret_hash)
    return added is not None


async def lock_creating_admin(tx: Tx, org_id: UUID, member_id: UUID) -> bool:
    """Lock a member as an admin until the transaction ends; return False for a non-admin."""
    return await tx.fetchval(_HOLD_MAKER, org_id, member_id) is not None


async def former_deciders(
    tx: Tx, org_id: UUID, ids: Collection[UUID], now: datetime
) -> frozenset[UUID]:
    """Return those of these members and keys that may no longer decide at `now` (real time)."""
    return frozenset(row["id"] for row in await tx.fetch(_FORMER_DECIDERS, org_id, list(ids), now))


async def find_keys(tx: Tx, hashes: Sequence[bytes]) -> dict[bytes, Row]:
    """Return rows by hash: columns of the key, clock_offset and is_org_frozen."""
    return {row["secret_hash"]: row for row in await tx.fetch(_FIND_KEYS, hashes)}


async def keys(tx: Tx, org_id: UUID) -> Sequence[ApiKey]:
    """Return an organisation's keys, oldest first."""
    return [read_row(row, ApiKey) for row in await tx.fetch(_KEYS, org_id)]


async def key_creators(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Return the creator of each of these keys that a member created."""
    return {row["id"]: row["created_by"] for row in await tx.fetch(_MAKERS, org_id, list(ids))}


async def revoke_deciding(
    tx: Tx, org_id: UUID, maker_id: UUID, at: datetime, except_ids: Collection[UUID]
) -> list[UUID]:
    """Revoke a member's keys that may review or approve, except some; return the revoked ids."""
    rows = await tx.fetch(_REVOKE_DECIDING, org_id, maker_id, at, list(except_ids))
    return sorted(row["id"] for row in rows)


async def revoke_key(tx: Tx, org_id: UUID, key_id: UUID, at: datetime) -> bool:
    """Revoke a key; return False if it was revoked before or does not exist."""
    return await tx.fetchval(_REVOKE_KEY, org_id, key_id, at) is not None


async def has_key(tx: Tx, org_id: UUID, key_id: UUID) -> bool:
    """Return whether the key exists."""
    return await tx.fetchval(_HAS_KEY, org_id, key_id)


async def use_keys(tx: Tx, used: dict[tuple[UUID, UUID], datetime]) -> None:
    """Store when keys were last used."""
    # Sorted, so that two processes that write the same keys do not deadlock.
    ordered = sorted(used)
    await tx.execute(
        _USE_KEYS,
        [org_id for org_id, _ in ordered],
        [key_id for _, key_id in ordered],
        [used[each] for each in ordered],
    )


async def take_node(tx: Tx, now: datetime) -> int:
    """Return the next number for a process; modulo the number of nodes, it is a clock node."""
    return await tx.fetchval(_TAKE_NODE, now)


async def lease_node(tx: Tx, node: int, until: datetime) -> None:
    """Lease a clock node, or renew its lease."""
    await tx.execute(_LEASE_NODE, node, until)
    register_commit_proof(_IS_LEASED, node, until)


async def return_node(tx: Tx, node: int) -> None:
    """End the lease of a clock node."""
    await tx.execute(_RETURN_NODE, node)


async def claim_mode(tx: Tx, mode: Mode) -> Mode:
    """Set the mode of the database unless it has one; return its mode."""
    if (stored := await tx.fetchval(_MODE)) is not None:
        return Mode(stored)
    await tx.execute(_CLAIM_MODE, mode.value)
    return Mode(await tx.fetchval(_MODE))
