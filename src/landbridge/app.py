"""The table of contents of every route."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import structlog
from litestar import Litestar, MediaType, Router
from litestar.config.app import AppConfig
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import ASGIApp, Receive, Scope, Send

from landbridge import __version__
from landbridge.accounts.api import AccountRoutes
from landbridge.accounts.review_api import AccountReviewRoutes
from landbridge.approvals.api import ApprovalRoutes
from landbridge.approvals.inbox_api import ApprovalInboxRoutes
from landbridge.audit_log.api import AuditLogRoutes
from landbridge.bank_files.lines_api import BankLineRoutes
from landbridge.books.api import BalanceRoutes, SearchRoutes, TransactionRoutes
from landbridge.core.errors import Busy, Refused
from landbridge.dashboard.pages import Surroundings
from landbridge.dashboard.routes import dashboard
from landbridge.dashboard.zones import PageZones
from landbridge.files.api import FileRoutes
from landbridge.flows.batches.api import BatchRoutes
from landbridge.flows.bridges.api import BridgeRoutes
from landbridge.flows.disbursements.api import DisbursementRoutes
from landbridge.flows.offramps.api import OfframpRoutes
from landbridge.flows.onramps.api import OnrampRoutes
from landbridge.flows.receivables.api import ReceivableRoutes
from landbridge.flows.resolutions.api import ResolutionRoutes
from landbridge.flows.swaps.api import SwapRoutes
from landbridge.flows.wallet_transfers.api import WalletTransferRoutes
from landbridge.kyc import shapes as kyc_shapes
from landbridge.kyc.api import KycRoutes
from landbridge.limits.api import LimitRoutes
from landbridge.members.model import SignedIn
from landbridge.onboarding.api import KycLinkRoutes
from landbridge.onboarding.form_api import KycPage
from landbridge.payments.manner import check_manner, provide_manner
from landbridge.payments.stuck_api import StuckRoutes
from landbridge.quotes.rates_api import RateRoutes
from landbridge.receipts.api import DepositReviewRoutes
from landbridge.reporting.exports.api import DownloadRoutes
from landbridge.reporting.metrics.metric_api import MetricRoutes
from landbridge.reporting.metrics.option_api import OptionRoutes
from landbridge.reporting.metrics.template_api import TemplateRoutes
from landbridge.reporting.requests_api import RequestRoutes
from landbridge.reporting.rollups.api import TimeZoneRoutes
from landbridge.reporting.schedules.api import RunRoutes, ScheduleRoutes
from landbridge.reporting.statements.api import StatementRoutes
from landbridge.request_log.api import RequestLogRoutes
from landbridge.rfis.api import TransferReviewRoutes
from landbridge.sandbox.api import SandboxRoutes
from landbridge.sandbox.deposit_api import SandboxDepositRoutes
from landbridge.sandbox.outcomes_api import OutcomeRoutes
from landbridge.sandbox.virtual_account_api import SimulatedDepositRoutes
from landbridge.users.api import UserRoutes
from landbridge.users.deposit_api import DepositRoutes
from landbridge.users.particulars_api import ParticularsRoutes
from landbridge.users.terms_api import TermsPage, TermsRoutes
from landbridge.users.wallet_api import WalletRoutes
from landbridge.verification.api import VerificationRoutes
from landbridge.verification.review_api import ReviewRoutes
from landbridge.virtual_accounts.api import VirtualAccountRoutes
from landbridge.virtual_accounts.rule_api import SettlementRuleRoutes
from landbridge.web import errors
from landbridge.web.body import Body
from landbridge.web.caller import Caller
from landbridge.web.gate import gate
from landbridge.web.keys import check_key
from landbridge.web.lists import AnyRequest, check_query, provide_window
from landbridge.web.metrics import MetricsText
from landbridge.web.openapi import describe
from landbridge.web.repeating import repeating
from landbridge.web.reply import Reply, encode
from landbridge.web.service_api import (
    explorer,
    explorer_asset,
    healthz,
    metrics,
    openapi,
    ping,
    readyz,
)
from landbridge.web.static import Once, StaticContent
from landbridge.webhooks.api import WebhookRoutes
from landbridge.webhooks.delivery_api import DeliveryRoutes
from landbridge.webhooks.event_api import EventRoutes
from landbridge.wiring import House
from landbridge.wiring.installation import installation

_log = structlog.stdlib.get_logger()

ROUTES = [
    AccountRoutes,
    AccountReviewRoutes,
    FileRoutes,
    UserRoutes,
    ParticularsRoutes,
    WalletRoutes,
    DepositRoutes,
    KycRoutes,
    VerificationRoutes,
    ReviewRoutes,
    TransferReviewRoutes,
    DepositReviewRoutes,
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
    OnrampRoutes,
    ApprovalRoutes,
    ApprovalInboxRoutes,
    LimitRoutes,
    TemplateRoutes,
    OptionRoutes,
    MetricRoutes,
    DownloadRoutes,
    StatementRoutes,
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

# What handlers may ask for, by the names of their parameters.
SERVICES = (
    "database",
    "accounts",
    "files",
    "dossiers",
    "users",
    "verification",
    "reviews",
    "reviewing",
    "deposit_reviews",
    "line_reviews",
    "resolutions",
    "receivables",
    "wallets",
    "deposits",
    "terms",
    "orgs",
    "sessions",
    "members",
    "sign_in",
    "second_factors",
    "passkeys",
    "mailbox",
    "links",
    "visits",
    "uploading",
    "virtual_accounts",
    "settlement_rules",
    "swaps",
    "timelines",
    "transactions",
    "transaction_details",
    "balances",
    "search",
    "bridges",
    "offramps",
    "disbursements",
    "approvals",
    "limits",
    "rehearsing",
    "prices",
    "fees",
    "wallet_transfers",
    "batches",
    "rate_board",
    "onramps",
    "onramp_backgrounds",
    "requests",
    "rollups",
    "folding",
    "time_zones",
    "calculator",
    "saved_metrics",
    "outgoing",
    "exports",
    "statements",
    "report_schedules",
    "request_log",
    "request_rates",
    "audit_log",
    "events",
    "endpoints",
    "deliveries",
    "voting",
    "forcing",
    "sandbox",
    "sandbox_deposits",
    "simulated_deposits",
    "clock",
)

# Every body of ours is a few hundred bytes; a megabyte is far beyond any honest one.
BODY_BYTES_MAX = 1_000_000
_NOTE_USE_EVERY_S = 5


def build_app(house: House) -> Litestar:
    """The ASGI application over these services.

    It takes a second to make, and takes what it needs from the house only when a request comes.
    """

    def encoded_document() -> StaticContent:
        return StaticContent.of(encode(openapi_document(app)), MediaType.JSON)

    document = Once(encoded_document)
    metrics_text = MetricsText()

    async def authenticate(key: str) -> Caller:
        return await house.orgs.authenticate(key)

    app = Litestar(
        [
            ping,
            healthz,
            readyz,
            metrics,
            explorer,
            openapi,
            explorer_asset,
            *ROUTES,
            _pages(house),
        ],
        dto=Body,
        return_dto=None,
        response_class=Reply,
        guards=[gate(authenticate, lambda: house.request_rates)],
        before_request=_check_request,
        dependencies={
            **{name: Provide(_service(house, name), sync_to_thread=False) for name in SERVICES},
            "public_url": Provide(lambda: house.settings.base_url, sync_to_thread=False),
            "installation": Provide(lambda: installation(house.settings), sync_to_thread=False),
            "window": Provide(provide_window, sync_to_thread=False),
            "manner": Provide(provide_manner, sync_to_thread=False),
            "metrics_token": Provide(lambda: house.settings.metrics_token, sync_to_thread=False),
            "metrics_text": Provide(lambda: metrics_text, sync_to_thread=False),
            "openapi_document": Provide(lambda: document, sync_to_thread=False),
        },
        exception_handlers={
            Refused: errors.refused,
            Busy: errors.busy,
            HTTPException: errors.http_exception,
            Exception: errors.broken,
        },
        request_max_body_size=BODY_BYTES_MAX,
        middleware=[_listening(house)] if house.request_log.is_on else [],
        lifespan=[
            lambda _: noting_use(house.orgs.note_use),
            lambda _: house.request_log.flushing(),
            lambda _: house.request_rates.sharing(),
        ],
        openapi_config=_openapi_config(),
        logging_config=None,
        on_app_init=[_quiet],
    )
    return app


async def _check_request(request: AnyRequest) -> None:
    await check_query(request)
    await check_manner(request)
    await check_key(request)


def openapi_document(app: Litestar) -> dict[str, Any]:
    """The interface of `app` as OpenAPI."""
    return describe(app.openapi_schema.to_schema(), kyc_shapes.SCHEMAS)


def _openapi_config() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Landbridge",
        version=__version__,
        description="Self-hosted stablecoin payments.",
        path="/openapi",
        # Never empty: Litestar then serves pages with scripts from foreign hosts.
        render_plugins=[JsonRenderPlugin()],
        components=Components(
            security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}
        ),
        security=[{"key": []}],
        use_handler_docstrings=True,
    )


def _quiet(config: AppConfig) -> AppConfig:
    """Nothing of the framework's own chatter; `observe` says what there is to say."""
    config.debug = False
    return config


