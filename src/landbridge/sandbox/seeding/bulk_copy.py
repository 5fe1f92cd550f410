"""Writes generated rows with COPY, a few thousand records in a transaction."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from landbridge.platform.db.pool import Database, Tx
from landbridge.sandbox.seeding import store
from landbridge.sandbox.seeding.row_templates import COLUMNS


async def write(
    database: Database,
    org_id: UUID,
    rows: Mapping[str, Sequence[str]],
    paid: Mapping[str, int],
    *,
    mark: str,
    houses: Mapping[str, str],
) -> None:
    """Write rows by table and add to account balances, in one transaction.

    `mark` in the rows is replaced by the transaction id. `houses` are the organisation's own
    addresses by chain.
    """

    async def work(tx: Tx) -> None:
        number = await store.number(tx)
        for table, columns in COLUMNS.items():
            text = "".join(rows.get(table, ()))
            if text:
                await store.copy(tx, table, columns, text.replace(mark, number))
        await store.pay(tx, org_id, paid)
        await store.move(tx, org_id, houses)

    await database.transact(work)
