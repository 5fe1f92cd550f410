"""Limit usage of bridges; the corridor is the destination chain."""

from landbridge.ledger.model import Transfer
from landbridge.payments.bridges.model import BridgeStatus, as_bridge
from landbridge.payments.limits.model import LimitUsage, PaymentDestination


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return its usage; committed once accepted, or if it holds coins for its approval."""
    bridge = as_bridge(record)
    details = bridge.details
    target = PaymentDestination.at(
        details.destination_address,
        bridge.destination,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    is_quoted = bridge.status in {BridgeStatus.OPEN_QUOTE, BridgeStatus.QUOTE_FAILED}
    return LimitUsage.of(
        record,
        bridge.source,
        corridor=bridge.destination.asset.chain,
        targets=(target,),
        is_committed=not is_quoted or bool(bridge.held.units),
    )
