"""A bridge as limits see it; its corridor is the chain that it goes to."""

from landbridge.flows.bridges.model import Status, as_bridge
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed once it is accepted, or holds coins for its approval."""
    bridge = as_bridge(record)
    details = bridge.details
    target = Target.at(
        details.destination_address,
        bridge.destination,
        *(record.user_id, details.destination_user_id),
        account_id=details.destination_account_id,
    )
    is_quoted = bridge.status in {Status.OPEN_QUOTE, Status.QUOTE_FAILED}
    return Spending.of(
        record,
        bridge.source,
        corridor=bridge.destination.asset.chain,
        targets=(target,),
        is_committed=not is_quoted or bool(bridge.held.units),
    )
