"""Every service, wired; routes and steps take what they need from here."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from landbridge.approvals.voting import Decider, Voting
from landbridge.bank_files.lines import LineReviews
from landbridge.books.balances import Balances
from landbridge.books.details import TransactionDetails
from landbridge.books.search import Search
from landbridge.books.transactions import Transactions
from landbridge.chains.port import Chains
from landbridge.changes.horizon import Horizon
from landbridge.core.clock import Clock, ReadingClock
from landbridge.db.migrate import MigrationRefused, pending
from landbridge.db.pool import Database
from landbridge.db.transaction_ids import check
from landbridge.events.service import Events
from landbridge.flows.due import Due, Steps
from landbridge.flows.offramps import model as offramps_model
from landbridge.flows.offramps.returning import PayoutReturns
from landbridge.flows.offramps.service import Offramps
from landbridge.flows.onramps import model as onramps_model
from landbridge.flows.onramps.backgrounds import Backgrounds
from landbridge.flows.onramps.deposits import Deposits as OnrampDeposits
from landbridge.flows.onramps.returning import DepositReturns
from landbridge.flows.onramps.reversing import DepositReversals
from landbridge.flows.onramps.service import Onramps
from landbridge.flows.receivables.service import Receivables
from landbridge.flows.resolutions import model as resolutions_model
from landbridge.flows.resolutions.service import Resolutions
from landbridge.flows.resolutions.steps import ResolutionDeciding
from landbridge.flows.swaps import model as swaps_model
from landbridge.flows.swaps.service import Swaps
from landbridge.flows.swaps.steps import SwapSteps
from landbridge.ledger.waiting import Waiting
from landbridge.orgs.modes import claim_mode
from landbridge.orgs.service import take_lane
from landbridge.payments.timelines import Timelines
from landbridge.quotes.board import RateBoard
from landbridge.quotes.pairs import is_pair
from landbridge.rails.port import Rails
from landbridge.rates.fees import Fees
from landbridge.rates.market import Market
from landbridge.rates.port import RateSource
from landbridge.rates.table import PriceTable
from landbridge.receipts.reviewing import DepositReviews
from landbridge.receipts.steps import ReceiptSteps
from landbridge.receipts.waiting import WaitingReceipts
from landbridge.reporting.deliveries import DeliveryTallies
from landbridge.reporting.exports.service import Exports
from landbridge.reporting.files import Outgoing
from landbridge.reporting.metrics.calculating import Calculator
from landbridge.reporting.metrics.saved import SavedMetrics
from landbridge.reporting.requests import Requests
from landbridge.reporting.rollups.folding import Folding
from landbridge.reporting.rollups.service import Rollups
from landbridge.reporting.rollups.zones import TimeZones
from landbridge.reporting.schedules.service import ReportSchedules
from landbridge.reporting.statements.service import Statements
from landbridge.rfis.reviewing import Reviewed, Reviewing
from landbridge.sandbox.deposits import SandboxDeposits
from landbridge.sandbox.service import Sandbox
from landbridge.sandbox.virtual_deposits import VirtualDeposits
from landbridge.settings import Settings
from landbridge.web.outbound import Outbound
from landbridge.webhooks.deliveries import Deliveries
from landbridge.webhooks.delivering.partitions import Partitions
from landbridge.webhooks.delivering.postman import Postman
from landbridge.webhooks.service import Endpoints
from landbridge.wiring.books import keep_books
from landbridge.wiring.coins import Coins, coin_deciders, coin_steps, move_coins
from landbridge.wiring.foundation import lay_foundation, members
from landbridge.wiring.kinds import MOVES, WAITS
from landbridge.wiring.offramps import PayingOut, pay_out
from landbridge.wiring.onramps import TakingIn, take_in
from landbridge.wiring.paying import Paying, prepare_payments
from landbridge.wiring.people import know_people
from landbridge.wiring.rates import market as choose_market
from landbridge.wiring.rates import prices as choose_prices
from landbridge.wiring.reporting import report
from landbridge.wiring.resolutions import resolve
from landbridge.wiring.returning import give_back
from landbridge.wiring.telling import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class House(Coins):
    """Every service, wired; routes and steps take what they need from here."""

    prices: PriceTable
    fees: Fees
    # What a price feed says; None without one.
    market: Market | None
    rate_board: RateBoard
    swaps: Swaps
    timelines: Timelines
    transactions: Transactions
    transaction_details: TransactionDetails
    balances: Balances
    search: Search
    offramps: Offramps
    onramps: Onramps
    onramp_backgrounds: Backgrounds
    onramp_deposits: OnrampDeposits
    deposit_reviews: DepositReviews
    receivables: Receivables
    payout_returns: PayoutReturns
    deposit_returns: DepositReturns
    deposit_reversals: DepositReversals
    line_reviews: LineReviews
    requests: Requests
    voting: Voting
    reviewing: Reviewing
    resolutions: Resolutions
    due: Due
    receipt_steps: ReceiptSteps
    sandbox: Sandbox
    sandbox_deposits: SandboxDeposits
    simulated_deposits: VirtualDeposits
    events: Events
    endpoints: Endpoints
    deliveries: Deliveries
    partitions: Partitions
    postman: Postman
    outbound: Outbound
    horizon: Horizon
    rollups: Rollups
    folding: Folding
    time_zones: TimeZones
    delivery_tallies: DeliveryTallies
    calculator: Calculator
    saved_metrics: SavedMetrics
    outgoing: Outgoing
    exports: Exports
    statements: Statements
    report_schedules: ReportSchedules


@asynccontextmanager
async def open_house(
    settings: Settings, dsn: str, *, name: str, writes: bool = True
) -> AsyncGenerator[House]:
    """Connect and wire. `name` shows in pg_stat_activity; without `writes` nothing is stamped.

    Raises `MigrationRefused` if the database does not have the tables of this version,
    `TransactionIdsAhead` if it is to be written but is a restored dump that was not repaired,
    `ModeMismatch` if it was begun in another mode, and `SealBroken` if a master key that sealed
    something is missing or another one.
    """
    database = await Database.connect(dsn, name=name, size_max=settings.pool_size)
    try:
        if missing := await pending(database):
            names = ", ".join(each.name for each in missing)
            raise MigrationRefused(
                f"The database lacks migrations ({names}). Run `landbridge migrate` first."
            )
        if writes:
            await check(database)
        await claim_mode(database, settings.mode)
        clock = Clock(await take_lane(database)) if writes else ReadingClock()
        house = wire(settings, database, clock)
        await database.transact(house.vault.check_seal)
        try:
            yield house
        finally:
            await house.postman.close()
            await house.outbound.close()
        await house.orgs.note_use()
    finally:
        await database.close()


def wire(
    settings: Settings,
    database: Database,
    clock: Clock,
    *,
    chains: Chains | None = None,
    rails: Rails | None = None,
) -> House:
    """Every service over a database that is connected and has its tables.

    Tests hand in chains and rails that fail; otherwise the mode picks them.
    """
    base = lay_foundation(settings, database, clock, chains=chains, rails=rails)
    people = move_coins(prepare_payments(know_people(base)))
    market = choose_market(settings, database, clock, base.reference_rates)
    prices, rates = choose_prices(settings, database, market)
    swaps = _trade(people, rates)
    paying_out = pay_out(people, rates)
    taking_in = take_in(people, rates)
    moving = coin_steps(people)
    giving_back = give_back(people)
    resolving = resolve(people, moving, paying_out, taking_in, giving_back)
    steps: dict[str, Steps] = {
        swaps_model.KIND: SwapSteps(swaps, clock),
        offramps_model.KIND: paying_out.steps,
        onramps_model.KIND: taking_in.steps,
        resolutions_model.KIND: resolving.steps,
        **moving.by_kind,
    }
    due = Due(people.ledger, clock, steps)
    reviewing = _reviewing(people, paying_out, taking_in)
    reporting = report(people)
    receipt_steps = _receipt_steps(people, taking_in)
    return House(
        **members(people),
        **members(reporting),
        **members(keep_books(people)),
        **members(giving_back),
        **members(tell(people, paying_out, taking_in, reporting)),
        prices=prices,
        fees=Fees(database, is_pair),
        market=market,
        rate_board=RateBoard(rates, clock, price_age_max=settings.price_age_max),
        swaps=swaps,
        timelines=Timelines(Waiting(database), WaitingReceipts(database), WAITS, clock),
        offramps=paying_out.offramps,
        onramps=taking_in.onramps,
        onramp_backgrounds=taking_in.backgrounds,
        onramp_deposits=taking_in.deposits,
        deposit_reviews=taking_in.reviews,
        requests=_requests(people),
        voting=_voting(people, paying_out),
        reviewing=reviewing,
        resolutions=resolving.resolutions,
        due=due,
        receipt_steps=receipt_steps,
        simulated_deposits=_simulated_deposits(people),
        sandbox_deposits=_sandbox_deposits(people, taking_in, paying_out),
        sandbox=_sandbox(people, due, reviewing, receipt_steps, reporting.report_schedules),
    )


def _voting(on: Paying, paying_out: PayingOut) -> Voting:
    """What is done with a payment that was decided on: one line for each flow that can ask."""
    deciders: dict[str, Decider] = {
        offramps_model.KIND: paying_out.deciding,
        resolutions_model.KIND: ResolutionDeciding(),
        **coin_deciders(),
    }
    return Voting(*(on.database, on.ledger, on.vault, on.clock), deciders, mails=on.approval_mails)


def _receipt_steps(on: Paying, taking_in: TakingIn) -> ReceiptSteps:
    return ReceiptSteps(
        *(on.receipts, taking_in.deposits, on.rails, on.clock),
        holds=on.settings.holds_unmatched,
    )


def _reviewing(on: Paying, paying_out: PayingOut, taking_in: TakingIn) -> Reviewing:
    """What a review does to a payment: one line for each flow that can be reviewed."""
    reviewed: dict[str, Reviewed] = {
        offramps_model.KIND: paying_out.deciding,
        onramps_model.KIND: taking_in.onramps,
    }
    return Reviewing(on.rfis, on.ledger, on.database, on.clock, reviewed)


def _sandbox(
    on: Paying,
    due: Due,
    reviewing: Reviewing,
    receipt_steps: ReceiptSteps,
    report_schedules: ReportSchedules,
) -> Sandbox:
    """The sandbox's own verbs; files of banks are its concern where the rails are these."""
    has_files = on.settings.bank == "files"
    return Sandbox(
        *(on.settings.mode, on.ledger, on.orgs, on.users, on.wallets, due, on.verification),
        clock=on.clock,
        reviewing=reviewing,
        receipt_steps=receipt_steps,
        report_schedules=report_schedules,
        memory=on.memory,
        bank_writer=on.bank_writer if has_files else None,
        bank_reading=on.bank_reading if has_files else None,
    )


def _requests(on: Paying) -> Requests:
    """What became of requests of every kind."""
    return Requests(
        database=on.database,
        ledger=on.ledger,
        receipts=on.receipts,
        forcing=on.forcing,
        moves=MOVES,
    )


def _simulated_deposits(on: Paying) -> VirtualDeposits:
    """What the sandbox lets arrive on virtual accounts."""
    return VirtualDeposits(
        mode=on.settings.mode,
        virtual_accounts=on.virtual_accounts,
        deposits=on.virtual_deposits,
        receipts=on.receipts,
        memory=on.memory,
        clock=on.clock,
    )


def _sandbox_deposits(on: Paying, taking_in: TakingIn, paying_out: PayingOut) -> SandboxDeposits:
    """What the sandbox lets arrive for payments that wait for it."""
    return SandboxDeposits(
        *(on.settings.mode, taking_in.onramps, paying_out.offramps),
        receipts=on.receipts,
        memory=on.memory,
        clock=on.clock,
    )


def _trade(on: Paying, rates: RateSource) -> Swaps:
    """Swaps, at present prices."""
    return Swaps(
        *(on.ledger, on.ends, on.openings, on.committing, rates, on.clock),
        price_age_max=on.settings.price_age_max,
    )
