"""Services of the sandbox: its clock, funding and simulated deposits."""

from landbridge.app.container.offramps import OfframpServices
from landbridge.app.container.onramps import OnrampServices
from landbridge.app.container.payment_services import PaymentServices
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.payments.rfis.reviews import TransferReviews
from landbridge.payments.scheduler import Scheduler
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.sandbox.deposits import SandboxDeposits
from landbridge.sandbox.service import Sandbox
from landbridge.sandbox.virtual_deposits import VirtualDeposits


def build_sandbox(
    on: PaymentServices,
    due: Scheduler,
    transfer_reviews: TransferReviews,
    incoming_payment_steps: IncomingPaymentSteps,
    report_schedules: ReportSchedules,
) -> Sandbox:
    """Return the sandbox; it reads and writes bank files if the rails use them."""
    has_files = on.settings.bank == "files"
    return Sandbox(
        mode=on.settings.mode,
        ledger=on.ledger,
        orgs=on.orgs,
        users=on.users,
        wallets=on.wallets,
        due=due,
        verification=on.verification,
        clock=on.clock,
        transfer_reviews=transfer_reviews,
        incoming_payment_steps=incoming_payment_steps,
        report_schedules=report_schedules,
        idempotency_keys=on.idempotency_keys,
        simulated_state=on.simulated_state,
        faucets={} if on.evm is None else on.evm.faucets,
        bank_writer=on.bank_file_writer if has_files else None,
        bank_reading=on.inbox_reader if has_files else None,
    )


def simulated_deposits(on: PaymentServices) -> VirtualDeposits:
    """Return the simulated deposits to virtual accounts."""
    return VirtualDeposits(
        mode=on.settings.mode,
        virtual_accounts=on.virtual_accounts,
        deposits=on.virtual_account_deposits,
        incoming_payments=on.incoming_payments,
        simulated_state=on.simulated_state,
        clock=on.clock,
    )


def sandbox_deposits(
    on: PaymentServices, taking_in: OnrampServices, paying_out: OfframpServices
) -> SandboxDeposits:
    """Return the simulated deposits for payments that wait for one."""
    return SandboxDeposits(
        mode=on.settings.mode,
        onramps=taking_in.onramps,
        offramps=paying_out.offramps,
        incoming_payments=on.incoming_payments,
        simulated_state=on.simulated_state,
        clock=on.clock,
    )
