"""Statements on chain_orders and chain_leases."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_arrays
from landbridge.providers.evm.following.model import BlockRef
from landbridge.providers.evm.outbox.model import OutboxOrder, OutboxState
from landbridge.providers.evm.outbox.order_rows import has_recipient, paid_legs, read_order

# Addresses and units of one order are joined by commas, because the inner arrays of an array would
# need equal lengths.
WAITS_FOR_ADDRESS = "waits: its sending address is stopped until an operator resumes it"

_ADD = """
insert into chain_orders (org_id, key, record_id, chain, currency, source, wallet_id, destinations,
    units, state, created_at, updated_at, due_at, is_refund, action, recipient, amount, into_chain,
    burn_key, confirmed_at, bought, least, fee, fee_to)
select i.org_id, i.key, i.record_id, i.chain, i.currency, i.source, i.wallet_id,
    string_to_array(i.destinations, ','), string_to_array(i.units, ',')::numeric[], i.state,
    i.created_at, i.created_at, i.created_at, i.is_refund, i.action, i.recipient, i.amount,
    i.into_chain, i.burn_key, i.confirmed_at, i.bought, i.least, i.fee, i.fee_to
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[],
    $8::text[], $9::text[], $10::timestamptz[], $11::boolean[], $12::text[], $13::text[],
    $14::text[], $15::numeric[], $16::text[], $17::uuid[], $18::timestamptz[], $19::text[],
    $20::numeric[], $21::numeric[], $22::text[])
    as i (org_id, key, record_id, chain, currency, source, wallet_id, destinations, units,
        created_at, is_refund, state, action, recipient, amount, into_chain, burn_key,
        confirmed_at, bought, least, fee, fee_to)
on conflict (org_id, key) do nothing
returning org_id, key
"""

# The longest due order of each organisation comes first, so that one organisation with thousands of
# orders, which may all wait for coins, does not delay the others.
_DUE = """
select
    o.org_id, o.key, o.record_id, o.chain, o.currency, o.source, o.wallet_id, o.destinations,
    o.units, o.method, o.step, o.state, o.reason, o.transaction_hash, o.confirmed_at, o.created_at,
    o.due_at, o.is_refund, o.failed_at, o.action, o.recipient, o.amount, o.into_chain, o.burn_key,
    o.message_nonce, o.bought, o.least, o.fee, o.fee_to, o.received
from (
    select n.org_id, n.key, n.place
    from (
        select org_id, key, due_at, row_number() over (
            partition by org_id order by due_at, key
        ) as place
        from chain_orders where chain = $1 and state = 'CREATED' and due_at <= $2
    ) n
    order by n.place, n.due_at, n.org_id, n.key limit $3
) w
join chain_orders o on o.org_id = w.org_id and o.key = w.key
order by w.place, o.due_at, o.org_id, o.key
"""

# Orders that only wait to become final are left out until they can be, and come last.
_TO_FOLLOW = """
select
    org_id, key, record_id, chain, currency, source, wallet_id, destinations, units, method,
    step, state, reason, transaction_hash, confirmed_at, created_at, due_at,
    is_refund, failed_at, action, recipient, amount, into_chain, burn_key, message_nonce,
    bought, least, fee, fee_to, received
from chain_orders o where chain = $1 and (
    state in ('SIGNED', 'SENT', 'MINED')
    or state = 'CONFIRMED' and exists (
        select from chain_attempts a
        where a.org_id = o.org_id and a.key = o.key and a.block_number <= $2
    )
)
order by state = 'CONFIRMED', due_at, org_id, key limit $3
"""

# A final order stays as it is, unless it is reopened. Comparing state and step with those read
# guards against a second worker.
_MOVE = """
update chain_orders o
set state = i.state, step = i.step, reason = i.reason, method = coalesce(i.method, o.method),
    transaction_hash = coalesce(i.transaction_hash, o.transaction_hash),
    confirmed_at = coalesce(o.confirmed_at, i.confirmed_at),
    received = coalesce(o.received, i.received),
    due_at = i.due_at, updated_at = $1
