"""Statements on chain_attempts and chain_accounts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import column_arrays, read_row
from landbridge.providers.evm.fees import GasFees
from landbridge.providers.evm.outbox.model import (
    SendingAccount,
    TransactionAttempt,
)

SENT_BEFORE = "the chain has transactions of this address that are not in the database"

_ADD_ACCOUNT = """
insert into chain_accounts (chain, address, relayer_index, next_nonce) values ($1, $2, $3, $4)
on conflict (chain, address) do nothing
returning true
"""

_RELAYERS = """
select address, relayer_index, next_nonce, stopped_at, stopped_reason, balance_wei
from chain_accounts where chain = $1 and relayer_index is not null order by relayer_index
"""

_LOCK_ACCOUNTS = """
select address, relayer_index, next_nonce, stopped_at, stopped_reason, balance_wei
from chain_accounts where chain = $1 and address = any($2) order by address for update
"""

_SET_NONCES = """
update chain_accounts a set next_nonce = i.nonce
from unnest($2::text[], $3::bigint[]) as i (address, nonce)
where a.chain = $1 and a.address = i.address
"""

_SET_BALANCES = """
update chain_accounts a set balance_wei = i.wei, checked_at = $4
from unnest($2::text[], $3::numeric[]) as i (address, wei)
where a.chain = $1 and a.address = i.address
"""

_STOP = """
update chain_accounts
set stopped_at = $3, stopped_reason = $4, next_nonce = greatest(next_nonce, $5)
where chain = $1 and address = $2 and stopped_at is null
returning true
"""

_STOPPED = """
select address from chain_accounts
where chain = $1 and address = any($2) and stopped_at is not null
"""

_TAKE = """
update chain_attempts set is_taken = true
where chain = $1 and account = $2 and block_number is null and not is_taken
    and (nonce = any($3) or nonce < $4 and sent_at is null)
"""

_RESUME = """
update chain_accounts set stopped_at = null, stopped_reason = null
where chain = $1 and address = $2 and stopped_at is not null
returning true
"""

_ADD = """
insert into chain_attempts (org_id, key, chain, hash, account, nonce, step, kind, is_payment, raw,
    request, max_fee_wei, tip_wei, created_at)
select i.org_id, i.key, $1, i.hash, i.account, i.nonce, i.step, i.kind, i.is_payment, i.raw,
    i.request, i.max_fee_wei, i.tip_wei, i.created_at
from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::smallint[],
    $8::text[], $9::boolean[], $10::bytea[], $11::bytea[], $12::bigint[], $13::bigint[],
    $14::timestamptz[])
    as i (org_id, key, hash, account, nonce, step, kind, is_payment, raw, request, max_fee_wei,
        tip_wei, created_at)
"""

# Native coins that left the relayers: their gas, and coins sent to wallets that pay their own.
_GAS_OF = """
select a.org_id, sum(a.gas_wei + case
    when a.is_payment or not a.is_success then 0
    else (convert_from(a.request, 'UTF8')::jsonb ->> 'value_wei')::numeric
end) as wei
from chain_attempts a join chain_accounts c on c.chain = a.chain and c.address = a.account
where a.org_id = any($1) and a.chain = $2 and a.created_at >= $3 and a.gas_wei is not null
    and c.relayer_index is not null
group by a.org_id
"""

_OF_ORDERS = """
select
    a.hash, a.account, a.nonce, a.org_id, a.key, a.step, a.kind, a.is_payment, a.raw, a.request,
    a.max_fee_wei, a.tip_wei, a.created_at, a.sent_at, a.block_number, a.block_hash,
    a.is_success, a.gas_wei, a.is_taken
from unnest($1::uuid[], $2::uuid[]) as i (org_id, key)
join chain_attempts a on a.org_id = i.org_id and a.key = i.key
order by a.step, a.nonce, a.created_at, a.hash
"""

_AT_NONCES = """
select
    hash, account, nonce, org_id, key, step, kind, is_payment, raw, request, max_fee_wei,
    tip_wei, created_at, sent_at, block_number, block_hash, is_success, gas_wei, is_taken
from chain_attempts where chain = $1 and account = $2 and nonce = any($3)
order by nonce, max_fee_wei
"""

# The newest attempt of each nonce that is in no block, unless it was sent since `$2`. Left out are
# stopped accounts, and payments of orders that were reported as failed.
_TO_SEND = """
select
    hash, account, nonce, org_id, key, step, kind, is_payment, raw, request, max_fee_wei,
    tip_wei, created_at, sent_at, block_number, block_hash, is_success, gas_wei, is_taken
