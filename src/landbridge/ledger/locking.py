"""Record reads, locks and postponements within a caller's transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.ledger import record_store, store
from landbridge.ledger.model import Transfer
from landbridge.platform.db.pool import Tx


async def lock_record(tx: Tx, org_id: UUID, transfer_id: UUID) -> Transfer | None:
    """Lock and return a record of any kind; None if there is none.

    Records are locked before accounts and leaf rows (see `Ledger.create_in`), so call this first.
    """
    await store.lock_records(tx, [(org_id, transfer_id)])
    return await find_record(tx, org_id, transfer_id)


async def find_record(tx: Tx, org_id: UUID, transfer_id: UUID) -> Transfer | None:
    """Return a record of any kind without locking it; None if there is none."""
    (found,) = await record_store.get_batch(tx, [(org_id, transfer_id)])
    return found


async def find_records(
    tx: Tx, org_id: UUID, transfer_ids: Sequence[UUID]
) -> Mapping[UUID, Transfer]:
    """Return those of these records that exist, by id, without locking them."""
    if not transfer_ids:
        return {}
    found = await record_store.get_batch(tx, [(org_id, each) for each in transfer_ids])
    return {each.id: each for each in found if each is not None}


async def postpone_record(
    tx: Tx, record: Transfer, due_at: datetime, facts: Mapping[str, Any]
) -> None:
    """Postpone a record that the caller's transaction has locked, as `Ledger.postpone` does."""
    await store.postpone(tx, record, due_at, facts)


async def make_records_due(tx: Tx, records: Sequence[tuple[UUID, UUID]]) -> None:
    """Make records due when the transaction commits; each is given as (organisation, id).

    A record without a due time stays as it is; an unknown one is ignored. The lock order is that of
    `Ledger.create_in`. The caller wakes the worker (`DueNotifier.notify_in`).
    """
    await store.lock_records(tx, records)
    await store.make_due(tx, records)
