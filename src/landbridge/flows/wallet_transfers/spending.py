"""A wallet transfer as limits see it: all that leaves the wallet, on one chain."""

from landbridge.flows.wallet_transfers.model import as_transfer
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed from the start, since its coins are held."""
    transfer = as_transfer(record)
    details = transfer.details
    known_by = (record.user_id, details.destination_user_id)
    target = Target(
        name=details.destination_address,
        usd=transfer.amount.decimal,
        user_ids=tuple(each for each in known_by if each is not None),
        is_ours=details.destination_account_id is not None,
    )
    return Spending(
        org_id=record.org_id,
        record_id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        usd=transfer.gross.decimal,
        rail=None,
        corridor=transfer.asset.chain,
        targets=(target,),
        at=record.created_at,
        is_committed=True,
    )
