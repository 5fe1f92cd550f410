"""Services shared by all payment flows."""

from dataclasses import dataclass

from landbridge.app.container.customer_services import CustomerServices
from landbridge.app.container.provider_services import operate_providers, poll_credits
from landbridge.app.container.registry import OWED_BY_TREASURY
from landbridge.customers.team.approval_emails import ApprovalEmails, MemberEmails
from landbridge.customers.wallets.party_contexts import PartyContexts
from landbridge.ledger.listing import TransferListing
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.bank_files.bank_simulator import SandboxBank
from landbridge.payments.bank_files.inbox import InboxReader
from landbridge.payments.bank_files.reconciliation import Reconciliation
from landbridge.payments.bank_files.stop_payments import StopPayments
from landbridge.payments.engine.create_transfer import TransferCreation
from landbridge.payments.engine.parties import PaymentParties
from landbridge.payments.engine.quote_acceptance import QuoteAcceptance
from landbridge.payments.engine.scripted_creation import ScriptedTransferCreation
from landbridge.payments.engine.treasury_bounds import TreasuryBounds
from landbridge.payments.incoming_payments.provider_credits import ProviderReturnOrders
from landbridge.payments.incoming_payments.returns import ReturnOrders
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.provider_operations.service import ProviderOperations
from landbridge.payments.virtual_accounts.deposits import VirtualAccountDeposits
from landbridge.payments.virtual_accounts.destinations import DeliveryDestinations
from landbridge.payments.virtual_accounts.rules import SettlementRules
from landbridge.payments.virtual_accounts.service import VirtualAccounts
from landbridge.platform.core.fields import field_values
from landbridge.platform.orgs.model import Mode
from landbridge.providers.sidecar.credit_polls import ProviderCredits


@dataclass(frozen=True, kw_only=True)
class PaymentServices(CustomerServices):
    """Services shared by all payment flows."""

    approval_emails: ApprovalEmails
    approvals: Approvals
    payment_parties: PaymentParties
    transfer_creation: TransferCreation
    quote_acceptance: QuoteAcceptance
    incoming_payments: IncomingPayments
    # Stops returns of deposits that no bank file or provider has yet; other rails cannot.
    return_orders: ReturnOrders | None
    # Polls the providers of the providers file; None without one.
    provider_credits: ProviderCredits | None
    provider_operations: ProviderOperations
    # Bank files, if the rails use them.
    inbox_reader: InboxReader
    sandbox_bank: SandboxBank
    virtual_account_deposits: VirtualAccountDeposits
    virtual_accounts: VirtualAccounts
    settlement_rules: SettlementRules


def _payment_parties(on: CustomerServices) -> PaymentParties:
    return PaymentParties(
        ledger=on.ledger,
        orgs=on.orgs,
        users=on.users,
        wallets=on.wallets,
        address_policies=on.address_policies,
        party_contexts=PartyContexts(on.database),
        chains=on.chains,
        treasury_bounds=TreasuryBounds(
            on.chain_operations, TransferListing(on.database), OWED_BY_TREASURY
        ),
        limits=on.limits,
        needs_registration=on.settings.require_registered_wallets,
    )


def _transfer_creation(on: CustomerServices, approvals: Approvals) -> TransferCreation:
    """Return the creation of payments; only a sandbox knows scripted outcomes."""
    if on.settings.mode is not Mode.SANDBOX:
        return TransferCreation(on.database, on.ledger, on.wallets, approvals, on.limits)
    return ScriptedTransferCreation(
        on.database, on.ledger, on.wallets, approvals, on.limits, on.scripted_outcomes
    )


def _return_orders(on: CustomerServices) -> ReturnOrders | None:
    files = None
    if on.settings.bank == "files":
        files = StopPayments(on.funding_accounts, on.bank_payments)
    return files if on.providers is None else ProviderReturnOrders(files)


def _delivery_destinations(on: CustomerServices) -> DeliveryDestinations:
    return DeliveryDestinations(
        on.wallets,
        on.rails,
        on.chains,
        address_policies=on.address_policies,
        limits=on.limits,
        clock=on.clock,
    )


def build_payment_services(on: CustomerServices) -> PaymentServices:
    """Wire the shared services."""
    settings, database, ledger = on.settings, on.database, on.ledger
    approval_mails = ApprovalEmails(MemberEmails(on.outbox, on.vault), base_url=settings.base_url)
    approvals = Approvals(database, ledger, on.vault, on.clock, approval_mails)
    incoming_payments = IncomingPayments(database, on.vault, on.deposit_screenings)
    virtual_deposits = VirtualAccountDeposits(database, on.vault, ledger, on.clock)
    return PaymentServices(
        **field_values(on),
        approval_emails=approval_mails,
        approvals=approvals,
        payment_parties=_payment_parties(on),
        quote_acceptance=QuoteAcceptance(database, ledger, on.limits),
        transfer_creation=_transfer_creation(on, approvals),
        incoming_payments=incoming_payments,
        return_orders=_return_orders(on),
        provider_credits=poll_credits(on.providers, database, on.clock, incoming_payments),
        provider_operations=operate_providers(settings, on.providers, database, on.clock),
        inbox_reader=InboxReader(
            database=database,
            vault=on.vault,
            accounts=on.funding_accounts,
            applying=Reconciliation(
                database=database,
                vault=on.vault,
                accounts=on.funding_accounts,
                payments=on.bank_payments,
                incoming_payments=incoming_payments,
                clock=on.clock,
            ),
            clock=on.clock,
        ),
        sandbox_bank=SandboxBank(settings.mode, database, on.funding_accounts, on.clock),
        virtual_account_deposits=virtual_deposits,
        virtual_accounts=VirtualAccounts(
            database=database,
            vault=on.vault,
            clock=on.clock,
            users=on.users,
            verified=on.verification,
            rails=on.rails,
            destinations=_delivery_destinations(on),
            deposits=virtual_deposits,
        ),
        settlement_rules=SettlementRules(
            database, on.wallets, on.clock, on.chains, on.chain_operations
        ),
    )
