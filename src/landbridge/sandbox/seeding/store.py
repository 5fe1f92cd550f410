"""COPY of generated rows, updates of account balances, and movements on the simulated chains."""

import io
from collections.abc import Mapping, Sequence
from typing import Protocol, cast
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_BATCH = """
insert into change_batches (org_id, number)
values ($1, nextval('change_batch_numbers'))
returning number
"""

_PAY = """
update accounts a
set available = a.available + p.units
from unnest($2::uuid[], $3::numeric[]) as p (id, units)
where a.org_id = $1 and a.id = p.id
"""

# What the records of a batch of changes moved in or out, as the simulated chains would have
# recorded it. Bridged coins in transit are on no chain.
_MOVE = """
insert into sandbox_movements
    (org_id, chain, transaction_hash, log_index, asset, units, source, destination, settles_at)
select $1, h.chain, m.hash, row_number() over (partition by h.chain, m.hash order by m.asset) - 1,
    m.asset, abs(m.units), case when m.units < 0 then h.address end,
    case when m.units > 0 then h.address end, m.occurred_at
from (
    select coalesce(
            c.facts ->> 'transaction_hash', c.facts ->> 'mint_transaction_hash',
            c.facts ->> 'return_transaction_hash', c.facts ->> 'deposit_hash',
            t.details ->> 'transaction_hash', c.object_id::text
        ) as hash, e.asset, -sum(e.available) as units, min(c.occurred_at) as occurred_at
    from changes c
    join entries e on e.org_id = c.org_id and e.transfer_id = c.object_id and e.seq = c.seq
    join transfers t on t.org_id = c.org_id and t.id = c.object_id
    where c.org_id = $1 and c.batch = $4
        and (e.role = 'outside' or (e.role = 'in_transit' and c.kind = 'WALLET.BRIDGE'))
    group by 1, e.asset
    having sum(e.available) <> 0
) as m
join unnest($2::text[], $3::text[]) as h (chain, address) on h.chain = split_part(m.asset, ':', 2)
"""

_ACCOUNTS = """
select w.user_id, w.id as wallet_id, w.chain, w.address, a.id, a.asset
from wallets w
join accounts a on a.org_id = w.org_id and a.wallet_id = w.id
where w.org_id = $1
order by w.user_id, w.chain, a.asset
"""


class CopyConnection(Protocol):
    """The part of a connection that copies rows into a table."""

    async def copy_to_table(
        self,
        table: str,
        *,
        source: io.BytesIO,
        columns: Sequence[str],
        format: str,  # noqa: A002  its name
    ) -> str:
        """Copy rows in PostgreSQL's text format."""
        ...


async def begin_batch(tx: Tx, org_id: UUID) -> int:
    """Begin a batch of changes; return its number."""
    return await tx.fetchval(_BATCH, org_id)


async def copy(tx: Tx, table: str, columns: Sequence[str], text: str) -> None:
    """Insert rows in PostgreSQL's text format."""
    source = io.BytesIO(text.encode())
    await cast("CopyConnection", tx).copy_to_table(
        table, source=source, columns=columns, format="text"
    )


async def pay(tx: Tx, org_id: UUID, paid: Mapping[str, int]) -> None:
    """Add smallest units to available balances, by account id."""
    await tx.execute(_PAY, org_id, list(paid), list(paid.values()))


async def move(tx: Tx, org_id: UUID, batch: int, houses: Mapping[str, str]) -> None:
    """Let the simulated chains have moved what the records of a batch of changes did.

    It is moved from or to the organisation's own addresses, by chain.
    """
    await tx.execute(_MOVE, org_id, list(houses), list(houses.values()), batch)


async def accounts(tx: Tx, org_id: UUID) -> Sequence[Row]:
    """Return all accounts of users, each with its wallet."""
    return await tx.fetch(_ACCOUNTS, org_id)
