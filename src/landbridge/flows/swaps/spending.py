"""A swap as limits see it: what leaves the wallet, also where it comes back as another coin."""

from landbridge.flows.swaps.model import Status, as_swap
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed once it is accepted."""
    swap = as_swap(record)
    details = swap.details
    target = Target(
        name=details.destination_address,
        usd=swap.destination.decimal,
        user_ids=(record.user_id, details.destination_user_id),
        is_ours=details.destination_account_id is not None,
    )
    return Spending(
        org_id=record.org_id,
        record_id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        usd=swap.source.decimal,
        rail=None,
        corridor=swap.source.asset.chain,
        targets=(target,),
        at=record.created_at,
        is_committed=swap.status not in {Status.OPEN_QUOTE, Status.QUOTE_FAILED},
    )
