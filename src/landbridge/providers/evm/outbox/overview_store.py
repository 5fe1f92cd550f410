"""Statements that count and list orders, attempts and accounts for operators, without changes.

`org_id` is None for all organisations together.
"""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row, read_row
from landbridge.providers.evm.outbox.model import OutboxState
from landbridge.providers.evm.outbox.overview import (
    AccountOverview,
    MessageAttempt,
    OldestOrder,
    OrderOverview,
)

_OPEN_COUNTS = """
select state, count(*) as count from chain_orders
where chain = $1 and state not in ('FINAL', 'REVERTED', 'REJECTED')
    and ($2::uuid is null or org_id = $2)
group by state
"""

_UNPAID = """
select count(*) from chain_orders
where chain = $1 and state not in ('CONFIRMED', 'FINAL', 'REVERTED', 'REJECTED')
    and confirmed_at is not null and ($2::uuid is null or org_id = $2)
"""

# An order with its confirmations only waits for the chain's finality, so it is left out.
_OLDEST = """
select org_id, record_id, state, reason, created_at from chain_orders
where chain = $1 and state not in ('CONFIRMED', 'FINAL', 'REVERTED', 'REJECTED')
    and ($2::uuid is null or org_id = $2)
order by created_at, key limit 1
"""

# Relayers, and stopped wallets.
_ACCOUNTS = """
select a.address, a.relayer_index, a.next_nonce, a.stopped_at, a.stopped_reason, a.balance_wei,
    a.checked_at, (
        select count(distinct t.nonce) from chain_attempts t
        join chain_orders o on o.org_id = t.org_id and o.key = t.key
        where t.chain = $1 and o.chain = $1 and t.account = a.address
            and o.state in ('SIGNED', 'SENT') and t.block_number is null and not t.is_taken
    ) as in_flight
from chain_accounts a
where a.chain = $1 and (a.relayer_index is not null or a.stopped_at is not null)
order by a.relayer_index nulls last, a.address
"""

_STOPPED = "select count(*) from chain_accounts where chain = $1 and stopped_at is not null"

_GAS_SINCE = """
select coalesce(sum(gas_wei), 0) from chain_attempts
where chain = $1 and created_at >= $2 and gas_wei is not null
"""

_PAID_SINCE = """
select coalesce(sum(a.paid_lamports), 0)
from solana_attempts a join chain_orders o on o.org_id = a.org_id and o.key = a.key
where o.chain = $1 and a.created_at >= $2
"""

_MESSAGE_ATTEMPTS = """
select signature as hash, relayer as account, unit_price, created_at, sent_at,
    slot as block_number, is_success, paid_lamports
from solana_attempts where org_id = $1 and key = $2
order by step
"""

_OF_RECORD = """
select key, chain, currency, source, method, state, reason, transaction_hash, confirmed_at,
    created_at, due_at, action, greatest(cardinality(destinations), 1) as recipients,
    coalesce(amount, (select sum(unit) from unnest(units) as unit)) as units
from chain_orders where org_id = $1 and record_id = $2
order by created_at, key
"""


async def open_counts(tx: Tx, chain: str, org_id: UUID | None) -> Mapping[OutboxState, int]:
    """Return the number of orders in each state that is not final."""
    rows = await tx.fetch(_OPEN_COUNTS, chain, org_id)
    return {OutboxState(row["state"]): row["count"] for row in rows}


async def unpaid_count(tx: Tx, chain: str, org_id: UUID | None) -> int:
    """Return the number of orders reported as paid that have lost their confirmations."""
    return int(await tx.fetchval(_UNPAID, chain, org_id))


async def oldest(tx: Tx, chain: str, org_id: UUID | None) -> OldestOrder | None:
    """Return the oldest order without the chain's confirmations; None if there is none."""
    return read_optional_row(await tx.fetchrow(_OLDEST, chain, org_id), OldestOrder)


async def accounts(tx: Tx, chain: str) -> list[AccountOverview]:
    """Return the relayers of a chain, then its stopped wallets."""
    return [read_row(row, AccountOverview) for row in await tx.fetch(_ACCOUNTS, chain)]


async def stopped_count(tx: Tx, chain: str) -> int:
    """Return the number of stopped accounts."""
    return int(await tx.fetchval(_STOPPED, chain))


async def gas_since(tx: Tx, chain: str, since: datetime) -> int:
    """Return the native units paid by transactions signed since a moment."""
    gas = int(await tx.fetchval(_GAS_SINCE, chain, since))
    return gas + int(await tx.fetchval(_PAID_SINCE, chain, since))


async def message_attempts(tx: Tx, org_id: UUID, key: UUID) -> list[MessageAttempt]:
    """Return the transactions of an order on Solana, oldest first."""
    return [read_row(row, MessageAttempt) for row in await tx.fetch(_MESSAGE_ATTEMPTS, org_id, key)]


async def of_record(tx: Tx, org_id: UUID, record_id: UUID) -> list[OrderOverview]:
    """Return the orders of one record, oldest first."""
    return [read_row(row, OrderOverview) for row in await tx.fetch(_OF_RECORD, org_id, record_id)]
