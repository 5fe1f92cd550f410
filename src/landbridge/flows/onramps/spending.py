"""An onramp as limits see it: the coins that are delivered."""

from landbridge.flows.onramps.model import as_onramp
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending | None:
    """What it spends; committed once it is accepted.

    None for a deposit on a virtual account: nobody asked for it, and refusing it would leave money
    of somebody else's without an owner. On which rail fiat comes is not known beforehand.
    """
    onramp = as_onramp(record)
    details = onramp.details
    if details.virtual_account_id is not None:
        return None
    target = Target.at(
        details.destination_address,
        onramp.destination,
        *(record.user_id, details.destination_user_id),
        account_id=details.destination_account_id,
    )
    return Spending.of(
        record,
        onramp.destination,
        corridor=onramp.source.asset.currency,
        targets=(target,),
        is_committed=details.reference is not None,
    )
