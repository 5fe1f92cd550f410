"""Limit usage of an onramp: the coins that it delivers."""

from landbridge.ledger.model import Transfer
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.onramps.model import as_onramp


def as_limit_usage(record: Transfer) -> LimitUsage | None:
    """Return the limit usage of an onramp; it is committed once the quote is accepted.

    None for a deposit on a virtual account: nobody requested it, and rejecting it would leave
    somebody's money without an owner. The rail of the deposit is not known beforehand.
    """
    onramp = as_onramp(record)
    details = onramp.details
    if details.virtual_account_id is not None:
        return None
    target = PaymentDestination.at(
        details.destination_address,
        onramp.destination,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    return LimitUsage.of(
        record,
        onramp.destination,
        corridor=onramp.source.asset.currency,
        targets=(target,),
        is_committed=details.reference is not None,
        accepted_at=details.accepted_at,
    )
