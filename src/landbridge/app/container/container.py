"""Container of all services, for routes, commands and worker steps."""

from dataclasses import dataclass

from landbridge.app.container.base_services import build_base_services, members
from landbridge.app.container.chain_deposits import build_chain_deposits
from landbridge.app.container.coin_flows import CoinFlows, coin_deciders, coin_steps, move_coins
from landbridge.app.container.customer_services import know_people
from landbridge.app.container.event_services import wire_event_services
from landbridge.app.container.offramps import OfframpServices, pay_out
from landbridge.app.container.onramps import OnrampServices, take_in
from landbridge.app.container.payment_services import PaymentServices, prepare_payments
from landbridge.app.container.rates import market as choose_market
from landbridge.app.container.rates import prices as choose_prices
from landbridge.app.container.registry import ASSETS, OWED_BY_TREASURY, TRANSITIONS, WAITS
from landbridge.app.container.reporting import report
from landbridge.app.container.resolutions import resolve
from landbridge.app.container.return_services import wire_returns
from landbridge.app.container.sandbox_services import (
    build_sandbox,
    sandbox_deposits,
    simulated_deposits,
)
from landbridge.app.container.transaction_services import keep_books
from landbridge.app.settings import Settings
from landbridge.customers.chain_deposits.steps import ChainDepositSteps
from landbridge.developers.events.service import Events
from landbridge.developers.webhooks.deliveries import Deliveries
from landbridge.developers.webhooks.delivery.dispatcher import Dispatcher
from landbridge.developers.webhooks.delivery.partitions import Partitions
from landbridge.developers.webhooks.service import Endpoints
from landbridge.ledger.time_in_status import TimeInStatus
from landbridge.payments.approvals.voting import Decider, Voting
from landbridge.payments.bank_files.statement_lines import StatementLineReviews
from landbridge.payments.engine.timelines import Timelines
from landbridge.payments.incoming_payments.overdue import OverdueIncomingPayments
from landbridge.payments.incoming_payments.reviews import IncomingPaymentReviews
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.payments.offramps import model as offramps_model
from landbridge.payments.offramps.external_coins import ExternalCoins
from landbridge.payments.offramps.renewals import OfframpRenewals
from landbridge.payments.offramps.returns import OfframpPayoutReturns
from landbridge.payments.offramps.service import Offramps
from landbridge.payments.onramps import model as onramps_model
from landbridge.payments.onramps.deposits import OnrampDeposits
from landbridge.payments.onramps.reply_context import OnrampReplyContexts
from landbridge.payments.onramps.returns import OnrampDepositReturns
from landbridge.payments.onramps.reversals import OnrampDepositReversals
from landbridge.payments.onramps.service import Onramps
from landbridge.payments.quotes.pairs import is_pair
from landbridge.payments.quotes.rate_board import RateBoard
from landbridge.payments.receivables.service import Receivables
from landbridge.payments.resolutions import model as resolutions_model
from landbridge.payments.resolutions.service import Resolutions
from landbridge.payments.resolutions.steps import ResolutionDecisions
from landbridge.payments.rfis.reviews import ReviewableFlow, TransferReviews
from landbridge.payments.scheduler import FlowSteps, Scheduler
from landbridge.payments.swaps.provider_choices import SwapProviderChoices
from landbridge.payments.swaps.quotes import SwapQuotes
from landbridge.payments.swaps.service import Swaps
from landbridge.payments.transactions.balances import BalanceSheets
from landbridge.payments.transactions.details import TransactionDetails
from landbridge.payments.transactions.listing import Transactions
from landbridge.payments.transactions.metadata import TransactionMetadata
from landbridge.payments.transactions.notes import TransactionNotes
from landbridge.payments.transactions.saved_views import SavedViews
from landbridge.payments.transactions.search import TransactionSearch
from landbridge.payments.transactions.summary import TransactionSummaries
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.egress import Egress
from landbridge.providers.chains.markets import NoMarkets
from landbridge.providers.chains.port import Chains
from landbridge.providers.evm.markets.connected_markets import ConnectedMarkets
from landbridge.providers.rails.port import Rails
from landbridge.providers.rates.fees import PairFees
from landbridge.providers.rates.market import Market
from landbridge.providers.rates.port import RateSource
from landbridge.providers.rates.price_table import PriceTable
from landbridge.providers.trp.port import OtherVasps
from landbridge.reporting.archive.service import MonthArchive
from landbridge.reporting.attention_counts import AttentionCounts
from landbridge.reporting.delivery_counts import DeliveryCounts
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.fee_statements import FeeStatements
from landbridge.reporting.file_downloads import FileDownloads
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.custom.service import CustomTemplates
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.proofs.service import Proofs
from landbridge.reporting.reconciliation.reserve_proofs import ReserveProofs
from landbridge.reporting.reconciliation.service import LedgerReconciliation
from landbridge.reporting.request_outcomes import RequestOutcomes
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.time_zones import TimeZones
from landbridge.reporting.rollups.updater import RollupUpdater
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.reporting.statements.service import Statements
from landbridge.sandbox.deposits import SandboxDeposits
from landbridge.sandbox.service import Sandbox
from landbridge.sandbox.virtual_deposits import VirtualDeposits


