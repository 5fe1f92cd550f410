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

    `mark` in the rows is replaced by the number of their batch of changes. `houses` are the
    organisation's own addresses by chain.
    """

    async def work(tx: Tx) -> None:
        batch = await store.begin_batch(tx, org_id)
        for table, columns in COLUMNS.items():
            text = "".join(rows.get(table, ()))
            if text:
                await store.copy(tx, table, columns, text.replace(mark, str(batch)))
        await store.pay(tx, org_id, paid)
        await store.move(tx, org_id, batch, houses)

    await database.transact(work)
