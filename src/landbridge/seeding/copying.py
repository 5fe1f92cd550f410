"""Writing what was made up: COPY, a few thousand records in a transaction."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from landbridge.db.pool import Database, Tx
from landbridge.seeding import store
from landbridge.seeding.stencils import COLUMNS


async def write(
    database: Database,
    org_id: UUID,
    rows: Mapping[str, Sequence[str]],
    paid: Mapping[str, int],
    *,
    mark: str,
) -> None:
    """Write rows by table, and what the accounts have got by them, all or nothing.

    In the rows `mark` stands for the transaction.
    """

    async def work(tx: Tx) -> None:
        number = await store.number(tx)
        for table, columns in COLUMNS.items():
            text = "".join(rows.get(table, ()))
            if text:
                await store.copy(tx, table, columns, text.replace(mark, number))
        await store.pay(tx, org_id, paid)

    await database.transact(work)
