"""Statements on the tables of provable books."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.platform.changes.model import START, LogPosition
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_optional_row, read_row
from landbridge.reporting.proofs.model import AccountState, ProofBlock, ProofTree, StoredCheckpoint
from landbridge.reporting.proofs.tree import Tile, TileKey

# Only reads, so that an organisation without activity causes no write. The lateral join needs one
# index lookup per organisation; with `exists`, PostgreSQL would read the whole log.
_BEHIND = """
select o.org_id
from unnest($1::uuid[]) as o (org_id)
left join proof_trees p on p.org_id = o.org_id
cross join lateral (
    select b.place
    from change_batches b
    where b.org_id = o.org_id and b.place >= coalesce(p.read_place, 0)
        and (
            b.place > coalesce(p.read_place, 0) or (
                select true
                from changes c
                where c.org_id = b.org_id and c.batch = b.number
                    and (c.object_id, c.seq) > (p.read_object_id, p.read_seq)
                limit 1
            )
        )
    order by b.place
    limit 1
) unread
"""

# Includes changes without a place. The first one is taken as the oldest: transactions that commit
# out of order differ by less than the interval of the sequencer.
_LAG = """
select coalesce(sum(n.count), 0)::bigint as changes,
    coalesce(max(extract(epoch from n.now - n.since)), 0)::bigint as seconds
from (
    select o.now, least(count(*), $3) as count, min(w.occurred_at) as since
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
    left join proof_trees p on p.org_id = o.org_id
    cross join lateral (
        (
            select c.occurred_at
            from change_batches b
            join changes c on c.org_id = b.org_id and c.batch = b.number
            where b.org_id = o.org_id and b.place >= coalesce(p.read_place, 0)
                and (p.org_id is null or (b.place, c.object_id, c.seq)
                    > (p.read_place, p.read_object_id, p.read_seq))
            order by b.place, c.object_id, c.seq
            limit $3
        )
        union all
        (
            select c.occurred_at
            from change_batches b
            join changes c on c.org_id = b.org_id and c.batch = b.number
            where b.org_id = o.org_id and b.place is null
            order by b.number
            limit $3
        )
    ) w
    group by o.org_id, o.now
) n
"""

_UNSIGNED = """
select p.org_id, k.created_at
from proof_trees p
left join lateral (
    select c.size, c.created_at
    from proof_checkpoints c
    where c.org_id = p.org_id and c.epoch = p.epoch
    order by c.size desc
    limit 1
) k on true
where p.org_id = any($1::uuid[]) and p.size > coalesce(k.size, 0)
"""

_BEGIN = """
insert into proof_trees (org_id, epoch, size, read_place, read_object_id, read_seq)
values ($1, 1, 0, $2, $3, $4)
on conflict (org_id) do nothing
"""

# Skips a locked row, because another worker is processing that organisation.
_TAKE = """
select org_id, epoch, size, read_place, read_object_id, read_seq, previous_head
from proof_trees
where org_id = $1
for update skip locked
"""

_LOCK = """
select org_id, epoch, size, read_place, read_object_id, read_seq, previous_head
from proof_trees
where org_id = $1
for update
"""

_FIND = """
select org_id, epoch, size, read_place, read_object_id, read_seq, previous_head
from proof_trees
where org_id = $1
"""

_ADVANCE = """
update proof_trees
set size = $2, read_place = $3, read_object_id = $4, read_seq = $5
where org_id = $1
"""

_BEGIN_EPOCH = """
update proof_trees
set epoch = $2, previous_head = $3
where org_id = $1
"""

_TILES = """
select t.level, t.number, t.hashes
from unnest($2::smallint[], $3::bigint[]) as k (level, number)
join proof_tiles t on t.org_id = $1 and t.level = k.level and t.number = k.number
"""

_WRITE_TILES = """
insert into proof_tiles as t (org_id, level, number, hashes)
select $1, n.level, n.number, n.hashes
from unnest($2::smallint[], $3::bigint[], $4::bytea[]) as n (level, number, hashes)
on conflict (org_id, level, number) do update set hashes = excluded.hashes
"""

_BLOCK = """
select number, first_place, first_object_id, first_seq, balances::text
from proof_blocks
where org_id = $1 and number = $2
"""

_BLOCKS_OF = """
select b.number, b.first_place, b.first_object_id, b.first_seq, b.balances::text
from proof_blocks b
where b.org_id = $1 and b.number = any($2::bigint[])
"""

_BLOCK_OF_CHANGE = """
select number
from proof_blocks
where org_id = $1 and (first_place, first_object_id, first_seq) <= ($2, $3, $4)
order by first_place desc, first_object_id desc, first_seq desc
limit 1
"""

_WRITE_BLOCKS = """
insert into proof_blocks as b (org_id, number, first_place, first_object_id, first_seq, balances)
select $1, n.number, n.first_place, n.first_object_id, n.first_seq, n.balances::jsonb
from unnest($2::bigint[], $3::bigint[], $4::uuid[], $5::integer[], $6::text[])
    as n (number, first_place, first_object_id, first_seq, balances)
