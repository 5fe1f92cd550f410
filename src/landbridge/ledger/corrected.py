"""Which journals of a record are reversed by a correction that stands."""

from uuid import UUID

from landbridge.core.errors import ResourceConflict
from landbridge.db.pool import Tx
from landbridge.ledger import correction_store
from landbridge.ledger.model import Transfer


async def corrected_changes(tx: Tx, record: Transfer) -> list[int]:
    """Return the changes of a record whose journals are reversed.

    A correction that was itself corrected counts for nothing.
    """
    corrected: set[int] = set()
    for each in await correction_store.corrections(tx, record.org_id, record.id):
        if await _stands(tx, record.org_id, each.id):
            corrected.update(each.seqs)
    return sorted(corrected)


async def check_uncorrected(tx: Tx, record: Transfer) -> None:
    """Raise `ResourceConflict` if a journal of this record is reversed."""
    if corrected := await corrected_changes(tx, record):
        changes = ", ".join(str(each) for each in corrected)
        raise ResourceConflict(
            f"the journals of changes {changes} of {record.kind.lower()} {record.id} are "
            "corrected: take these corrections back first (landbridge correct), or the money is "
            "booked twice"
        )


async def _stands(tx: Tx, org_id: UUID, correction_id: UUID) -> bool:
    """Whether a correction counts: it has no correction, or one that was corrected itself."""
    following = await correction_store.corrections(tx, org_id, correction_id)
    return not following or not await _stands(tx, org_id, following[-1].id)
