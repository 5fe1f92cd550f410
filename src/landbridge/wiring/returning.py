"""Payments that come back after they were settled, and deposits that are taken back."""

from dataclasses import dataclass

from landbridge.bank_files.lines import LineReviews
from landbridge.bank_files.returning import Returning
from landbridge.bank_files.withholding import Withholding
from landbridge.flows.offramps.returning import PayoutReturns
from landbridge.flows.onramps.returning import DepositReturns
from landbridge.flows.onramps.reversing import DepositReversals
from landbridge.flows.receivables.service import Receivables
from landbridge.receipts.returns import ReceiptReturns
from landbridge.wiring.paying import Paying


@dataclass(frozen=True, slots=True, kw_only=True)
class GivingBack:
    """What reopens and reverses records, and those who decide that on lines of banks."""

    receivables: Receivables
    payout_returns: PayoutReturns
    deposit_returns: DepositReturns
    deposit_reversals: DepositReversals
    line_reviews: LineReviews


def give_back(on: Paying) -> GivingBack:
    """Wire them."""
    receivables = Receivables(on.database, on.ledger)
    withholding = Withholding(on.own_accounts, on.bank_payments)
    payout_returns = PayoutReturns(on.ledger, on.limits)
    deposit_returns = DepositReturns(on.ledger)
    deposit_reversals = DepositReversals(
        *(on.ledger, on.rfis, receivables),
        orders=withholding if on.settings.bank == "files" else None,
    )
    returning = Returning(
        payments=on.bank_payments,
        withholding=withholding,
        receipts=ReceiptReturns(),
        payout_returns=payout_returns,
        deposit_returns=deposit_returns,
        deposit_reversals=deposit_reversals,
    )
    return GivingBack(
        receivables=receivables,
        payout_returns=payout_returns,
        deposit_returns=deposit_returns,
        deposit_reversals=deposit_reversals,
        line_reviews=LineReviews(
            *(on.database, on.vault, on.own_accounts, on.bank_payments, on.receipts),
            returning=returning,
            clock=on.clock,
        ),
    )
