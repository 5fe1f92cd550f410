"""An offramp as limits see it: its coins with all fees, to one bank account."""

from decimal import Decimal

from landbridge.flows.offramps.model import Offramp, as_offramp
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed once it is accepted, or asks for an approval."""
    offramp = as_offramp(record)
    details = offramp.details
    return Spending(
        org_id=record.org_id,
        record_id=record.id,
        kind=record.kind,
        user_id=record.user_id,
        usd=offramp.gross.decimal,
        rail=details.payment_rail,
        corridor=details.corridor or offramp.receive.asset.currency,
        targets=_targets(offramp),
        at=record.created_at,
        is_committed=details.needs_approval or details.accepted_at is not None,
    )


def _targets(offramp: Offramp) -> tuple[Target, ...]:
    """The bank account, who gets a fee, and the address that coins from outside go back to."""
    details, user_id = offramp.details, offramp.record.user_id
    targets = [
        Target(
            name=str(details.account_id), usd=offramp.amount.decimal, account_id=details.account_id
        )
    ]
    targets += [
        Target(
            name=each.line.wallet_address,
            usd=each.money.decimal,
            user_ids=(user_id,),
            is_ours=each.line.account_id is not None,
        )
        for each in offramp.fees
    ]
    if offramp.is_external:
        # What comes back is no payment, so it takes nothing of a cool-down; lists are for it.
        targets.append(
            Target(
                name=details.return_address,
                usd=Decimal(0),
                user_ids=(user_id,),
                is_ours=details.return_account_id is not None,
            )
        )
    return tuple(targets)