on conflict (org_id, number) do update set balances = excluded.balances
"""

_ACCOUNTS = """
select account, entry_count, available::text, held::text
from proof_accounts
where org_id = $1 and account = any($2::text[])
"""

_ALL_ACCOUNTS = """
select account, entry_count, available::text, held::text
from proof_accounts
where org_id = $1
order by account
"""

_WRITE_ACCOUNTS = """
insert into proof_accounts as a (org_id, account, entry_count, available, held)
select $1, n.account, n.entry_count, n.available::numeric, n.held::numeric
from unnest($2::text[], $3::bigint[], $4::text[], $5::text[])
    as n (account, entry_count, available, held)
on conflict (org_id, account) do update
set entry_count = excluded.entry_count, available = excluded.available, held = excluded.held
"""

_LAST_CHECKPOINT = """
select epoch, size, root, note, created_at
from proof_checkpoints
where org_id = $1
order by epoch desc, size desc
limit 1
"""

_CHECKPOINTS = """
select epoch, size, root, note, created_at
from proof_checkpoints
where org_id = $1
order by epoch, size
"""

_ADD_CHECKPOINT = """
insert into proof_checkpoints (org_id, epoch, size, root, note, created_at)
values ($1, $2, $3, $4, $5, $6)
"""


async def find_behind(tx: Tx, org_ids: Collection[UUID]) -> list[UUID]:
    """Return the organisations with placed changes that are not in their tree."""
    return [row["org_id"] for row in await tx.fetch(_BEHIND, list(org_ids))]


async def lag(tx: Tx, clocks: Mapping[UUID, datetime], limit: int) -> tuple[int, int]:
    """Return the number of changes in no tree, at most `limit` per organisation, and an age.

    The age is that of the oldest such change in seconds, by the clock of its organisation.
    """
    row = await tx.fetchrow(_LAG, list(clocks), list(clocks.values()), limit)
    assert row is not None
    return row["changes"], max(row["seconds"], 0)


async def find_unsigned(tx: Tx, org_ids: Collection[UUID]) -> dict[UUID, datetime | None]:
    """Return organisations with leaves after the last checkpoint, and its time or None."""
    return {row["org_id"]: row["created_at"] for row in await tx.fetch(_UNSIGNED, list(org_ids))}


async def take(tx: Tx, org_id: UUID) -> ProofTree | None:
    """Lock an organisation's tree, which is created if needed; None if another worker has it."""
    await tx.execute(_BEGIN, org_id, START.place, START.object_id, START.seq)
    row = await tx.fetchrow(_TAKE, org_id)
    return None if row is None else _tree(row)


async def lock(tx: Tx, org_id: UUID) -> ProofTree:
    """Lock an organisation's tree, which is created if needed, after waiting for other workers."""
    await tx.execute(_BEGIN, org_id, START.place, START.object_id, START.seq)
    row = await tx.fetchrow(_LOCK, org_id)
    assert row is not None, "the row was inserted above, and none is ever deleted"
    return _tree(row)


async def find(tx: Tx, org_id: UUID) -> ProofTree | None:
    """Return an organisation's tree; None before its first leaf."""
    row = await tx.fetchrow(_FIND, org_id)
    return None if row is None else _tree(row)


async def advance(tx: Tx, org_id: UUID, size: int, read_to: LogPosition) -> None:
    """Store the size of a locked tree, and the position of its last leaf's change."""
    await tx.execute(_ADVANCE, org_id, size, read_to.place, read_to.object_id, read_to.seq)


async def begin_epoch(tx: Tx, org_id: UUID, epoch: int, previous_head: str) -> None:
    """Begin another epoch of a locked tree."""
    await tx.execute(_BEGIN_EPOCH, org_id, epoch, previous_head)


async def tiles(tx: Tx, org_id: UUID, keys: Collection[TileKey]) -> dict[TileKey, bytes]:
    """Return the hashes of those of these tiles that exist."""
    rows = await tx.fetch(
        _TILES, org_id, [each.level for each in keys], [each.number for each in keys]
    )
    return {TileKey(row["level"], row["number"]): row["hashes"] for row in rows}


