"""Statements on solana_attempts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import column_arrays, read_row, write_row
from landbridge.providers.solana.outbox.model import SolanaAttempt

_ADD = """
insert into solana_attempts (org_id, key, step, signature, relayer, raw, last_valid_height,
    signed_slot, unit_price, created_at)
select i.org_id, i.key, i.step, i.signature, i.relayer, i.raw, i.last_valid_height, i.signed_slot,
    i.unit_price, i.created_at
from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::text[], $5::text[], $6::bytea[],
    $7::bigint[], $8::bigint[], $9::bigint[], $10::timestamptz[])
    as i (org_id, key, step, signature, relayer, raw, last_valid_height, signed_slot, unit_price,
        created_at)
"""

_OF_ORDERS = """
select a.org_id, a.key, a.step, a.signature, a.relayer, a.raw, a.last_valid_height, a.signed_slot,
    a.unit_price, a.created_at, a.sent_at, a.slot, a.is_success, a.paid_lamports
from unnest($1::uuid[], $2::uuid[]) as i (org_id, key)
join solana_attempts a on a.org_id = i.org_id and a.key = i.key
order by a.org_id, a.key, a.step
"""

# Attempts of the order's current step that are not on the chain.
_TO_SEND = """
select a.org_id, a.key, a.step, a.signature, a.relayer, a.raw, a.last_valid_height, a.signed_slot,
    a.unit_price, a.created_at, a.sent_at, a.slot, a.is_success, a.paid_lamports
from chain_orders o
join solana_attempts a on a.org_id = o.org_id and a.key = o.key and a.step = o.step
where o.chain = 'SOLANA' and o.state in ('SIGNED', 'SENT') and (a.sent_at is null or a.sent_at < $1)
order by a.created_at, a.org_id, a.key
limit $2
"""

_SPENT_SINCE = """
select a.org_id, sum(case
    when a.paid_lamports is not null then a.paid_lamports
    when o.step = a.step and o.state in ('SIGNED', 'SENT', 'MINED')
        then $3 * cardinality(o.destinations)
    else 0
end) as lamports
from solana_attempts a
join chain_orders o on o.org_id = a.org_id and o.key = a.key
where a.org_id = any($1) and a.created_at >= $2
group by a.org_id
"""

_KNOWN = """
select a.signature
from unnest($1::uuid[], $2::text[]) as i (org_id, signature)
join solana_attempts a on a.org_id = i.org_id and a.signature = i.signature
"""

_SET_SENT = """
update solana_attempts a set sent_at = $1
from unnest($2::uuid[], $3::uuid[], $4::smallint[]) as i (org_id, key, step)
where a.org_id = i.org_id and a.key = i.key and a.step = i.step
"""

_SET_FINAL = """
update solana_attempts set slot = $4, is_success = $5, paid_lamports = $6
where org_id = $1 and key = $2 and step = $3
"""


async def spent_since(
    tx: Tx, org_ids: Collection[UUID], since: datetime, *, account_lamports: int
) -> Mapping[UUID, int]:
    """Return the lamports that relayers paid for each of these organisations since `since`.

    A transaction under way counts as if it created a token account for each recipient.
    """
    rows = await tx.fetch(_SPENT_SINCE, list(org_ids), since, account_lamports)
    return {row["org_id"]: int(row["lamports"]) for row in rows}


async def add(tx: Tx, attempts: Sequence[SolanaAttempt]) -> None:
    """Store signed transactions; a second one of the same step is an error."""
    await tx.execute(_ADD, *column_arrays(_ADD, attempts))


async def of_orders(tx: Tx, keys: Collection[tuple[UUID, UUID]]) -> list[SolanaAttempt]:
    """Return the attempts of orders, by step; each key is (organisation, key)."""
    rows = await tx.fetch(_OF_ORDERS, [org_id for org_id, _ in keys], [key for _, key in keys])
    return [read_row(row, SolanaAttempt) for row in rows]


async def known_signatures(tx: Tx, keys: Collection[tuple[UUID, str]]) -> set[str]:
    """Return which of these transactions were signed here; each key is organisation and signature.

    Also those that another step of their order has replaced.
    """
    rows = await tx.fetch(
        _KNOWN, [org_id for org_id, _ in keys], [signature for _, signature in keys]
    )
    return {row["signature"] for row in rows}


async def to_send(tx: Tx, *, before: datetime, limit: int) -> list[SolanaAttempt]:
    """Return attempts to send (again): not on the chain, and not sent since `before`."""
    return [read_row(row, SolanaAttempt) for row in await tx.fetch(_TO_SEND, before, limit)]


async def set_sent(tx: Tx, attempts: Sequence[SolanaAttempt], at: datetime) -> None:
    """Store the time at which these attempts were sent (again)."""
    await tx.execute(
        _SET_SENT,
        at,
        [each.org_id for each in attempts],
        [each.key for each in attempts],
        [each.step for each in attempts],
    )


async def set_final(tx: Tx, attempt: SolanaAttempt) -> None:
    """Store the final result of an attempt."""
    await write_row(tx, _SET_FINAL, attempt)
