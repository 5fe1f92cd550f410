"""A bridge as limits see it; its corridor is the chain that it goes to."""

from landbridge.flows.bridges.model import Status, as_bridge
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed once it is accepted, or holds coins for its approval."""
    bridge = as_bridge(record)
    details = bridge.details
    known_by = (record.user_id, details.destination_user_id)
    target = Target(
        name=details.destination_address,
        usd=bridge.destination.decimal,
        user_ids=tuple(each for each in known_by if each is not None),
        is_ours=details.destination_account_id is not None,
    )
    is_quoted = bridge.status in {Status.OPEN_QUOTE, Status.QUOTE_FAILED}
    return Spending(
        org_id=record.org_id,
        record_id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        usd=bridge.source.decimal,
        rail=None,
        corridor=bridge.destination.asset.chain,
        targets=(target,),
        at=record.created_at,
        is_committed=not is_quoted or bool(bridge.held.units),
    )