@dataclass(frozen=True, slots=True, kw_only=True)
class Container(CoinFlows):
    """Container of all services, for routes, commands and worker steps."""

    prices: PriceTable
    pair_fees: PairFees
    # Market prices; None without a price feed.
    market: Market | None
    rate_board: RateBoard
    swaps: Swaps
    swap_provider_choices: SwapProviderChoices
    timelines: Timelines
    transactions: Transactions
    transaction_details: TransactionDetails
    transaction_summaries: TransactionSummaries
    transaction_metadata: TransactionMetadata
    transaction_notes: TransactionNotes
    saved_views: SavedViews
    balance_sheets: BalanceSheets
    search: TransactionSearch
    offramps: Offramps
    offramp_renewals: OfframpRenewals
    external_coins: ExternalCoins
    onramps: Onramps
    onramp_reply_contexts: OnrampReplyContexts
    onramp_deposits: OnrampDeposits
    incoming_payment_reviews: IncomingPaymentReviews
    receivables: Receivables
    payout_returns: OfframpPayoutReturns
    deposit_returns: OnrampDepositReturns
    deposit_reversals: OnrampDepositReversals
    statement_line_reviews: StatementLineReviews
    request_outcomes: RequestOutcomes
    voting: Voting
    transfer_reviews: TransferReviews
    resolutions: Resolutions
    scheduler: Scheduler
    incoming_payment_steps: IncomingPaymentSteps
    # Follows the chains of the chains file; None without one.
    chain_deposit_steps: ChainDepositSteps | None
    sandbox: Sandbox
    sandbox_deposits: SandboxDeposits
    simulated_deposits: VirtualDeposits
    events: Events
    endpoints: Endpoints
    deliveries: Deliveries
    partitions: Partitions
    dispatcher: Dispatcher
    egress: Egress
    rollups: Rollups
    attention_counts: AttentionCounts
    fee_statements: FeeStatements
    rollup_updater: RollupUpdater
    time_zones: TimeZones
    delivery_counts: DeliveryCounts
    custom_templates: CustomTemplates
    calculator: Calculator
    saved_metrics: SavedMetrics
    file_downloads: FileDownloads
    exports: Exports
    statements: Statements
    proofs: Proofs
    archive: MonthArchive
    reserve_proofs: ReserveProofs
    report_schedules: ReportSchedules
    reconciliation: LedgerReconciliation

    def with_clock(self, clock: Clock) -> "Container":
        """Wire all services again over the same database, with another clock."""
        return wire(self.settings, self.database, clock)