from unnest($2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::smallint[],
    $8::text[], $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::numeric[])
    as i (org_id, key, from_state, from_step, state, step, reason, method, transaction_hash,
        confirmed_at, due_at, received)
where o.org_id = i.org_id and o.key = i.key and o.state = i.from_state and o.step = i.from_step
    and o.state not in ('FINAL', 'REVERTED', 'REJECTED')
returning o.org_id, o.key
"""

_BLOCKS = """
select distinct a.block_number, a.block_hash
from chain_attempts a join chain_orders o on o.org_id = a.org_id and o.key = a.key
where a.chain = $1 and a.block_number <= $2 and o.state in ('CONFIRMED', 'FINAL', 'REVERTED')
order by a.block_number desc limit $3
"""

# Does not change the reported result: see `confirmed_at` and `failed_at`. Booked gas is compared
# with the chain again.
_REOPEN = """
with lost as (
    select o.org_id, o.key, o.state
    from chain_orders o
    where o.chain = $1 and o.state in ('CONFIRMED', 'FINAL', 'REVERTED') and exists (
        select from chain_attempts a
        where a.org_id = o.org_id and a.key = o.key and a.chain = $1 and a.block_number > $2
    )
    order by o.org_id, o.key for update
), reopened as (
    update chain_orders o
    set state = 'MINED', due_at = $3, updated_at = $3, gas_booked_at = null,
        gas_records = o.gas_records + (o.gas_booked_at is not null)::int,
        failed_at = case when l.state = 'REVERTED' then coalesce(o.failed_at, o.updated_at)
            else o.failed_at end
    from lost l
    where o.org_id = l.org_id and o.key = l.key
    returning l.state
)
select state, count(*) as count from reopened group by state
"""

# A failed order is not signed again, because its money was released.
_SIGN_AGAIN = """
update chain_orders o
set state = case when o.failed_at is null then 'CREATED' else 'REVERTED' end,
    step = case when o.failed_at is null then o.step + 1 else o.step end,
    due_at = $3, updated_at = $3
from chain_attempts a
where a.chain = $1 and a.account = $2 and a.is_taken and a.org_id = o.org_id and a.key = o.key
    and a.step = o.step and o.state in ('SIGNED', 'SENT')
"""

# Orders with this reason, whichever address of theirs is stopped.
_PLAN_AGAIN = """
update chain_orders set due_at = $3 where chain = $1 and state = 'CREATED' and reason = $2
"""

_BY_KEYS = """
select
    o.org_id, o.key, o.record_id, o.chain, o.currency, o.source, o.wallet_id, o.destinations,
    o.units, o.method, o.step, o.state, o.reason, o.transaction_hash, o.confirmed_at,
    o.created_at, o.due_at, o.is_refund, o.failed_at, o.action, o.recipient, o.amount,
    o.into_chain, o.burn_key, o.message_nonce, o.bought, o.least, o.fee, o.fee_to, o.received
from unnest($1::uuid[], $2::uuid[]) as i (org_id, key)
join chain_orders o on o.org_id = i.org_id and o.key = i.key
"""

_OF_RECORD = """
select
    org_id, key, record_id, chain, currency, source, wallet_id, destinations, units, method,
    step, state, reason, transaction_hash, confirmed_at, created_at, due_at,
    is_refund, failed_at, action, recipient, amount, into_chain, burn_key, message_nonce,
    bought, least, fee, fee_to, received
from chain_orders where org_id = $1 and record_id = $2 and chain = $3
order by created_at, key
"""

_LOCK_CREATED = """
select o.org_id, o.key from unnest($1::uuid[], $2::uuid[], $3::smallint[]) as i (org_id, key, step)
join chain_orders o on o.org_id = i.org_id and o.key = i.key and o.step = i.step
where o.state = 'CREATED'
order by o.org_id, o.key for update of o
"""

_TREASURY_NEEDS = """
select source, currency, sum(unit) as units
from chain_orders, unnest(units) as unit
where chain = $1 and wallet_id is null and state = 'CREATED'
group by org_id, source, currency
"""

# Units that signed orders in no block will still take from their paying addresses.
_UNITS_IN_FLIGHT = """
select source, currency,
    sum(coalesce(amount, (select sum(unit) from unnest(units) as unit))) as units
