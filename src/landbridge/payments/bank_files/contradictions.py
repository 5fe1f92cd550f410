"""Failed payments that a provider or a bank reports as paid, until a person clears that up.

Guarantee: while there is such a report, no other payment of the same record is sent, and no coins
are refunded. The payee would get the money twice.
"""

from uuid import UUID

from landbridge.payments.bank_files import payment_store
from landbridge.platform.db.pool import Tx
from landbridge.providers.sidecar.open_problems import is_failure_contradicted

_BY_PROVIDER = "its provider reports the failed payment as settled: close that problem"
_BY_BANK = "its bank has booked the failed payment: resolve that line"


async def find_contradiction(tx: Tx, org_id: UUID, record_id: UUID) -> str | None:
    """Return why nothing may be sent for a record, or for a returned deposit; None if it may."""
    if await is_failure_contradicted(tx, org_id, record_id):
        return _BY_PROVIDER
    is_booked = await payment_store.list_booked_failures(tx, org_id, [record_id])
    return _BY_BANK if is_booked else None
