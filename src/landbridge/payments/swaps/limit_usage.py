"""Limit usage of swaps: what leaves the wallet, even if it comes back as another coin."""

from landbridge.ledger.model import Transfer
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.swaps.model import SwapStatus, as_swap


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return its usage; committed once accepted."""
    swap = as_swap(record)
    details = swap.details
    target = PaymentDestination.at(
        details.destination_address,
        swap.destination,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    return LimitUsage.of(
        record,
        swap.source,
        corridor=swap.source.asset.chain,
        targets=(target,),
        is_committed=swap.status not in {SwapStatus.OPEN_QUOTE, SwapStatus.QUOTE_FAILED},
    )