from chain_orders
where chain = $1 and state in ('SIGNED', 'SENT') and source = any($2)
    and action in ('transfer', 'burn', 'swap')
group by org_id, source, currency
"""

# Batches or burns of one address use the same allowance of a contract, so they run one after the
# other.
_LOCK_BATCHES = "select pg_advisory_xact_lock(hashtextextended($1, 0))"

_BATCHES_BEGUN = """
select org_id, source, currency, key
from chain_orders
where chain = $1 and source = any($2) and method = 'top-up'
    and (cardinality(destinations) > 1 or action = 'burn')
    and state not in ('FINAL', 'REVERTED', 'REJECTED')
"""

# The unique index decides between two orders that claim at once.
_CLAIM_MESSAGE = """
update chain_orders o set message_nonce = $3
where o.org_id = $1 and o.key = $2 and o.message_nonce is null and not exists (
    select from chain_orders other
    where other.org_id = $1 and other.chain = o.chain and other.message_nonce = $3
)
returning true
"""

_LEASE = """
insert into chain_leases (chain, owner, expires_at)
values ($1, $2, $3)
on conflict (chain) do update set owner = excluded.owner, expires_at = excluded.expires_at
where chain_leases.owner = excluded.owner or chain_leases.expires_at < $4
returning true
"""


async def add(tx: Tx, orders: Sequence[OutboxOrder]) -> set[tuple[UUID, UUID]]:
    """Store new orders; return the keys of those that were not stored before."""
    rows = await tx.fetch(
        _ADD,
        *column_arrays(
            _ADD,
            orders,
            destinations=[",".join(leg.destination for leg in paid_legs(each)) for each in orders],
            units=[",".join(str(leg.units) for leg in paid_legs(each)) for each in orders],
            recipient=[has_recipient(each) and each.legs[0].destination for each in orders],
            amount=[has_recipient(each) and each.units for each in orders],
            bought=[each.swap and each.swap.bought for each in orders],
            least=[each.swap and each.swap.least_units for each in orders],
            fee=[each.swap and each.swap.fee_units for each in orders],
            fee_to=[each.swap and each.swap.fee_to for each in orders],
        ),
    )
    return {(row["org_id"], row["key"]) for row in rows}


async def get(tx: Tx, org_id: UUID, key: UUID) -> OutboxOrder | None:
    """Return an order; None if there is none."""
    return next(iter(await by_keys(tx, [(org_id, key)])), None)


async def due(tx: Tx, chain: str, at: datetime, *, limit: int) -> list[OutboxOrder]:
    """Return due orders that wait for a signature, the longest due of each organisation first."""
    return [read_order(row) for row in await tx.fetch(_DUE, chain, at, limit)]


async def to_follow(tx: Tx, chain: str, *, final_block: int, limit: int) -> list[OutboxOrder]:
    """Return signed orders that the next block may change, the longest due first.

    Confirmed orders without a transaction up to `final_block` are left out.
    """
    return [read_order(row) for row in await tx.fetch(_TO_FOLLOW, chain, final_block, limit)]


async def by_keys(tx: Tx, keys: Collection[tuple[UUID, UUID]]) -> list[OutboxOrder]:
    """Return these orders, each given as organisation and key."""
    rows = await tx.fetch(_BY_KEYS, [org_id for org_id, _ in keys], [key for _, key in keys])
    return [read_order(row) for row in rows]


async def of_record(tx: Tx, org_id: UUID, record_id: UUID, chain: str) -> list[OutboxOrder]:
    """Return the orders of a record on a chain, oldest first."""
    return [read_order(row) for row in await tx.fetch(_OF_RECORD, org_id, record_id, chain)]


async def lock_created(tx: Tx, orders: Sequence[OutboxOrder]) -> set[tuple[UUID, UUID]]:
    """Lock those of these orders that wait for the signature of this step; return their keys."""
    rows = await tx.fetch(
        _LOCK_CREATED,
        [each.org_id for each in orders],
        [each.key for each in orders],
        [each.step for each in orders],
    )
    return {(row["org_id"], row["key"]) for row in rows}


async def move(
    tx: Tx,
    moves: Sequence[tuple[OutboxOrder, OutboxOrder]],
    at: datetime,
) -> set[tuple[UUID, UUID]]:
    """Store changed orders, each given as (as read, as changed); return the changed keys.

    An order that another worker has moved in the meantime stays as it is.
    """
    if not moves:
        return set()
    after = [new for _, new in moves]
    arrays = column_arrays(
        _MOVE,
        after,
        from_state=[old.state for old, _ in moves],
        from_step=[old.step for old, _ in moves],
        received=[each.received_units for each in after],
    )
    rows = await tx.fetch(_MOVE, at, *arrays)
    return {(row["org_id"], row["key"]) for row in rows}


async def blocks(tx: Tx, chain: str, *, up_to: int, limit: int) -> list[BlockRef]:
    """Return the blocks with transactions of confirmed and final orders, newest first."""
    rows = await tx.fetch(_BLOCKS, chain, up_to, limit)
    return [BlockRef(row["block_number"], row["block_hash"]) for row in rows]


async def reopen(tx: Tx, chain: str, *, above: int, at: datetime) -> Mapping[OutboxState, int]:
    """Move confirmed and final orders with a transaction above this block back to MINED.

    Returns the number of orders by their state before.
    """
    rows = await tx.fetch(_REOPEN, chain, above, at)
    return {OutboxState(row["state"]): row["count"] for row in rows}


async def sign_again(tx: Tx, chain: str, account: str, at: datetime) -> None:
    """Let orders that lost a nonce of this account be signed again with other nonces.

    Orders that were reported as failed have failed again. Orders that wait until an account is
    resumed become due at once.
    """
    await tx.execute(_SIGN_AGAIN, chain, account, at)
    await tx.execute(_PLAN_AGAIN, chain, WAITS_FOR_ADDRESS, at)


async def treasury_needs(tx: Tx, chain: str) -> list[tuple[str, str, int]]:
    """Return the units that organisations' own addresses have to pay, by address and currency."""
    rows = await tx.fetch(_TREASURY_NEEDS, chain)
    return [(row["source"], row["currency"], int(row["units"])) for row in rows]


