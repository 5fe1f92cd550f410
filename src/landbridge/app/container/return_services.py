"""Services of returned payments and reversed deposits."""

from dataclasses import dataclass

from landbridge.app.container.payment_services import PaymentServices
from landbridge.ledger.record_queues import RecordQueues
from landbridge.payments.bank_files.returns import BankReturns
from landbridge.payments.bank_files.statement_lines import StatementLineReviews
from landbridge.payments.bank_files.stop_payments import StopPayments
from landbridge.payments.incoming_payments.returns import IncomingPaymentReturns
from landbridge.payments.offramps.returns import OfframpPayoutReturns
from landbridge.payments.onramps.returns import OnrampDepositReturns
from landbridge.payments.onramps.reversals import OnrampDepositReversals
from landbridge.payments.receivables.service import Receivables


@dataclass(frozen=True, kw_only=True)
class ReturnServices:
    """Services that reopen and reverse records, and apply returns from bank statement lines."""

    receivables: Receivables
    payout_returns: OfframpPayoutReturns
    deposit_returns: OnrampDepositReturns
    deposit_reversals: OnrampDepositReversals
    statement_line_reviews: StatementLineReviews


def build_return_services(on: PaymentServices) -> ReturnServices:
    """Wire these services."""
    receivables = Receivables(on.ledger, RecordQueues(on.database, on.ledger))
    withholding = StopPayments(on.funding_accounts, on.bank_payments)
    payout_returns = OfframpPayoutReturns(on.ledger, on.limits)
    deposit_returns = OnrampDepositReturns(on.ledger, receivables)
    deposit_reversals = OnrampDepositReversals(
        ledger=on.ledger,
        rfis=on.rfis,
        receivables=receivables,
        orders=on.return_orders,
    )
    returning = BankReturns(
        payments=on.bank_payments,
        withholding=withholding,
        incoming_payments=IncomingPaymentReturns(),
        payout_returns=payout_returns,
        deposit_returns=deposit_returns,
        deposit_reversals=deposit_reversals,
    )
    return ReturnServices(
        receivables=receivables,
        payout_returns=payout_returns,
        deposit_returns=deposit_returns,
        deposit_reversals=deposit_reversals,
        statement_line_reviews=StatementLineReviews(
            database=on.database,
            vault=on.vault,
            accounts=on.funding_accounts,
            payments=on.bank_payments,
            incoming_payments=on.incoming_payments,
            returning=returning,
            clock=on.clock,
        ),
    )