async def write_tiles(tx: Tx, org_id: UUID, changed: Sequence[Tile]) -> None:
    """Store tiles, and replace those with the same keys."""
    await tx.execute(
        _WRITE_TILES,
        org_id,
        [each.key.level for each in changed],
        [each.key.number for each in changed],
        [each.hashes for each in changed],
    )


async def block(tx: Tx, org_id: UUID, number: int) -> ProofBlock | None:
    """Return a block; None if no leaf of it exists."""
    row = await tx.fetchrow(_BLOCK, org_id, number)
    return None if row is None else _block(row)


async def blocks(tx: Tx, org_id: UUID, numbers: Collection[int]) -> dict[int, ProofBlock]:
    """Return those of these blocks that exist."""
    found = [_block(row) for row in await tx.fetch(_BLOCKS_OF, org_id, list(numbers))]
    return {each.number: each for each in found}


async def block_of_change(tx: Tx, org_id: UUID, position: LogPosition) -> int | None:
    """Return the number of the block with a change's leaf; None if it has no leaf yet."""
    return await tx.fetchval(
        _BLOCK_OF_CHANGE, org_id, position.place, position.object_id, position.seq
    )


async def write_blocks(tx: Tx, org_id: UUID, changed: Iterable[ProofBlock]) -> None:
    """Store blocks; one that exists gets the accounts of its new leaves."""
    rows = list(changed)
    await tx.execute(
        _WRITE_BLOCKS,
        org_id,
        [each.number for each in rows],
        [each.first.place for each in rows],
        [each.first.object_id for each in rows],
        [each.first.seq for each in rows],
        [msgspec.json.encode(_texts(each.balances)).decode() for each in rows],
    )


async def accounts(tx: Tx, org_id: UUID, names: Collection[str]) -> dict[str, AccountState]:
    """Return the states of those of these accounts that exist."""
    return _states(await tx.fetch(_ACCOUNTS, org_id, list(names)))


async def all_accounts(tx: Tx, org_id: UUID) -> dict[str, AccountState]:
    """Return the states of all accounts with leaves."""
    return _states(await tx.fetch(_ALL_ACCOUNTS, org_id))


async def write_accounts(tx: Tx, org_id: UUID, states: Mapping[str, AccountState]) -> None:
    """Store the states of accounts."""
    names = sorted(states)
    await tx.execute(
        _WRITE_ACCOUNTS,
        org_id,
        names,
        [states[each].entry_count for each in names],
        [str(states[each].available) for each in names],
        [str(states[each].held) for each in names],
    )


async def last_checkpoint(tx: Tx, org_id: UUID) -> StoredCheckpoint | None:
    """Return the latest checkpoint of an organisation."""
    return read_optional_row(await tx.fetchrow(_LAST_CHECKPOINT, org_id), StoredCheckpoint)


async def checkpoints(tx: Tx, org_id: UUID) -> list[StoredCheckpoint]:
    """Return all checkpoints of an organisation, oldest first."""
    return [read_row(row, StoredCheckpoint) for row in await tx.fetch(_CHECKPOINTS, org_id)]


async def add_checkpoint(tx: Tx, org_id: UUID, new: StoredCheckpoint) -> None:
    """Store a checkpoint; raises if one of the same size exists, which would be a bug."""
    await tx.execute(
        _ADD_CHECKPOINT, org_id, new.epoch, new.size, new.root, new.note, new.created_at
    )


def _tree(row: Row) -> ProofTree:
    read_to = LogPosition(row["read_place"], row["read_object_id"], row["read_seq"])
    return ProofTree(row["org_id"], row["epoch"], row["size"], read_to, row["previous_head"])


def _block(row: Row) -> ProofBlock:
    first = LogPosition(row["first_place"], row["first_object_id"], row["first_seq"])
    # Values are [count, available, held]; the units are texts.
    stored = msgspec.json.decode(row["balances"], type=dict[str, tuple[int, str, str]])
    balances = {
        name: AccountState(count, int(available), int(held))
        for name, (count, available, held) in stored.items()
    }
    return ProofBlock(row["number"], first, balances)


def _texts(balances: Mapping[str, AccountState]) -> dict[str, tuple[int, str, str]]:
    return {
        name: (each.entry_count, str(each.available), str(each.held))
        for name, each in balances.items()
    }


def _states(rows: Sequence[Row]) -> dict[str, AccountState]:
    return {
        row["account"]: AccountState(row["entry_count"], int(row["available"]), int(row["held"]))
        for row in rows
    }