from (
    select distinct on (a.account, a.nonce)
        a.hash, a.account, a.nonce, a.org_id, a.key, a.step, a.kind, a.is_payment, a.raw,
        a.request, a.max_fee_wei, a.tip_wei, a.created_at, a.sent_at, a.block_number,
        a.block_hash, a.is_success, a.gas_wei, a.is_taken
    from chain_attempts a join chain_orders o on o.org_id = a.org_id and o.key = a.key
        join chain_accounts c on c.chain = a.chain and c.address = a.account
    where a.chain = $1 and o.chain = $1 and o.state not in ('FINAL', 'REVERTED', 'REJECTED')
        and c.stopped_at is null and not a.is_taken
        and (o.failed_at is null or not a.is_payment or a.kind = 'cancellation')
        and not exists (
            select from chain_attempts m
            where m.org_id = a.org_id and m.key = a.key and m.account = a.account
                and m.nonce = a.nonce and m.block_number is not null
        )
    order by a.account, a.nonce, a.max_fee_wei desc
) newest
where sent_at is null or sent_at < $2
order by account, nonce limit $3
"""

# The payment with the highest fee of each nonce, for orders that were reported as failed and then
# reopened.
_TO_CANCEL = """
select
    a.hash, a.account, a.nonce, a.org_id, a.key, a.step, a.kind, a.is_payment, a.raw, a.request,
    a.max_fee_wei, a.tip_wei, a.created_at, a.sent_at, a.block_number, a.block_hash,
    a.is_success, a.gas_wei, a.is_taken
from chain_orders o join chain_attempts a on a.org_id = o.org_id and a.key = o.key
    join chain_accounts c on c.chain = a.chain and c.address = a.account
where o.chain = $1 and o.state = 'SENT' and o.failed_at is not null and a.step = o.step
    and a.is_payment and a.kind <> 'cancellation' and not a.is_taken and c.stopped_at is null
    and not exists (
        select from chain_attempts m
        where m.org_id = a.org_id and m.key = a.key and m.account = a.account
            and m.nonce = a.nonce and (m.block_number is not null or m.max_fee_wei > a.max_fee_wei)
    )
"""

_SET_SENT = """
update chain_attempts a set sent_at = $1
from unnest($2::uuid[], $3::text[]) as i (org_id, hash)
where a.org_id = i.org_id and a.hash = i.hash
"""

_SET_MINED = """
update chain_attempts a
set block_number = i.block_number, block_hash = i.block_hash, is_success = i.is_success,
    gas_wei = i.gas_wei
from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::boolean[], $6::numeric[])
    as i (org_id, hash, block_number, block_hash, is_success, gas_wei)
where a.org_id = i.org_id and a.hash = i.hash
"""

_IN_FLIGHT = """
select a.account, count(distinct a.nonce) as count
from chain_attempts a join chain_orders o on o.org_id = a.org_id and o.key = a.key
where a.chain = $1 and o.chain = $1 and o.state in ('SIGNED', 'SENT') and a.block_number is null
    and not a.is_taken
group by a.account
"""

# By paying address: whether it sends a transaction itself, and whether a transaction may delegate
# it.
_NONCES_IN_FLIGHT = """
select o.source, bool_or(a.account = o.source) as is_own,
    bool_or(a.account <> o.source and o.method = 'eip7702') as is_delegating
from chain_orders o join chain_attempts a on a.org_id = o.org_id and a.key = o.key
where o.chain = $1 and o.source = any($2) and o.state in ('SIGNED', 'SENT')
    and a.step = o.step and a.block_number is null and not a.is_taken
group by o.source
"""

_MINED_DELEGATIONS = """
select a.request
from chain_orders o join chain_attempts a on a.org_id = o.org_id and a.key = o.key
where o.org_id = $1 and o.chain = $2 and o.source = $3 and o.method = 'eip7702'
    and a.block_number is not null
"""


async def nonces_in_flight(
    tx: Tx, chain: str, sources: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return which of these addresses send a transaction themselves, and which may delegate."""
    rows = await tx.fetch(_NONCES_IN_FLIGHT, chain, list(sources))
    return (
        {row["source"] for row in rows if row["is_own"]},
        {row["source"] for row in rows if row["is_delegating"]},
    )


async def mined_delegations(tx: Tx, org_id: UUID, chain: str, source: str) -> list[bytes]:
    """Return the unsigned transactions that relayers sent for the calls of an address."""
    return [row["request"] for row in await tx.fetch(_MINED_DELEGATIONS, org_id, chain, source)]


async def gas_of(
    tx: Tx, org_ids: Collection[UUID], chain: str, since: datetime
) -> Mapping[UUID, int]:
    """Return what relayers paid for each organisation's transactions since `since`, in wei.

    Native coins that they sent to its wallets are included.
    """
    rows = await tx.fetch(_GAS_OF, list(org_ids), chain, since)
    return {row["org_id"]: int(row["wei"]) for row in rows}


async def add_account(
    tx: Tx, chain: str, address: str, *, relayer_index: int | None, next_nonce: int
) -> bool:
    """Store an account; return False if it is stored already."""
    return bool(await tx.fetchval(_ADD_ACCOUNT, chain, address, relayer_index, next_nonce))


