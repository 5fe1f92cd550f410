"""Orders at providers that must not be sent any more, or that people have decided.

Guarantee: an order withheld here is never sent, even by a worker that is about to send it: a call
is counted on the order's row before it is made, and the row of a withheld order accepts no call.
"""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx
from landbridge.providers.rails.port import RailPayment
from landbridge.providers.sidecar import credit_store, order_store
from landbridge.providers.sidecar.model import ProviderOrderState

# Twice as long as a call to a provider takes at most, including the writes before and after.
CALL_MAX = timedelta(minutes=2)
_DECIDED = "a reviewer found out that the provider did not carry it out"
_REASON = "the deposit was reversed, or returned by other means"


async def withhold_return_in(tx: Tx, payment: RailPayment) -> bool | None:
    """Withhold the return of a credit permanently; return False if it may have been sent.

    Returns None if the payment does not return a provider's credit.
    """
    credit = None
    if payment.returns is not None:
        credit = await credit_store.of_payment(tx, payment.org_id, payment.returns)
    if credit is None:
        return None
    return await order_store.withhold(tx, payment, credit.provider, reason=_REASON)


async def give_up_in(tx: Tx, org_id: UUID, key: UUID, *, at: datetime) -> bool | None:
    """Withhold an order permanently that was sent, but that its provider does not confirm.

    Returns False while a call may be running, or if the provider has accepted the order; None if
    there is no order.
    """
    if await order_store.find(tx, org_id, key) is None:
        return None
    return await order_store.give_up(
        tx, org_id, key, reason=_REASON, at=at, called_before=at - CALL_MAX
    )


async def end_decided_in(tx: Tx, org_id: UUID, key: UUID, *, is_paid: bool, at: datetime) -> None:
    """End an order for which people found out whether it was carried out, if it is stored.

    The order is not sent again. A different report of its provider becomes a problem for a person.
    """
    state = ProviderOrderState.SETTLED if is_paid else ProviderOrderState.FAILED
    reason = None if is_paid else _DECIDED
    await order_store.decide_state(tx, org_id, key, state, reason=reason, at=at)
    found = await order_store.find(tx, org_id, key)
    if found is not None and found.state is not state:
        raise ResourceConflict(f"the payment at provider {found.provider} is {found.state} already")
