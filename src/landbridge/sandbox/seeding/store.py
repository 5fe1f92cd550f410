"""COPY of generated rows, and updates of account balances."""

import io
from collections.abc import Mapping, Sequence
from typing import Protocol, cast
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_TX = "select pg_current_xact_id()::text"

_PAY = """
update accounts a
set available = a.available + p.units
from unnest($2::uuid[], $3::numeric[]) as p (id, units)
where a.org_id = $1 and a.id = p.id
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


async def number(tx: Tx) -> str:
    """Return the id of this transaction."""
    return await tx.fetchval(_TX)


async def copy(tx: Tx, table: str, columns: Sequence[str], text: str) -> None:
    """Insert rows in PostgreSQL's text format."""
    source = io.BytesIO(text.encode())
    await cast("CopyConnection", tx).copy_to_table(
        table, source=source, columns=columns, format="text"
    )


async def pay(tx: Tx, org_id: UUID, paid: Mapping[str, int]) -> None:
    """Add smallest units to available balances, by account id."""
    await tx.execute(_PAY, org_id, list(paid), list(paid.values()))


async def accounts(tx: Tx, org_id: UUID) -> Sequence[Row]:
    """Return all accounts of users, each with its wallet."""
    return await tx.fetch(_ACCOUNTS, org_id)