async def relayers(tx: Tx, chain: str) -> list[SendingAccount]:
    """Return the relayers of a chain, ordered by index."""
    return [read_row(row, SendingAccount) for row in await tx.fetch(_RELAYERS, chain)]


async def lock_accounts(
    tx: Tx, chain: str, addresses: Sequence[str]
) -> Mapping[str, SendingAccount]:
    """Lock accounts and return them, by address."""
    rows = await tx.fetch(_LOCK_ACCOUNTS, chain, list(addresses))
    return {row["address"]: read_row(row, SendingAccount) for row in rows}


async def set_nonces(tx: Tx, chain: str, nonces: Mapping[str, int]) -> None:
    """Store the next nonce of each account."""
    await tx.execute(_SET_NONCES, chain, list(nonces), list(nonces.values()))


async def set_balances(tx: Tx, chain: str, balances: Mapping[str, int], at: datetime) -> None:
    """Store the native coins of each account."""
    await tx.execute(_SET_BALANCES, chain, list(balances), list(balances.values()), at)


async def stop(
    tx: Tx, chain: str, address: str, at: datetime, reason: str, *, next_nonce: int
) -> bool:
    """Stop an account, for which the chain counts `next_nonce`; return False if it is stopped."""
    return bool(await tx.fetchval(_STOP, chain, address, at, reason, next_nonce))


async def stopped(tx: Tx, chain: str, addresses: Collection[str]) -> set[str]:
    """Return which of these accounts are stopped."""
    return {row["address"] for row in await tx.fetch(_STOPPED, chain, list(addresses))}


async def mark_nonces_used(
    tx: Tx, chain: str, address: str, nonces: Collection[int], *, next_nonce: int
) -> None:
    """Mark attempts as taken: those at these nonces, and those below `next_nonce` never sent."""
    await tx.execute(_TAKE, chain, address, list(nonces), next_nonce)


async def resume(tx: Tx, chain: str, address: str) -> bool:
    """Let a stopped account send again; return False if it is not stopped."""
    return bool(await tx.fetchval(_RESUME, chain, address))


async def add(tx: Tx, chain: str, attempts: Sequence[TransactionAttempt]) -> None:
    """Store signed transactions; raises for a second one of the same account, nonce and fee."""
    await tx.execute(
        _ADD,
        chain,
        *column_arrays(
            _ADD,
            attempts,
            max_fee_wei=[each.fees.max_fee_wei for each in attempts],
            tip_wei=[each.fees.tip_wei for each in attempts],
        ),
    )


async def of_orders(tx: Tx, keys: Collection[tuple[UUID, UUID]]) -> list[TransactionAttempt]:
    """Return the attempts of these orders, sorted by step, nonce and age."""
    rows = await tx.fetch(_OF_ORDERS, [org_id for org_id, _ in keys], [key for _, key in keys])
    return [_attempt(row) for row in rows]


async def at_nonces(
    tx: Tx, chain: str, account: str, nonces: Sequence[int]
) -> list[TransactionAttempt]:
    """Return the attempts of an account that have one of these nonces."""
    return [_attempt(row) for row in await tx.fetch(_AT_NONCES, chain, account, list(nonces))]


async def to_send(tx: Tx, chain: str, *, before: datetime, limit: int) -> list[TransactionAttempt]:
    """Return attempts to send (again): in no block, and not sent since `before`.

    They are sorted by nonce, and each nonce has only the attempt with the highest fee.
    """
    return [_attempt(row) for row in await tx.fetch(_TO_SEND, chain, before, limit)]


async def to_cancel(tx: Tx, chain: str) -> list[TransactionAttempt]:
    """Return payments that are reported as failed, but could still get into a block."""
    return [_attempt(row) for row in await tx.fetch(_TO_CANCEL, chain)]


async def set_sent(tx: Tx, attempts: Sequence[TransactionAttempt], at: datetime) -> None:
    """Store the time at which these attempts were sent (again)."""
    await tx.execute(
        _SET_SENT, at, [each.org_id for each in attempts], [each.hash for each in attempts]
    )


async def set_mined(tx: Tx, attempts: Sequence[TransactionAttempt]) -> None:
    """Store the blocks of these attempts, or that no block has them any more."""
    await tx.execute(_SET_MINED, *column_arrays(_SET_MINED, attempts))


async def in_flight(tx: Tx, chain: str) -> Mapping[str, int]:
    """Return the number of nonces in no block, by account; accounts without any are left out."""
    return {row["account"]: row["count"] for row in await tx.fetch(_IN_FLIGHT, chain)}


def _attempt(row: Row) -> TransactionAttempt:
    return read_row(
        row,
        TransactionAttempt,
        fees=GasFees(max_fee_wei=row["max_fee_wei"], tip_wei=row["tip_wei"]),
    )
