"""A swap as limits see it: what leaves the wallet, also where it comes back as another coin."""

from landbridge.flows.swaps.model import Status, as_swap
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed once it is accepted."""
    swap = as_swap(record)
    details = swap.details
    target = Target.at(
        details.destination_address,
        swap.destination,
        *(record.user_id, details.destination_user_id),
        account_id=details.destination_account_id,
    )
    return Spending.of(
        record,
        swap.source,
        corridor=swap.source.asset.chain,
        targets=(target,),
        is_committed=swap.status not in {Status.OPEN_QUOTE, Status.QUOTE_FAILED},
    )
