"""An offramp as limits see it: its coins with all fees, to one bank account."""

from landbridge.core.money import Money
from landbridge.flows.offramps.model import Offramp, as_offramp
from landbridge.ledger.model import Transfer
from landbridge.limits.model import Spending, Target


def as_spending(record: Transfer) -> Spending:
    """What it spends; committed once it is accepted, or asks for an approval."""
    offramp = as_offramp(record)
    details = offramp.details
    return Spending.of(
        record,
        offramp.gross,
        rail=details.payment_rail,
        corridor=details.corridor or offramp.receive.asset.currency,
        targets=_targets(offramp),
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
        Target.at(each.line.wallet_address, each.money, user_id, account_id=each.line.account_id)
        for each in offramp.fees
    ]
    if offramp.is_external:
        # What comes back is no payment, so it takes nothing of a cool-down; lists are for it.
        targets.append(
            Target.at(
                details.return_address,
                Money(0, offramp.gross.asset),
                user_id,
                account_id=details.return_account_id,
            )
        )
    return tuple(targets)