def _service(house: House, name: str) -> Callable[[], Any]:
    def provide() -> Any:
        return getattr(house, name)

    return provide


def _listening(house: House) -> Callable[[ASGIApp], ASGIApp]:
    def middleware(app: ASGIApp) -> ASGIApp:
        async def listened(scope: Scope, receive: Receive, send: Send) -> None:
            await house.request_log.listener.listen(app, scope, receive, send)

        return listened

    return middleware


def _pages(house: House) -> Router:
    def around() -> Surroundings:
        return Surroundings(
            mode=house.settings.mode,
            base_url=house.settings.base_url,
            clock=house.clock,
            sends_mail=house.outbox.can_send,
        )

    async def find_session(secret: str) -> SignedIn | None:
        return await house.sessions.find(secret)

    def is_fresh(signed: SignedIn) -> bool:
        return house.sessions.is_fresh(signed)

    return dashboard(around, find_session, is_fresh, PageZones(lambda: house.time_zones).of)


def noting_use(
    note_use: Callable[[], Awaitable[None]], *, every_s: float = _NOTE_USE_EVERY_S
) -> AbstractAsyncContextManager[None]:
    """Write down now and then when keys were used."""
    return repeating(note_use, every_s=every_s, busy="keys.busy", failed="keys.use_not_noted")