def wire(
    settings: Settings,
    database: Database,
    clock: Clock,
    *,
    chains: Chains | None = None,
    rails: Rails | None = None,
    vasps: OtherVasps | None = None,
) -> Container:
    """Wire all services over a migrated database; tests pass adapters that fail."""
    base = build_base_services(settings, database, clock, chains=chains, rails=rails, vasps=vasps)
    people = move_coins(prepare_payments(know_people(base)))
    market = choose_market(settings, database, clock, base.reference_rates, base.providers)
    prices, rates = choose_prices(settings, database, market)
    swaps = _trade(people, rates)
    paying_out = pay_out(people, rates)
    taking_in = take_in(people, rates)
    moving, giving_back = coin_steps(people, swaps), wire_returns(people)
    resolving = resolve(people, moving, paying_out, taking_in, giving_back)
    steps: dict[str, FlowSteps] = {
        offramps_model.KIND: paying_out.steps,
        onramps_model.KIND: taking_in.steps,
        resolutions_model.KIND: resolving.steps,
        **moving.by_kind,
    }
    due = Scheduler(people.ledger, clock, steps, people.worker_share)
    transfer_reviews = _reviewing(people, paying_out, taking_in)
    reporting = report(people, _timelines(database, clock))
    incoming_payment_steps = _incoming_payment_steps(people, taking_in)
    return Container(
        **members(people) | members(reporting) | members(keep_books(people)),
        **members(giving_back),
        **members(wire_event_services(people, paying_out, taking_in, reporting)),
        prices=prices,
        pair_fees=PairFees(database, is_pair),
        market=market,
        rate_board=RateBoard(rates, clock, price_age_max=settings.price_age_max),
        swaps=swaps,
        swap_provider_choices=swaps.quotes.choices,
        timelines=reporting.attention_counts.timelines,
        offramps=paying_out.offramps,
        offramp_renewals=paying_out.renewals,
        external_coins=paying_out.external_coins,
        onramps=taking_in.onramps,
        onramp_reply_contexts=taking_in.reply_contexts,
        onramp_deposits=taking_in.onramp_deposits,
        incoming_payment_reviews=taking_in.incoming_payment_reviews,
        request_outcomes=_requests(people),
        voting=_voting(people, paying_out),
        transfer_reviews=transfer_reviews,
        resolutions=resolving.resolutions,
        scheduler=due,
        chain_deposit_steps=_chain_deposits(people),
        incoming_payment_steps=incoming_payment_steps,
        simulated_deposits=simulated_deposits(people),
        sandbox_deposits=sandbox_deposits(people, taking_in, paying_out),
        sandbox=build_sandbox(
            people, due, transfer_reviews, incoming_payment_steps, reporting.report_schedules
        ),
    )


def _chain_deposits(on: PaymentServices) -> ChainDepositSteps | None:
    """Return what follows the connected chains; None without any."""
    if on.evm is None:
        return None
    return build_chain_deposits(
        on.database,
        on.ledger,
        on.wallets,
        on.vault,
        on.clock,
        screenings=on.deposit_screenings,
        chains=on.evm.chains,
        clients=on.evm.clients,
        solana=on.evm.solana,
    )


def _timelines(database: Database, clock: Clock) -> Timelines:
    return Timelines(
        TimeInStatus(database),
        OverdueIncomingPayments(database),
        WAITS,
        frozenset(OWED_BY_TREASURY),
        ASSETS,
        clock,
    )


def _voting(on: PaymentServices, paying_out: OfframpServices) -> Voting:
    """Return the voting service, with the decider of each flow that needs approvals."""
    deciders: dict[str, Decider] = {
        offramps_model.KIND: paying_out.deciding,
        resolutions_model.KIND: ResolutionDecisions(),
        **coin_deciders(),
    }
    return Voting(
        database=on.database,
        ledger=on.ledger,
        vault=on.vault,
        clock=on.clock,
        deciders=deciders,
        mails=on.approval_emails,
    )


def _incoming_payment_steps(on: PaymentServices, taking_in: OnrampServices) -> IncomingPaymentSteps:
    return IncomingPaymentSteps(
        incoming_payments=on.incoming_payments,
        matcher=taking_in.onramp_deposits,
        rails=on.rails,
        clock=on.clock,
        holds_unmatched=on.settings.holds_unmatched,
    )


def _reviewing(
    on: PaymentServices, paying_out: OfframpServices, taking_in: OnrampServices
) -> TransferReviews:
    """Return the review service, with each flow that can be reviewed."""
    reviewed: dict[str, ReviewableFlow] = {
        offramps_model.KIND: paying_out.deciding,
        onramps_model.KIND: taking_in.onramps,
    }
    return TransferReviews(on.rfis, on.ledger, on.database, on.clock, reviewed)


def _requests(on: PaymentServices) -> RequestOutcomes:
    """Return the outcomes of requests of all kinds."""
    return RequestOutcomes(
        database=on.database,
        ledger=on.ledger,
        incoming_payments=on.incoming_payments,
        scripted_outcomes=on.scripted_outcomes,
        transitions=TRANSITIONS,
    )


def _trade(on: PaymentServices, rates: RateSource) -> Swaps:
    """Return swaps at current prices."""
    evm = on.evm
    markets = NoMarkets() if evm is None else ConnectedMarkets(evm.chains, evm.clients)
    return Swaps(
        ledger=on.ledger,
        parties=on.payment_parties,
        transfer_creation=on.transfer_creation,
        quote_acceptance=on.quote_acceptance,
        quotes=SwapQuotes(
            rates,
            markets,
            SwapProviderChoices(on.database, markets, on.clock),
            on.settings.price_age_max,
        ),
        clock=on.clock,
    )
