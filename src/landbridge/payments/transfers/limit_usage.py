"""Limit usage of wallet transfers: everything that leaves the wallet, on one chain."""

from landbridge.ledger.model import Transfer
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.transfers.model import as_transfer


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return its usage; committed from the start, because its coins are held."""
    transfer = as_transfer(record)
    details = transfer.details
    target = PaymentDestination.at(
        details.destination_address,
        transfer.amount,
        record.user_id,
        details.destination_user_id,
        account_id=details.destination_account_id,
    )
    return LimitUsage.of(
        record,
        transfer.gross,
        corridor=transfer.asset.chain,
        targets=(target,),
        is_committed=True,
    )
