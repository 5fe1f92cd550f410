"""All SQL statements on treasury_deposits, and the lookup of addresses that await coins.

A chain has deposits of all organisations, so some statements have no condition on org_id.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.customers.chain_deposits.model import (
    TreasuryDeposit,
    TreasuryDepositStatus,
)
from landbridge.customers.chain_deposits.store import BLOCK_MAX
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.chains.tokens import Chain

# An organisation's own address is known by the payments that have awaited coins there.
_MATCH = """
select i.place, t.org_id, exists (
    select from wallets s
    where s.org_id = t.org_id and s.chain = any($3::text[]) and s.address = i.source
) as is_own
from unnest($1::text[], $2::text[]) with ordinality as i (destination, source, place)
cross join lateral (
    select o.org_id
    from transfers o
    where o.kind = 'OFFRAMP' and o.details ->> 'external_wallet_id' is not null
        and o.details ->> 'destination_address' = i.destination
    limit 1
) t
where i.source <> i.destination
"""

_ADD = """
insert into treasury_deposits
    (org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
        destination_address, status, found_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'CONFIRMED', $10)
on conflict (org_id, id) do update
set block_number = excluded.block_number, is_lost = false, returns_by = null,
    units = excluded.units,
    status = case
        when treasury_deposits.status in ('LOST', 'REVERSED') then 'CONFIRMED'
        else treasury_deposits.status
    end
where treasury_deposits.units = excluded.units
    or treasury_deposits.status in ('CONFIRMED', 'LOST', 'REVERSED')
        and treasury_deposits.transfer_id is null
"""

_SET_FINAL = """
update treasury_deposits set status = 'FINAL'
where (org_id, id) in (select * from unnest($1::uuid[], $2::uuid[])) and status = 'CONFIRMED'
returning org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
    destination_address, status, transfer_id, reversals, found_at, is_suspended
"""

_SET_SUSPENDED = """
update treasury_deposits set is_suspended = $3 where org_id = $1 and id = $2
"""

_CONFIRMED = """
select transaction_hash
from treasury_deposits
where chain = $1 and block_number between $2 and $3 and status = 'CONFIRMED'
"""

_REMOVE_CONFIRMED = """
delete from treasury_deposits
where chain = $1 and block_number between $2 and $3 and status = 'CONFIRMED'
    and transfer_id is null
"""

# Deposits that were mined again, and that a payment had booked before the reorganisation.
_LOSE_CONFIRMED = """
update treasury_deposits set status = 'LOST'
where chain = $1 and block_number between $2 and $3 and status = 'CONFIRMED'
    and transfer_id is not null
"""

_LOSE = """
update treasury_deposits set is_lost = true, returns_by = greatest(block_number, $3)
where chain = $1 and block_number > $2 and status in ('FINAL', 'SETTLED', 'UNMATCHED')
    and not is_lost
returning id
"""

_OVERDUE = """
select org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
    destination_address, status, transfer_id, reversals, found_at, is_suspended
from treasury_deposits
where chain = $1 and coalesce(returns_by, block_number) <= $2 and is_lost
order by found_at
limit $3
"""

_GIVE_UP = """
update treasury_deposits set status = 'LOST', is_lost = false
where org_id = $1 and id = $2 and is_lost
"""

_LOST = """
select org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
    destination_address, status, transfer_id, reversals, found_at, is_suspended
from treasury_deposits
where org_id = $1 and status = 'LOST'
order by found_at
limit $2
"""

_SET_REVERSED = """
update treasury_deposits set status = 'REVERSED', reversals = $3 where org_id = $1 and id = $2
"""

_COUNT_LOST = "select count(*) from treasury_deposits where chain = $1 and is_lost"

_LOCK_FINAL = """
select org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
    destination_address, status, transfer_id, reversals, found_at, is_suspended
