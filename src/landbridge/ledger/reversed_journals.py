"""Journals of a record that are reversed by a correction."""

from uuid import UUID

from landbridge.ledger import correction_store, record_store, store
from landbridge.ledger.model import HouseRole, Transfer
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Tx


def reversal_id(credit_id: UUID) -> UUID:
    """Return the id of the record that reverses a deposit's credit after its chain lost it."""
    return derived_id(credit_id, "reversal")


async def has_returned_coins(tx: Tx, org_id: UUID, transfer_id: UUID) -> bool:
    """Lock a record; return whether a correction has reversed the arrival of its coins.

    If their chain then drops the coins, they are not taken back a second time.
    """
    await store.lock_records(tx, [(org_id, transfer_id)])
    (record,) = await record_store.get_batch(tx, [(org_id, transfer_id)])
    seqs = [] if record is None else await corrected_changes(tx, record)
    rows = await correction_store.journals(tx, org_id, transfer_id, seqs)
    return any(row["role"] == HouseRole.OUTSIDE and row["available"] < 0 for row in rows)


async def corrected_changes(tx: Tx, record: Transfer) -> list[int]:
    """Return the changes of a record whose journals are reversed.

    A correction that was itself corrected does not count.
    """
    corrected: set[int] = set()
    for each in await correction_store.corrections(tx, record.org_id, record.id):
        if await _is_in_effect(tx, record.org_id, each.id):
            corrected.update(each.seqs)
    return sorted(corrected)


async def check_uncorrected(tx: Tx, record: Transfer) -> None:
    """Raise `ResourceConflict` if a journal of this record is reversed."""
    if corrected := await corrected_changes(tx, record):
        changes = ", ".join(str(each) for each in corrected)
        raise ResourceConflict(
            f"the journals of changes {changes} of {record.kind.lower()} {record.id} are "
            "corrected: reverse these corrections first (landbridge correct), or the money is "
            "booked twice"
        )


async def _is_in_effect(tx: Tx, org_id: UUID, correction_id: UUID) -> bool:
    """Return whether a correction is in effect: it is not corrected, or that correction is not."""
    following = await correction_store.corrections(tx, org_id, correction_id)
    return not following or not await _is_in_effect(tx, org_id, following[-1].id)
