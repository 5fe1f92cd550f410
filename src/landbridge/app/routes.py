"""Table of contents of the API: every route but the pages."""

from landbridge.customers.address_policies.api import AddressPolicyRoutes
from landbridge.customers.bank_accounts.api import AccountRoutes
from landbridge.customers.bank_accounts.review_api import AccountReviewRoutes
from landbridge.customers.chain_operations.api import ChainRoutes
from landbridge.customers.deposit_screening.review_api import DepositScreeningRoutes
from landbridge.customers.kyc.api import KycRoutes
from landbridge.customers.onboarding.api import KycLinkRoutes
from landbridge.customers.onboarding.form_api import KycPage
from landbridge.customers.payee_verifications.api import PayeeVerificationRoutes
from landbridge.customers.payment_screening.review_api import PaymentScreeningRoutes
from landbridge.customers.revealed_numbers.api import RevealedNumberRoutes
from landbridge.customers.travel_exchanges.api import ExchangeRoutes
from landbridge.customers.travel_exchanges.vasp_api import VaspRoutes
from landbridge.customers.travel_rule.api import TravelRuleRoutes
from landbridge.customers.travel_rule.wallet_api import TravelRuleWalletRoutes
from landbridge.customers.users.api import UserDetailsRoutes, UserRoutes
from landbridge.customers.users.deposit_api import DepositRoutes
from landbridge.customers.users.terms_api import TermsPage, TermsRoutes
from landbridge.customers.users.wallet_api import WalletRoutes
from landbridge.customers.verification.api import ProviderVerificationRoutes, VerificationRoutes
from landbridge.customers.verification.review_api import ReviewRoutes
from landbridge.developers.request_log.api import RequestLogRoutes
from landbridge.developers.webhooks.api import WebhookRoutes
from landbridge.developers.webhooks.delivery_api import DeliveryRoutes
from landbridge.developers.webhooks.event_api import EventRoutes
from landbridge.payments.approvals.api import ApprovalRoutes
from landbridge.payments.approvals.inbox_api import ApprovalInboxRoutes
from landbridge.payments.bank_files.statement_line_api import BankLineRoutes
from landbridge.payments.batches.api import BatchRoutes
from landbridge.payments.bridges.api import BridgeRoutes
from landbridge.payments.disbursements.api import DisbursementRoutes
from landbridge.payments.engine.state_machine_api import StateMachineRoutes
from landbridge.payments.engine.stuck_api import StuckRoutes
from landbridge.payments.incoming_payments.api import DepositReviewRoutes
from landbridge.payments.limits.api import LimitRoutes
from landbridge.payments.offramps.api import OfframpRoutes
from landbridge.payments.onramps.api import OnrampRoutes
from landbridge.payments.provider_operations.api import ProviderRoutes
from landbridge.payments.quotes.rates_api import RateRoutes
from landbridge.payments.receivables.api import ReceivableRoutes
from landbridge.payments.resolutions.api import ResolutionRoutes
from landbridge.payments.rfis.api import TransferReviewRoutes
from landbridge.payments.swaps.api import SwapRoutes
from landbridge.payments.swaps.provider_choice_api import SwapProviderRoutes
from landbridge.payments.transactions.api import BalanceRoutes, SearchRoutes, TransactionRoutes
from landbridge.payments.transactions.note_api import TransactionNoteRoutes
from landbridge.payments.transfers.api import WalletTransferRoutes
from landbridge.payments.virtual_accounts.api import VirtualAccountRoutes
from landbridge.payments.virtual_accounts.rule_api import SettlementRuleRoutes
from landbridge.platform.audit_log.api import AuditLogRoutes
from landbridge.platform.files.api import FileRoutes
from landbridge.platform.http.documentation_site import site_file
from landbridge.platform.http.service_api import (
    bare_ping,
    explained_errors,
    explored_document,
    explored_tag,
    explorer,
    explorer_asset,
    healthz,
    metrics,
    openapi,
    ping,
    readyz,
)
from landbridge.providers.sidecar.webhook_api import ProviderWebhookRoutes
from landbridge.reporting.exports.api import DownloadRoutes
from landbridge.reporting.metrics.metric_api import MetricRoutes
from landbridge.reporting.metrics.option_api import OptionRoutes
from landbridge.reporting.metrics.template_api import TemplateRoutes
from landbridge.reporting.proofs.api import ProofRoutes
from landbridge.reporting.reconciliation.api import ReconciliationRoutes
from landbridge.reporting.reconciliation.close_api import CloseRoutes
from landbridge.reporting.reconciliation.halt_api import HaltRoutes
from landbridge.reporting.reconciliation.reserve_api import ReserveProofRoutes
from landbridge.reporting.request_outcome_api import RequestRoutes
from landbridge.reporting.rollups.api import TimeZoneRoutes
from landbridge.reporting.schedules.api import RunRoutes, ScheduleRoutes
from landbridge.reporting.statements.api import StatementRoutes
from landbridge.sandbox.api import SandboxRoutes
from landbridge.sandbox.deposit_api import SandboxDepositRoutes, SimulatedDepositRoutes
from landbridge.sandbox.outcomes_api import OutcomeRoutes
from landbridge.sandbox.vasp_api import SimulatedVaspRoutes

SERVICE_ROUTES = [
    *(ping, bare_ping, healthz, readyz, metrics),
    *(explorer, explored_tag, explored_document, explorer_asset),
    *(explained_errors, openapi, site_file),
]
ROUTES = [
    ProviderWebhookRoutes,
    VaspRoutes,
    SimulatedVaspRoutes,
    AccountRoutes,
    AccountReviewRoutes,
    FileRoutes,
    UserRoutes,
    UserDetailsRoutes,
    PayeeVerificationRoutes,
    RevealedNumberRoutes,
    TravelRuleRoutes,
    TravelRuleWalletRoutes,
    ExchangeRoutes,
    WalletRoutes,
    DepositRoutes,
    KycRoutes,
    VerificationRoutes,
    ProviderVerificationRoutes,
    ReviewRoutes,
    TransferReviewRoutes,
    DepositReviewRoutes,
    DepositScreeningRoutes,
    PaymentScreeningRoutes,
    BankLineRoutes,
    ResolutionRoutes,
    ReceivableRoutes,
    TermsRoutes,
    TermsPage,
    KycLinkRoutes,
    KycPage,
    VirtualAccountRoutes,
    SettlementRuleRoutes,
    TransactionRoutes,
    TransactionNoteRoutes,
    BalanceRoutes,
    SearchRoutes,
    SwapRoutes,
    WalletTransferRoutes,
    BatchRoutes,
    BridgeRoutes,
    OfframpRoutes,
    DisbursementRoutes,
    RateRoutes,
    StuckRoutes,
    StateMachineRoutes,
    ChainRoutes,
    ProviderRoutes,
    OnrampRoutes,
    ApprovalRoutes,
    ApprovalInboxRoutes,
    LimitRoutes,
    AddressPolicyRoutes,
    SwapProviderRoutes,
    TemplateRoutes,
    OptionRoutes,
    MetricRoutes,
    DownloadRoutes,
    StatementRoutes,
    ProofRoutes,
    ReserveProofRoutes,
    ReconciliationRoutes,
    CloseRoutes,
    HaltRoutes,
    ScheduleRoutes,
    RunRoutes,
    TimeZoneRoutes,
    RequestRoutes,
    RequestLogRoutes,
    AuditLogRoutes,
    EventRoutes,
    WebhookRoutes,
    DeliveryRoutes,
    SandboxRoutes,
    SandboxDepositRoutes,
    OutcomeRoutes,
    SimulatedDepositRoutes,
]