from treasury_deposits
where org_id = $1 and status = 'FINAL' and not is_lost and not is_suspended
order by found_at
limit $2
for update
"""

_WITH_FINAL = """
select distinct org_id
from treasury_deposits
where org_id = any($1::uuid[]) and (
    status = 'FINAL' and not is_lost and not is_suspended or status = 'LOST'
)
"""

_HAS_OPEN = """
select exists (
    select from treasury_deposits
    where org_id = $1 and source_address = $2 and found_at < $3
        and status in ('CONFIRMED', 'FINAL') and not is_lost
)
"""

_HAS_TAKEN = """
select exists (
    select from treasury_deposits
    where org_id = $1 and transfer_id = $2 and asset = $3 and transaction_hash = $4
)
"""

_IS_GONE = """
select exists (
    select from treasury_deposits
    where org_id = $1 and transfer_id = $2 and asset = $3 and transaction_hash = $4
        and (is_lost or status not in ('FINAL', 'SETTLED'))
)
"""

_FIND = """
select org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
    destination_address, status, transfer_id, reversals, found_at, is_suspended
from treasury_deposits
where org_id = $1 and id = $2
for update
"""

_KEPT = """
select org_id, id, chain, transaction_hash, block_number, asset, units, source_address,
    destination_address, status, transfer_id, reversals, found_at, is_suspended
from treasury_deposits
where org_id = $1 and status = 'UNMATCHED' and not is_lost and not is_suspended
order by found_at desc
limit $2
"""

_SET = """
update treasury_deposits set status = $3, transfer_id = $4 where org_id = $1 and id = $2
"""

# A deposit that was lost for good in the meantime becomes LOST, so that its booking is reversed.
_SETTLE = """
update treasury_deposits
set transfer_id = $3,
    status = case when status in ('LOST', 'REVERSED') then 'LOST' else 'SETTLED' end
