"""Container of all services, for routes, commands and worker steps."""

from dataclasses import dataclass

from landbridge.app.container.base_services import build_base_services
from landbridge.app.container.chain_deposits import build_chain_deposits
from landbridge.app.container.coin_flows import (
    CoinFlows,
    build_coin_flows,
    coin_deciders,
    coin_steps,
)
from landbridge.app.container.customer_services import build_customer_services
from landbridge.app.container.event_services import EventServices, build_event_services
from landbridge.app.container.offramps import OfframpServices, build_offramp_services
from landbridge.app.container.onramps import OnrampServices, build_onramp_services
from landbridge.app.container.payment_services import PaymentServices, build_payment_services
from landbridge.app.container.rates import market as choose_market
from landbridge.app.container.rates import prices as choose_prices
from landbridge.app.container.registry import ASSETS, OWED_BY_TREASURY, TRANSITIONS, WAITS
from landbridge.app.container.reporting import ReportingServices, build_reporting_services
from landbridge.app.container.resolutions import build_resolution_services
from landbridge.app.container.return_services import ReturnServices, build_return_services
from landbridge.app.container.transaction_services import (
    TransactionServices,
    build_transaction_services,
)
from landbridge.app.settings import Settings
from landbridge.customers.chain_deposits.steps import ChainDepositSteps
from landbridge.ledger.time_in_status import TimeInStatus
from landbridge.payments.approvals.voting import Decider, Voting
from landbridge.payments.engine.timelines import Timelines
from landbridge.payments.incoming_payments.overdue import OverdueIncomingPayments
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps
from landbridge.payments.offramps import model as offramps_model
from landbridge.payments.onramps import model as onramps_model
from landbridge.payments.quotes.pairs import is_pair
from landbridge.payments.quotes.rate_board import RateBoard
from landbridge.payments.resolutions import model as resolutions_model
from landbridge.payments.resolutions.service import Resolutions
from landbridge.payments.resolutions.steps import ResolutionDecisions
from landbridge.payments.rfis.reviews import ReviewableFlow, TransferReviews
from landbridge.payments.scheduler import FlowSteps, Scheduler
from landbridge.payments.swaps.provider_choices import SwapProviderChoices
from landbridge.payments.swaps.quotes import SwapQuotes
from landbridge.payments.swaps.service import Swaps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.fields import field_values
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.markets import NoMarkets
from landbridge.providers.chains.port import Chains
from landbridge.providers.evm.markets.connected_markets import ConnectedMarkets
from landbridge.providers.rails.port import Rails
from landbridge.providers.rates.fees import PairFees
from landbridge.providers.rates.market import Market
from landbridge.providers.rates.port import RateSource
from landbridge.providers.rates.price_table import PriceTable
from landbridge.providers.trp.port import OtherVasps
from landbridge.reporting.request_outcomes import RequestOutcomes
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.sandbox.deposits import SandboxDeposits, VirtualDeposits
from landbridge.sandbox.service import Sandbox


@dataclass(frozen=True, kw_only=True)
class Container(
    CoinFlows,
    OfframpServices,
    OnrampServices,
    TransactionServices,
    ReturnServices,
    EventServices,
    ReportingServices,
):
    """Container of all services, for routes, commands and worker steps."""

    prices: PriceTable
    pair_fees: PairFees
    # Market prices; None without a price feed.
    market: Market | None
    rate_board: RateBoard
    swaps: Swaps
    swap_provider_choices: SwapProviderChoices
    timelines: Timelines
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
    flows = build_coin_flows(build_payment_services(build_customer_services(base)))
    market = choose_market(settings, database, clock, base.reference_rates, base.providers)
    prices, rates = choose_prices(settings, database, market)
    swaps = _swaps(flows, rates)
    offramps = build_offramp_services(flows, rates)
    onramps = build_onramp_services(flows, rates)
    flow_steps, returns = coin_steps(flows, swaps), build_return_services(flows)
    resolutions = build_resolution_services(flows, flow_steps, offramps, onramps, returns)
    steps: dict[str, FlowSteps] = {
        offramps_model.KIND: offramps.offramp_steps,
        onramps_model.KIND: onramps.onramp_steps,
        resolutions_model.KIND: resolutions.steps,
        **flow_steps.by_kind,
    }
    due = Scheduler(flows.ledger, clock, steps, flows.worker_share)
    transfer_reviews = _transfer_reviews(flows, offramps, onramps)
    reporting = build_reporting_services(flows, _timelines(database, clock))
    incoming_payment_steps = _incoming_payment_steps(flows, onramps)
    return Container(
        **field_values(flows)
        | field_values(offramps)
        | field_values(onramps)
        | field_values(returns),
        **field_values(reporting) | field_values(build_transaction_services(flows)),
        **field_values(build_event_services(flows, offramps, onramps, reporting)),
        prices=prices,
        pair_fees=PairFees(database, is_pair),
        market=market,
        rate_board=RateBoard(rates, clock, price_age_max=settings.price_age_max),
        swaps=swaps,
        swap_provider_choices=swaps.quotes.choices,
        timelines=reporting.attention_counts.timelines,
        request_outcomes=_request_outcomes(flows),
        voting=_voting(flows, offramps),
        transfer_reviews=transfer_reviews,
        resolutions=resolutions.resolutions,
        scheduler=due,
        chain_deposit_steps=_chain_deposits(flows),
        incoming_payment_steps=incoming_payment_steps,
        simulated_deposits=simulated_deposits(flows),
        sandbox_deposits=sandbox_deposits(flows, onramps, offramps),
        sandbox=build_sandbox(
            flows, due, transfer_reviews, incoming_payment_steps, reporting.report_schedules
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


def _voting(on: PaymentServices, offramps: OfframpServices) -> Voting:
    """Return the voting service, with the decider of each flow that needs approvals."""
    deciders: dict[str, Decider] = {
        offramps_model.KIND: offramps.offramp_decisions,
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


def _incoming_payment_steps(on: PaymentServices, onramps: OnrampServices) -> IncomingPaymentSteps:
    return IncomingPaymentSteps(
        incoming_payments=on.incoming_payments,
        matcher=onramps.onramp_deposits,
        rails=on.rails,
        clock=on.clock,
        holds_unmatched=on.settings.holds_unmatched,
    )


def _transfer_reviews(
    on: PaymentServices, offramps: OfframpServices, onramps: OnrampServices
) -> TransferReviews:
    """Return the review service, with each flow that can be reviewed."""
    reviewed: dict[str, ReviewableFlow] = {
        offramps_model.KIND: offramps.offramp_decisions,
        onramps_model.KIND: onramps.onramps,
    }
    return TransferReviews(on.rfis, on.ledger, on.database, on.clock, reviewed)


def _request_outcomes(on: PaymentServices) -> RequestOutcomes:
    """Return the outcomes of requests of all kinds."""
    return RequestOutcomes(
        database=on.database,
        ledger=on.ledger,
        incoming_payments=on.incoming_payments,
        scripted_outcomes=on.scripted_outcomes,
        transitions=TRANSITIONS,
    )


def _swaps(on: PaymentServices, rates: RateSource) -> Swaps:
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
    on: PaymentServices, onramps: OnrampServices, offramps: OfframpServices
) -> SandboxDeposits:
    """Return the simulated deposits for payments that wait for one."""
    return SandboxDeposits(
        mode=on.settings.mode,
        onramps=onramps.onramps,
        offramps=offramps.offramps,
        incoming_payments=on.incoming_payments,
        simulated_state=on.simulated_state,
        clock=on.clock,
    )
