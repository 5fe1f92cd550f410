"""All SQL statements on chain_deposits, and the lookups of wallets and open reversals.

A chain has deposits of all organisations, so some statements have no condition on org_id.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from landbridge.customers.chain_deposits.model import ChainDeposit
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.following.model import BlockRef

# A user's address is the same on every EVM chain, so senders are matched on any chain.
_MATCH = """
select i.place, w.org_id, w.id as wallet_id, w.user_id, exists (
    select from wallets s
    where s.org_id = w.org_id and s.chain = any($4::text[]) and s.address = i.source
) as is_own
from unnest($2::text[], $3::text[]) with ordinality as i (destination, source, place)
join wallets w on w.chain = $1 and w.address = i.destination
"""

_ADD = """
insert into chain_deposits
    (org_id, id, chain, transaction_hash, position, block_number, block_hash, wallet_id, user_id,
        asset, units, source_address, contract_address, status, found_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'CONFIRMED', $14)
on conflict (org_id, id) do update
set block_number = excluded.block_number, block_hash = excluded.block_hash,
    wallet_id = excluded.wallet_id, user_id = excluded.user_id, asset = excluded.asset,
    units = excluded.units, source_address = excluded.source_address,
    contract_address = excluded.contract_address
where chain_deposits.status in ('CONFIRMED', 'REVERSED')
    or chain_deposits.status = 'ORPHANED' and (
        chain_deposits.wallet_id, chain_deposits.asset, chain_deposits.units,
        chain_deposits.source_address
    ) = (excluded.wallet_id, excluded.asset, excluded.units, excluded.source_address)
"""

_ORPHANED = """
select org_id, id, chain, transaction_hash, position, block_number, block_hash, wallet_id, user_id,
    asset, units, source_address, contract_address, status, credits, found_at,
    is_suspended
from chain_deposits
where (org_id, id) in (select * from unnest($1::uuid[], $2::uuid[])) and status = 'ORPHANED'
order by org_id, id
"""

_LOCK = """
select org_id, id, chain, transaction_hash, position, block_number, block_hash, wallet_id, user_id,
    asset, units, source_address, contract_address, status, credits, found_at,
    is_suspended
from chain_deposits
where (org_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))
order by org_id, id
for update
"""

_CONFIRMED = """
select transaction_hash
from chain_deposits
where chain = $1 and block_number between $2 and $3 and status = 'CONFIRMED'
"""

_SET_STATUS = """
update chain_deposits set status = $3, credits = $4, is_suspended = $5
where org_id = $1 and id = $2
"""

_REMOVE_CONFIRMED = """
delete from chain_deposits
where chain = $1 and block_number between $2 and $3 and status = 'CONFIRMED'
"""

_ORPHAN = """
update chain_deposits set status = 'ORPHANED', returns_by = greatest(block_number, $3)
where chain = $1 and block_number > $2 and status = 'COMPLETED'
returning id
"""

_ORPHANS = """
select org_id, id, chain, transaction_hash, position, block_number, block_hash, wallet_id, user_id,
    asset, units, source_address, contract_address, status, credits, found_at,
    is_suspended
from chain_deposits
where chain = $1 and returns_by <= $2 and status = 'ORPHANED'
order by returns_by
limit $3
"""

_COUNT_ORPHANS = "select count(*) from chain_deposits where chain = $1 and status = 'ORPHANED'"

_OPEN_REVERSALS = """
select org_id, id
from transfers
where org_id = any($1::uuid[]) and kind = 'WALLET.DEPOSIT.REVERSAL' and status = 'OPEN'
    and due_at is null
order by org_id, created_at
limit $2
"""

# Above any block number.
BLOCK_MAX = 2**62


async def match(
    tx: Tx, chain: Chain, pairs: Sequence[tuple[str, str]]
) -> Mapping[int, Sequence[Row]]:
    """Return the wallets at the destinations of (destination, source) pairs, by pair index."""
    rows = await tx.fetch(
        _MATCH,
        chain,
        [destination for destination, _ in pairs],
        [source for _, source in pairs],
        list(Chain),
    )
    found: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["place"] - 1].append(row)
    return found


async def add(tx: Tx, deposit: ChainDeposit) -> None:
    """Store a found deposit; one that is known and not credited moves to this block.

    An orphaned one that returns with another amount, sender or wallet is left to be reversed.
    """
    await write_row(
        tx, _ADD, deposit, block_number=deposit.block.number, block_hash=deposit.block.hash
    )


async def lock(tx: Tx, keys: Collection[tuple[UUID, UUID]]) -> Sequence[ChainDeposit]:
    """Lock deposits by (organisation, id), and return them."""
    ordered = sorted(keys)
    rows = await tx.fetch(_LOCK, [org_id for org_id, _ in ordered], [id_ for _, id_ in ordered])
    return [_deposit(row) for row in rows]


async def confirmed_transactions(tx: Tx, chain: Chain, first: int, last: int) -> set[str]:
    """Return the transactions of confirmed deposits in a range of blocks, both ends included."""
    return {row["transaction_hash"] for row in await tx.fetch(_CONFIRMED, chain, first, last)}


async def set_status(tx: Tx, deposit: ChainDeposit) -> None:
    """Store the status of a deposit, which the caller has locked."""
    await write_row(tx, _SET_STATUS, deposit)


async def remove_confirmed(tx: Tx, chain: Chain, *, first: int = 0, last: int = BLOCK_MAX) -> None:
    """Remove deposits that are not credited, in a range of blocks, both ends included."""
    await tx.execute(_REMOVE_CONFIRMED, chain, first, last)


async def orphan(tx: Tx, chain: Chain, *, above: int, returns_by: int) -> int:
    """Mark the credited deposits above a block as orphaned, and count them.

    They may be mined again until block `returns_by`, or their own if higher, is final.
    """
    return len(await tx.fetch(_ORPHAN, chain, above, returns_by))


async def overdue_orphans(
    tx: Tx, chain: Chain, *, final: int, limit: int
) -> Sequence[ChainDeposit]:
    """Return orphaned deposits that were not mined again by the final block."""
    return [_deposit(row) for row in await tx.fetch(_ORPHANS, chain, final, limit)]


async def orphaned(tx: Tx, keys: Collection[tuple[UUID, UUID]]) -> Sequence[ChainDeposit]:
    """Return which of these deposits, by (organisation, id), are orphaned."""
    rows = await tx.fetch(_ORPHANED, [org_id for org_id, _ in keys], [id_ for _, id_ in keys])
    return [_deposit(row) for row in rows]


async def count_orphans(tx: Tx, chain: Chain) -> int:
    """Count the orphaned deposits of a chain."""
    return await tx.fetchval(_COUNT_ORPHANS, chain)


async def open_reversals(
    tx: Tx, org_ids: Collection[UUID], limit: int
) -> Sequence[tuple[UUID, UUID]]:
    """Return open reversals, each (organisation, id), the oldest of each organisation first."""
    rows = await tx.fetch(_OPEN_REVERSALS, list(org_ids), limit)
    return [(row["org_id"], row["id"]) for row in rows]


def _deposit(row: Row) -> ChainDeposit:
    block = BlockRef(row["block_number"], row["block_hash"])
    return read_row(row, ChainDeposit, block=block, units=int(row["units"]))
