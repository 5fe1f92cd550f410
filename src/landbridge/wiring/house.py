"""Every service, wired; routes and steps take what they need from here."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from landbridge.approvals.voting import Decider, Voting
from landbridge.chains.port import Chains
from landbridge.core.clock import Clock, ReadingClock
from landbridge.db.migrate import MigrationRefused, pending
from landbridge.db.pool import Database
from landbridge.flows.due import Due
from landbridge.flows.offramps import model as offramps_model
from landbridge.flows.offramps.service import Offramps
from landbridge.flows.onramps import model as onramps_model
from landbridge.flows.onramps.backgrounds import Backgrounds
from landbridge.flows.onramps.deposits import Deposits as OnrampDeposits
from landbridge.flows.onramps.service import Onramps
from landbridge.flows.swaps import model as swaps_model
from landbridge.flows.swaps.service import Swaps
from landbridge.flows.swaps.steps import SwapSteps
from landbridge.orgs.model import Mode
from landbridge.orgs.service import claim_mode, take_lane
from landbridge.quotes.board import RateBoard
from landbridge.rails.port import Rails
from landbridge.rates.sandbox import sandbox_price
from landbridge.rates.table import PriceTable, no_price
from landbridge.receipts.steps import ReceiptSteps
from landbridge.rfis.reviewing import Reviewed, Reviewing
from landbridge.sandbox.deposits import SandboxDeposits
from landbridge.sandbox.service import Sandbox
from landbridge.sandbox.virtual_deposits import VirtualDeposits
from landbridge.settings import Settings
from landbridge.wiring.coins import Coins, coin_deciders, coin_steps, move_coins
from landbridge.wiring.foundation import lay_foundation, members
from landbridge.wiring.offramps import PayingOut, pay_out
from landbridge.wiring.onramps import TakingIn, take_in
from landbridge.wiring.paying import Paying, prepare_payments
from landbridge.wiring.people import know_people


@dataclass(frozen=True, slots=True, kw_only=True)
class House(Coins):
    """Every service, wired; routes and steps take what they need from here."""

    prices: PriceTable
    rate_board: RateBoard
    swaps: Swaps
    offramps: Offramps
    onramps: Onramps
    onramp_backgrounds: Backgrounds
    onramp_deposits: OnrampDeposits
    voting: Voting
    reviewing: Reviewing
    due: Due
    receipt_steps: ReceiptSteps
    sandbox: Sandbox
    sandbox_deposits: SandboxDeposits
    simulated_deposits: VirtualDeposits


@asynccontextmanager
async def open_house(
    settings: Settings, dsn: str, *, name: str, writes: bool = True
) -> AsyncGenerator[House]:
    """Connect and wire. `name` shows in pg_stat_activity; without `writes` nothing is stamped.

    Raises `MigrationRefused` if the database does not have the tables of this version,
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
        await claim_mode(database, settings.mode)
        clock = Clock(await take_lane(database)) if writes else ReadingClock()
        house = wire(settings, database, clock)
        await database.transact(house.vault.check_seal)
        yield house
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
    ledger, users, wallets = people.ledger, people.users, people.wallets
    prices = PriceTable(database, sandbox_price if settings.mode is Mode.SANDBOX else no_price)
    swaps = _trade(people, prices)
    paying_out = pay_out(people, prices)
    taking_in = take_in(people, prices)
    due = Due(
        ledger,
        clock,
        {
            swaps_model.KIND: SwapSteps(swaps, clock),
            offramps_model.KIND: paying_out.steps,
            onramps_model.KIND: taking_in.steps,
            **coin_steps(people),
        },
    )
    # What is done with a payment that was decided on: one line for each flow that can ask.
    deciders: dict[str, Decider] = {offramps_model.KIND: paying_out.deciding, **coin_deciders()}
    # What a review does to a payment: one line for each flow that can be reviewed.
    reviewed: dict[str, Reviewed] = {
        offramps_model.KIND: paying_out.deciding,
        onramps_model.KIND: taking_in.onramps,
    }
    reviewing = Reviewing(people.rfis, ledger, database, clock, reviewed)
    receipt_steps = ReceiptSteps(people.receipts, taking_in.deposits, people.rails, clock)
    return House(
        **members(people),
        prices=prices,
        rate_board=RateBoard(prices, clock, price_age_max=settings.price_age_max),
        swaps=swaps,
        offramps=paying_out.offramps,
        onramps=taking_in.onramps,
        onramp_backgrounds=taking_in.backgrounds,
        onramp_deposits=taking_in.deposits,
        voting=Voting(database, ledger, people.vault, clock, deciders),
        reviewing=reviewing,
        due=due,
        receipt_steps=receipt_steps,
        simulated_deposits=_simulated_deposits(people),
        sandbox_deposits=_sandbox_deposits(people, taking_in, paying_out),
        sandbox=Sandbox(
            *(settings.mode, ledger, people.orgs, users, wallets, due, people.verification, clock),
            reviewing=reviewing,
            receipt_steps=receipt_steps,
            memory=people.memory,
        ),
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


def _trade(on: Paying, prices: PriceTable) -> Swaps:
    """Swaps, at the prices of the table."""
    return Swaps(
        *(on.ledger, on.ends, on.openings, prices, on.clock),
        price_age_max=on.settings.price_age_max,
    )
