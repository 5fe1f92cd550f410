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
    target = Target(
        name=details.destination_address,
        usd=onramp.destination.decimal,
        user_ids=(record.user_id, details.destination_user_id),
        is_ours=details.destination_account_id is not None,
    )
    return Spending(
        org_id=record.org_id,
        record_id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        usd=onramp.destination.decimal,
        rail=None,
        corridor=onramp.source.asset.currency,
        targets=(target,),
        at=record.created_at,
        is_committed=details.reference is not None,
    )
