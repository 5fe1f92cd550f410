"""A wallet transfer as limits see it: all that leaves the wallet, on one chain."""

from landbridge.flows.wallet_transfers.model import as_transfer
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed from the start, since its coins are held."""
    transfer = as_transfer(record)
    details = transfer.details
    target = Target.at(
        details.destination_address,
        transfer.amount,
        *(record.user_id, details.destination_user_id),
        account_id=details.destination_account_id,
    )
    return Spending.of(
        record,
        transfer.gross,
        corridor=transfer.asset.chain,
        targets=(target,),
        is_committed=True,
    )
