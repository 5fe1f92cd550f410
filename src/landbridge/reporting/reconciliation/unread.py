"""Checks for adjustments and matched lines that the last run has not read yet.

Without these checks, a run that cannot read an adjustment yet would find its difference again, and
two people could adjust the ledger for a movement that a payment has explained in the meantime.
"""

from collections.abc import Sequence
from uuid import UUID

from landbridge.payments.bank_files import counted_lines
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.db.pool import Tx
from landbridge.reporting.reconciliation import bank_store, ledger_store
from landbridge.reporting.reconciliation.adjustments import KIND
from landbridge.reporting.reconciliation.model import Difference, sum_booked
from landbridge.reporting.reconciliation.sources import ReconSourceName, SourceName

_HAS_ADJUSTMENT = """
select exists (
    select from transfers t
    join changes c on c.org_id = t.org_id and c.object_id = t.id
    join change_batches b on b.org_id = c.org_id and b.number = c.batch
    where t.org_id = $1 and t.kind = $2 and t.source_asset = any($3::text[])
        and (b.place >= $4 or b.place is null)
)
"""


async def has_unread_adjustment(
    tx: Tx, org_id: UUID, source: SourceName, assets: Sequence[str]
) -> bool:
    """Return whether an adjustment of a locked source is still to be read from the log."""
    since = await _read_place(tx, org_id, ReconSourceName(source))
    return bool(await tx.fetchval(_HAS_ADJUSTMENT, org_id, KIND, list(assets), since))


async def has_moved(tx: Tx, org_id: UUID, difference: Difference) -> bool:
    """Return whether a movement has got its other side since the last run; its source is locked."""
    source, asset = difference.source, difference.asset
    if not difference.reference:
        return False
    since = await _read_place(tx, org_id, source)
    if not source.is_bank:
        booked = await ledger_store.booked(tx, org_id, [asset], since=since, until=None)
    else:
        line_id = as_uuid(difference.reference)
        if line_id and await counted_lines.is_uncounted(tx, org_id, line_id):
            return True
        booked = await ledger_store.bank_booked(tx, org_id, asset, since=since, until=None)
    return any(each.reference == difference.reference for each in sum_booked(booked))


async def _read_place(tx: Tx, org_id: UUID, source: ReconSourceName) -> int:
    if source.is_bank:
        return await bank_store.lock_read_place(tx, org_id, source)
    return await ledger_store.read_to(tx, org_id)
