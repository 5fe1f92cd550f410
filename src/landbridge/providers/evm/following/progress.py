"""Progress of the block follower: the cursor, lease and recent blocks of each chain.

The caller runs these statements in the transaction that writes what the blocks contain.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.following.model import BlockRef, ChainCursor

_TAKE_LEASE = """
update chain_cursors set leased_to = $2, leased_until = $4
where chain = $1 and (leased_to is null or leased_to = $2 or leased_until <= $3)
returning chain, start_number, start_hash, confirmed_number, confirmed_hash, final_number,
    final_hash
"""

_HELD = """
select chain, start_number, start_hash, confirmed_number, confirmed_hash, final_number, final_hash
from chain_cursors
where chain = $1 and leased_to = $2 and leased_until > $3
"""

_HAS_CURSOR = "select true from chain_cursors where chain = $1"

_START_NUMBER = "select start_number from chain_cursors where chain = $1"

_START = """
insert into chain_cursors
    (chain, start_number, start_hash, confirmed_number, confirmed_hash, final_number, final_hash)
values ($1, $2, $3, $2, $3, $2, $3)
on conflict (chain) do nothing
returning chain
"""

_LOCK = """
select chain, start_number, start_hash, confirmed_number, confirmed_hash, final_number, final_hash
from chain_cursors
where chain = $1
for update
"""

_MOVE = """
update chain_cursors
set start_number = $2, start_hash = $3, confirmed_number = $4, confirmed_hash = $5,
    final_number = $6, final_hash = $7
where chain = $1
"""

_ADD_BLOCKS = """
insert into chain_blocks (chain, number, hash)
select $1, b.number, b.hash from unnest($2::bigint[], $3::text[]) as b (number, hash)
on conflict (chain, number) do update set hash = excluded.hash
"""

_BLOCKS = """
select number, hash
from chain_blocks
where chain = $1 and number between $2 and $3
order by number
"""

_REMOVE_ABOVE = "delete from chain_blocks where chain = $1 and number > $2"

# Blocks up to the start are kept, because they are the last ones to compare with; of the others,
# every thousandth is kept.
_PRUNE = """
delete from chain_blocks
where chain = $1 and number > $2 and number < $3 and number % 1000 <> 0
"""


async def take_lease(
    tx: Tx, chain: Network, owner: UUID, *, now: datetime, until: datetime
) -> ChainCursor | None:
    """Lease the chain's cursor to `owner` and return it; None if leased to another or missing."""
    row = await tx.fetchrow(_TAKE_LEASE, chain, owner, now, until)
    return None if row is None else _cursor(row)


async def find_leased_cursor(
    tx: Tx, chain: Network, owner: UUID, *, longer_than: datetime
) -> ChainCursor | None:
    """Return the chain's cursor if `owner` holds its lease beyond `longer_than`; otherwise None."""
    row = await tx.fetchrow(_HELD, chain, owner, longer_than)
    return None if row is None else _cursor(row)


async def has_cursor(tx: Tx, chain: Network) -> bool:
    """Return whether the chain has a cursor."""
    return bool(await tx.fetchval(_HAS_CURSOR, chain))


async def start_number(tx: Tx, chain: Network) -> int:
    """Return the block from which on the chain is followed; 0 if it is not followed yet."""
    return await tx.fetchval(_START_NUMBER, chain) or 0


async def add_cursor(tx: Tx, chain: Network, start: BlockRef) -> bool:
    """Store the cursor of a new chain; return False if it has one."""
    return await tx.fetchval(_START, chain, start.number, start.hash) is not None


async def lock_cursor(tx: Tx, cursor: ChainCursor) -> bool:
    """Lock the chain's cursor; return whether it is still equal to `cursor`."""
    row = await tx.fetchrow(_LOCK, cursor.chain)
    return row is not None and _cursor(row) == cursor


async def move_cursor(tx: Tx, cursor: ChainCursor) -> None:
    """Store a new position of the cursor, which the caller has locked."""
    await tx.execute(
        _MOVE,
        cursor.chain,
        cursor.start.number,
        cursor.start.hash,
        cursor.confirmed.number,
        cursor.confirmed.hash,
        cursor.final.number,
        cursor.final.hash,
    )


async def add_blocks(tx: Tx, chain: Network, blocks: Sequence[BlockRef]) -> None:
    """Store blocks, replacing blocks with the same number."""
    numbers, hashes = [each.number for each in blocks], [each.hash for each in blocks]
    await tx.execute(_ADD_BLOCKS, chain, numbers, hashes)


async def blocks(tx: Tx, chain: Network, *, first: int, last: int) -> list[BlockRef]:
    """Return the stored blocks from `first` to `last`, both included, in ascending order."""
    rows = await tx.fetch(_BLOCKS, chain, first, last)
    return [BlockRef(row["number"], row["hash"]) for row in rows]


async def remove_blocks_above(tx: Tx, chain: Network, number: int) -> None:
    """Remove blocks that a reorganisation has removed from the chain."""
    await tx.execute(_REMOVE_ABOVE, chain, number)


async def prune_blocks(tx: Tx, chain: Network, *, above: int, below: int) -> None:
    """Remove old blocks between two numbers, except every thousandth."""
    await tx.execute(_PRUNE, chain, above, below)


def _cursor(row: Row) -> ChainCursor:
    return ChainCursor(
        chain=Network(row["chain"]),
        start=BlockRef(row["start_number"], row["start_hash"]),
        confirmed=BlockRef(row["confirmed_number"], row["confirmed_hash"]),
        final=BlockRef(row["final_number"], row["final_hash"]),
    )