async def units_in_flight(
    tx: Tx, chain: str, sources: Collection[str]
) -> dict[tuple[str, str], int]:
    """Return the units that signed orders will still take, by paying address and currency."""
    rows = await tx.fetch(_UNITS_IN_FLIGHT, chain, list(sources))
    return {(row["source"], row["currency"]): int(row["units"]) for row in rows}


async def lock_batches(
    tx: Tx, chain: str, sources: Collection[str]
) -> dict[tuple[str, str], set[UUID]]:
    """Lock the batches that these addresses send themselves, until the transaction ends.

    Returns the keys of batches that have begun and are not final, by paying address and currency.
    """
    for each in sorted(sources):
        await tx.execute(_LOCK_BATCHES, f"chain-batches/{chain}/{each}")
    begun: dict[tuple[str, str], set[UUID]] = {}
    for row in await tx.fetch(_BATCHES_BEGUN, chain, list(sources)):
        begun.setdefault((row["source"], row["currency"]), set()).add(row["key"])
    return begun


async def claim_message(tx: Tx, order: OutboxOrder, nonce: bytes) -> bool:
    """Store the nonce of a mint's message; False if another order or the mint has one."""
    return bool(await tx.fetchval(_CLAIM_MESSAGE, order.org_id, order.key, nonce))


async def lease(tx: Tx, chain: str, owner: UUID, *, at: datetime, expires_at: datetime) -> bool:
    """Take or extend the lease of a chain; return False if another worker has it."""
    return bool(await tx.fetchval(_LEASE, chain, owner, expires_at, at))
