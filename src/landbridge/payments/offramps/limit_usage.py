"""Limit usage of an offramp: its coins including all fees, paid to one bank account."""

from landbridge.ledger.model import Transfer
from landbridge.payments.limits.model import LimitUsage, PaymentDestination
from landbridge.payments.offramps.model import Offramp, as_offramp
from landbridge.platform.core.money import Money


def as_limit_usage(record: Transfer) -> LimitUsage:
    """Return the limit usage; it is committed on accept, or when an approval is requested."""
    offramp = as_offramp(record)
    details = offramp.details
    return LimitUsage.of(
        record,
        offramp.gross,
        rail=details.payment_rail,
        corridor=details.corridor or offramp.receive.asset.currency,
        targets=_targets(offramp),
        is_committed=details.needs_approval or details.accepted_at is not None,
        # An offramp that waited for an approval counts from its creation, not from its accept.
        accepted_at=None if details.needs_approval else details.accepted_at,
    )


def payees(offramp: Offramp) -> list[PaymentDestination]:
    """Return the bank account, and the recipients of fees."""
    account_id = offramp.details.account_id
    return [
        PaymentDestination(name=str(account_id), usd=offramp.amount.decimal, account_id=account_id),
        *(
            PaymentDestination.at(
                each.line.wallet_address,
                each.money,
                offramp.record.user_id,
                account_id=each.line.account_id,
            )
            for each in offramp.fees
        ),
    ]


def _targets(offramp: Offramp) -> tuple[PaymentDestination, ...]:
    """Return the destinations of an offramp, including the return address of external coins."""
    details, user_id, targets = offramp.details, offramp.record.user_id, payees(offramp)
    if offramp.is_external:
        # Destination lists apply to a return, but no cool-down, because it is not a payment.
        targets.append(
            PaymentDestination.at(
                details.return_address,
                Money(0, offramp.gross.asset),
                user_id,
                account_id=details.return_account_id,
            )
        )
    return tuple(targets)
