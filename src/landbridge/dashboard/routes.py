"""Routes of all dashboard pages, by area."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Router, get
from litestar.di import Provide
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from landbridge.customers.team.model import SignedInSession
from landbridge.dashboard.actor_names import ActorNames
from landbridge.dashboard.approvals.approval_pages import ApprovalPages
from landbridge.dashboard.approvals.bank_line_pages import BankLinePages
from landbridge.dashboard.approvals.deposit_review_pages import DepositReviewPages
from landbridge.dashboard.approvals.queue_pages import QueuePages
from landbridge.dashboard.approvals.receivable_pages import ReceivablePages
from landbridge.dashboard.approvals.resolution_pages import ResolutionPages, TransferReviewPages
from landbridge.dashboard.approvals.screening_pages import (
    DepositScreeningPages,
    PaymentScreeningPages,
)
from landbridge.dashboard.approvals.stuck_pages import StuckPages
from landbridge.dashboard.assets import asset
from landbridge.dashboard.auth.mfa_pages import ProofPages, SecondFactorPages
from landbridge.dashboard.auth.passkey_pages import OwnPasskeyPages, PasskeyPages
from landbridge.dashboard.auth.profile_pages import ProfilePages
from landbridge.dashboard.auth.reset_pages import ForgotPages, InvitationPages, ResetPages
from landbridge.dashboard.auth.sign_in_pages import SessionPages, SignInPages, SignOutPages
from landbridge.dashboard.authentication import page_guard
from landbridge.dashboard.compliance.account_pages import AccountReviewPages
from landbridge.dashboard.compliance.document_pages import DocumentPages
from landbridge.dashboard.compliance.file_pages import FilePages
from landbridge.dashboard.compliance.owner_pages import OwnerPages
from landbridge.dashboard.compliance.queue_pages import KycReviewPages
from landbridge.dashboard.compliance.reveal_pages import RevealPages
from landbridge.dashboard.compliance.tab_pages import CompliancePages
from landbridge.dashboard.compliance.travel_rule_pages import InquiryPages, TravelRulePages
from landbridge.dashboard.developers.delivery_pages import DeliveryPages, EventPages
from landbridge.dashboard.developers.key_pages import KeyPages
from landbridge.dashboard.developers.request_pages import RequestPages
from landbridge.dashboard.developers.webhook_pages import WebhookPages
from landbridge.dashboard.error_pages import ErrorPages
from landbridge.dashboard.lists.pages import (
    BankAccountListPages,
    DepositListPages,
    ExternalWalletListPages,
    VirtualAccountListPages,
)
from landbridge.dashboard.organisation.address_pages import AddressPolicyPages
from landbridge.dashboard.organisation.audit_pages import AuditLogPages
from landbridge.dashboard.organisation.chain_pages import ChainPages
from landbridge.dashboard.organisation.exchange_pages import ExchangeSettingPages
from landbridge.dashboard.organisation.fee_pages import FeePages, SwapProviderPages
from landbridge.dashboard.organisation.limit_pages import LimitPages
from landbridge.dashboard.organisation.provider_pages import ProviderPages
from landbridge.dashboard.organisation.sandbox_pages import SandboxPages
from landbridge.dashboard.organisation.settings_pages import SettingsPages
from landbridge.dashboard.organisation.travel_rule_pages import TravelRuleSettingPages
from landbridge.dashboard.overview import OverviewPages
from landbridge.dashboard.page_request import TOOLS, PageRequest, PageTools
from landbridge.dashboard.payments.action_pages import PaymentActions
from landbridge.dashboard.payments.new_pages import BatchPages, NewPaymentPages
from landbridge.dashboard.reconciliation.close_pages import ClosePages, HaltPages
from landbridge.dashboard.reconciliation.difference_pages import DifferencePages
from landbridge.dashboard.rendering import InstallationInfo, Renderer
from landbridge.dashboard.reports.builder_pages import BuilderPages, TemplatePages
from landbridge.dashboard.reports.comparison import provide_report_reader
from landbridge.dashboard.reports.explore_pages import ExplorePages, SavedReportPages
from landbridge.dashboard.reports.fee_pages import FeesAndBillingPages
from landbridge.dashboard.reports.schedule_pages import SchedulePages, provide_recipients
from landbridge.dashboard.reports.statement_pages import StatementPages
from landbridge.dashboard.style_guide_pages import StyleGuidePages
from landbridge.dashboard.team.team_pages import MailboxPages, TeamPages
from landbridge.dashboard.transactions.export_pages import TransactionExportPages
from landbridge.dashboard.transactions.list_pages import SavedViewPages, TransactionPages
from landbridge.dashboard.transactions.search_pages import SearchPages
from landbridge.dashboard.users.account_pages import AccountPages
from landbridge.dashboard.users.list_pages import UserListPages
from landbridge.dashboard.users.new_pages import NewUserPages
from landbridge.dashboard.users.overview_pages import UserPages
from landbridge.dashboard.users.rule_pages import SettlementRulePages
from landbridge.dashboard.users.transaction_pages import UserTransactionPages
from landbridge.dashboard.users.virtual_account_pages import VirtualAccountPages
from landbridge.dashboard.users.wallet_pages import WalletPages
from landbridge.platform.http.caller import Caller
from landbridge.reporting.attention_counts import AttentionCount


@get("/{path:path}")
async def not_found(path: FromPath[str]) -> None:
    """Raise `NotFoundException` for an unknown path, so that an error page is shown."""
    raise NotFoundException(f"there is no page at {path}")


PAGES: Sequence[ControllerRouterHandler] = [
    asset,
    not_found,
    OverviewPages,
    StyleGuidePages,
    ApprovalPages,
    QueuePages,
    TransferReviewPages,
    DepositReviewPages,
    DepositScreeningPages,
    PaymentScreeningPages,
    BankLinePages,
    ReceivablePages,
    ResolutionPages,
    StuckPages,
    AccountReviewPages,
    CompliancePages,
    DocumentPages,
    FilePages,
    InquiryPages,
    KycReviewPages,
    OwnerPages,
    RevealPages,
    TravelRulePages,
    DeliveryPages,
    EventPages,
    KeyPages,
    RequestPages,
    WebhookPages,
    SignInPages,
    SignOutPages,
    PasskeyPages,
    ForgotPages,
    ResetPages,
    InvitationPages,
    ProfilePages,
    SecondFactorPages,
    OwnPasskeyPages,
    ProofPages,
    SessionPages,
    BankAccountListPages,
    VirtualAccountListPages,
    DepositListPages,
    ExternalWalletListPages,
    AddressPolicyPages,
    AuditLogPages,
    ChainPages,
    ExchangeSettingPages,
    FeePages,
    SwapProviderPages,
    LimitPages,
    ProviderPages,
    SandboxPages,
    SettingsPages,
    TravelRuleSettingPages,
    NewPaymentPages,
    BatchPages,
    PaymentActions,
    ClosePages,
    DifferencePages,
    HaltPages,
    ExplorePages,
    BuilderPages,
    TemplatePages,
    SavedReportPages,
    StatementPages,
    SchedulePages,
    FeesAndBillingPages,
    TeamPages,
    MailboxPages,
    TransactionPages,
    TransactionExportPages,
    SavedViewPages,
    SearchPages,
    UserListPages,
    NewUserPages,
    UserPages,
    WalletPages,
    AccountPages,
    VirtualAccountPages,
    UserTransactionPages,
    SettlementRulePages,
]

# Forms have a few kilobytes; pages with uploads declare a larger limit.
FORM_BYTES_MAX = 256 * 1024


def dashboard(
    *,
    get_installation: Callable[[], InstallationInfo],
    find_session: Callable[[str], Awaitable[SignedInSession | None]],
    is_fresh: Callable[[SignedInSession], bool],
    zone_of: Callable[[UUID], Awaitable[ZoneInfo]],
    waiting: Callable[[Caller], Awaitable[AttentionCount]],
    names_of: Callable[[UUID], Awaitable[ActorNames]],
) -> Router:
    """Return the router of all pages, with their guard."""
    renderer = Renderer(get_installation)
    return Router(
        "/dashboard",
        route_handlers=PAGES,
        # Pages have their own guard, not that of the API.
        opt={"public": True, TOOLS: PageTools(renderer, names_of)},
        request_class=PageRequest,
        guards=[
            page_guard(
                find_session, is_fresh, zone_of, waiting, lambda: get_installation().base_url
            )
        ],
        dependencies={
            "reader": Provide(provide_report_reader, sync_to_thread=False),
            "recipients": Provide(provide_recipients, sync_to_thread=False),
        },
        exception_handlers=ErrorPages(renderer).handlers,
        dto=None,
        include_in_schema=False,
        request_max_body_size=FORM_BYTES_MAX,
    )