where org_id = $1 and id = $2
"""


async def match(tx: Tx, pairs: Sequence[tuple[str, str]]) -> Mapping[int, Row]:
    """Return the treasuries at the destinations of (destination, source) pairs, by pair index."""
    rows = await tx.fetch(
        _MATCH,
        [destination for destination, _ in pairs],
        [source for _, source in pairs],
        list(Chain),
    )
    return {row["place"] - 1: row for row in rows}


async def add(tx: Tx, deposit: TreasuryDeposit) -> None:
    """Store a found deposit; a known one moves to this block, and is not lost any more.

    One that was final and returns with another amount stays lost, and its booking is reversed.
    """
    await write_row(tx, _ADD, deposit)


async def set_final(tx: Tx, deposits: Sequence[TreasuryDeposit]) -> Sequence[TreasuryDeposit]:
    """Mark these deposits as final, and return those that were not before."""
    rows = await tx.fetch(
        _SET_FINAL, [each.org_id for each in deposits], [each.id for each in deposits]
    )
    return [_deposit(row) for row in rows]


async def set_suspended(tx: Tx, deposit: TreasuryDeposit, *, is_suspended: bool) -> None:
    """Store whether a deposit waits for its screening; the caller has locked it."""
    await tx.execute(_SET_SUSPENDED, deposit.org_id, deposit.id, is_suspended)


async def confirmed_transactions(tx: Tx, chain: Chain, first: int, last: int) -> set[str]:
    """Return the transactions of confirmed deposits in a range of blocks, both ends included."""
    return {row["transaction_hash"] for row in await tx.fetch(_CONFIRMED, chain, first, last)}


async def remove_confirmed(tx: Tx, chain: Chain, *, first: int, last: int = BLOCK_MAX) -> None:
    """Remove deposits that are not final, in a range of blocks, both ends included.

    Those that a payment has booked are marked as gone for good instead.
    """
    await tx.execute(_REMOVE_CONFIRMED, chain, first, last)
    await tx.execute(_LOSE_CONFIRMED, chain, first, last)


async def lose(tx: Tx, chain: Chain, *, above: int, returns_by: int) -> int:
    """Mark the final deposits above a block as lost until they return, and count them.

    They may be mined again until block `returns_by`, or their own if higher, is final.
    """
    return len(await tx.fetch(_LOSE, chain, above, returns_by))


async def overdue(tx: Tx, chain: Chain, *, final: int, limit: int) -> Sequence[TreasuryDeposit]:
    """Return lost deposits that were not mined again by the final block."""
    return [_deposit(row) for row in await tx.fetch(_OVERDUE, chain, final, limit)]


async def give_up(tx: Tx, deposit: TreasuryDeposit) -> None:
    """Mark a lost deposit as gone for good, so that the worker reverses it."""
    await tx.execute(_GIVE_UP, deposit.org_id, deposit.id)


async def lost(tx: Tx, org_id: UUID, limit: int) -> Sequence[TreasuryDeposit]:
    """Return deposits of an organisation that are gone for good, oldest first."""
    return [_deposit(row) for row in await tx.fetch(_LOST, org_id, limit)]


async def set_reversed(tx: Tx, deposit: TreasuryDeposit) -> None:
    """Close a deposit that was reversed; the caller has locked it."""
    await tx.execute(_SET_REVERSED, deposit.org_id, deposit.id, deposit.reversals)


async def count_lost(tx: Tx, chain: Chain) -> int:
    """Count the deposits that were final and are in a block that the chain has lost."""
    return await tx.fetchval(_COUNT_LOST, chain)


async def with_final(tx: Tx, org_ids: Collection[UUID]) -> Sequence[UUID]:
    """Return which of these organisations have final or lost deposits for the worker."""
    return [row["org_id"] for row in await tx.fetch(_WITH_FINAL, list(org_ids))]


async def lock_final(tx: Tx, org_id: UUID, limit: int) -> Sequence[TreasuryDeposit]:
    """Lock the final deposits of an organisation that wait for the worker, oldest first."""
    return [_deposit(row) for row in await tx.fetch(_LOCK_FINAL, org_id, limit)]


async def has_open(tx: Tx, org_id: UUID, source: str, *, before: datetime) -> bool:
    """Return whether a sender has deposits, found before this time, that are not settled."""
    return await tx.fetchval(_HAS_OPEN, org_id, source, before)


async def is_gone(tx: Tx, org_id: UUID, transfer_id: UUID, asset: str, chain_hash: str) -> bool:
    """Return whether a chain has lost a deposit of a payment, and it is not final again."""
    return await tx.fetchval(_IS_GONE, org_id, transfer_id, asset, chain_hash)


async def lock(tx: Tx, org_id: UUID, id_: UUID) -> TreasuryDeposit | None:
    """Lock one deposit and return it."""
    row = await tx.fetchrow(_FIND, org_id, id_)
    return None if row is None else _deposit(row)


async def kept(tx: Tx, org_id: UUID, limit: int) -> Sequence[TreasuryDeposit]:
    """Return unmatched deposits, newest first."""
    return [_deposit(row) for row in await tx.fetch(_KEPT, org_id, limit)]


async def set_status(
    tx: Tx, deposit: TreasuryDeposit, status: TreasuryDepositStatus, transfer_id: UUID | None
) -> None:
    """Store what became of a deposit; the caller has locked it."""
    await tx.execute(_SET, deposit.org_id, deposit.id, status, transfer_id)


def _deposit(row: Row) -> TreasuryDeposit:
    return read_row(row, TreasuryDeposit, units=int(row["units"]))


async def settle(tx: Tx, deposit: TreasuryDeposit, transfer_id: UUID) -> None:
    """Close a deposit whose payment has taken the coins, or returns them."""
    await tx.execute(_SETTLE, deposit.org_id, deposit.id, transfer_id)


async def has_taken(tx: Tx, deposit: TreasuryDeposit, transfer_id: UUID) -> bool:
    """Return whether a payment has another deposit of the same transaction and asset."""
    return await tx.fetchval(
        _HAS_TAKEN, deposit.org_id, transfer_id, deposit.asset, deposit.transaction_hash
    )
