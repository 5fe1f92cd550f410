"""Records in transactions of others: locked before leaf rows, and put off."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.db.pool import Tx
from landbridge.ledger import record_store, store
from landbridge.ledger.model import Transfer


async def lock_record(tx: Tx, org_id: UUID, transfer_id: UUID) -> Transfer | None:
    """The record of any kind, locked until the transaction ends; None if there is none.

    Records are locked before accounts and leaf rows (see `Ledger.open_in`), so this comes first.
    """
    await store.lock(tx, transfers=[(org_id, transfer_id)], accounts=())
    (found,) = await record_store.get_batch(tx, [(org_id, transfer_id)])
    return found


async def postpone_record(
    tx: Tx, record: Transfer, due_at: datetime, facts: Mapping[str, Any]
) -> None:
    """As `Ledger.postpone`, in the caller's transaction, which has locked the record."""
    await store.postpone(tx, record, due_at, facts)
