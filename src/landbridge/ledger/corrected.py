"""Which journals of a record stand corrected."""

from landbridge.core.errors import ResourceConflict
from landbridge.core.ids import derived_id
from landbridge.db.pool import Tx
from landbridge.ledger import record_store
from landbridge.ledger.model import Transfer


async def corrected_changes(tx: Tx, record: Transfer) -> list[int]:
    """The changes of a record whose journals are taken back.

    A correction that was itself corrected counts for nothing.
    """
    latest = {
        seq: derived_id(record.id, f"correction/{seq}") for seq in range(1, record.version + 1)
    }
    corrected: set[int] = set()
    while latest:
        found = await record_store.get_batch(
            tx, [(record.org_id, each) for each in latest.values()]
        )
        there = [seq for seq, each in zip(latest, found, strict=True) if each is not None]
        corrected ^= set(there)
        # A correction has one change; its own correction is named after that.
        latest = {seq: derived_id(latest[seq], "correction/1") for seq in there}
    return sorted(corrected)


async def check_uncorrected(tx: Tx, record: Transfer) -> None:
    """Raise `ResourceConflict` if a journal of this record is taken back."""
    if corrected := await corrected_changes(tx, record):
        changes = ", ".join(str(each) for each in corrected)
        raise ResourceConflict(
            f"the journals of changes {changes} of {record.kind.lower()} {record.id} are "
            "corrected: take these corrections back first (landbridge correct), or the money is "
            "booked twice"
        )
