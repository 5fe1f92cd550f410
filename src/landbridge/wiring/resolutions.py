"""Decisions on stuck payments: one line for each flow."""

from dataclasses import dataclass

from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges.refunds import BridgeRefunds
from landbridge.flows.offramps import model as offramps
from landbridge.flows.offramps.refunds import OfframpRefunds
from landbridge.flows.onramps import model as onramps
from landbridge.flows.resolutions.service import Resolutions
from landbridge.flows.resolutions.steps import ResolutionSteps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.payments import remittances
from landbridge.payments.refund_destinations import RefundDestinations
from landbridge.payments.resolving import OrderResolver, Resolver
from landbridge.wiring.coins import Coins, CoinSteps
from landbridge.wiring.kinds import ASSETS
from landbridge.wiring.offramps import PayingOut
from landbridge.wiring.onramps import TakingIn


@dataclass(frozen=True, slots=True)
class Resolving:
    """Resolutions, and what the worker does with them."""

    resolutions: Resolutions
    steps: ResolutionSteps


def resolve(on: Coins, steps: CoinSteps, paying_out: PayingOut, taking_in: TakingIn) -> Resolving:
    """Wire resolutions."""
    destinations = RefundDestinations(on.wallets, on.ledger)
    resolvers: dict[str, Resolver] = {
        wallet_transfers.KIND: OrderResolver(
            remittances.MOVES, steps.remittances[wallet_transfers.KIND].errand
        ),
        batches.KIND: OrderResolver(remittances.MOVES, steps.remittances[batches.KIND].errand),
        bridges.KIND: OrderResolver(
            bridges.MOVES, steps.bridges.errand, BridgeRefunds(destinations).destination
        ),
        offramps.KIND: OrderResolver(
            offramps.MOVES, paying_out.steps.errand, OfframpRefunds(destinations).destination
        ),
        onramps.KIND: OrderResolver(
            onramps.MOVES, taking_in.steps.errand, taking_in.steps.return_destination
        ),
    }
    return Resolving(
        resolutions=Resolutions(
            database=on.database,
            ledger=on.ledger,
            approvals=on.approvals,
            vault=on.vault,
            clock=on.clock,
            assets=dict(ASSETS),
            resolvers=resolvers,
        ),
        steps=ResolutionSteps(on.database, on.ledger, on.approvals, on.clock, resolvers),
    )
