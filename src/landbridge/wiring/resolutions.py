"""Decisions on stuck payments: one line for each flow."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from landbridge.core.errors import ResourceConflict
from landbridge.db.pool import Tx
from landbridge.flows.batches import model as batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges.refunds import BridgeRefunds
from landbridge.flows.disbursements import model as disbursements
from landbridge.flows.disbursements.redirects import DisbursementRedirects
from landbridge.flows.offramps import model as offramps
from landbridge.flows.offramps.refunds import OfframpRefunds
from landbridge.flows.onramps import model as onramps
from landbridge.flows.receivables import model as receivables
from landbridge.flows.receivables import moves as receivable_moves
from landbridge.flows.resolutions.service import Resolutions
from landbridge.flows.resolutions.steps import ResolutionSteps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.ledger.model import Move, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments import remittances
from landbridge.payments.refund_destinations import RefundDestinations
from landbridge.payments.resolving import Action, EndDecision, OrderResolver, Resolver
from landbridge.payments.sending import Errand
from landbridge.wiring.coins import Coins, CoinSteps
from landbridge.wiring.kinds import ASSETS
from landbridge.wiring.offramps import PayingOut
from landbridge.wiring.onramps import TakingIn
from landbridge.wiring.returning import GivingBack


@dataclass(frozen=True, slots=True)
class Resolving:
    """Resolutions, and what the worker does with them."""

    resolutions: Resolutions
    steps: ResolutionSteps


def resolve(
    on: Coins,
    steps: CoinSteps,
    paying_out: PayingOut,
    taking_in: TakingIn,
    giving_back: GivingBack,
) -> Resolving:
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
        disbursements.KIND: OrderResolver(
            disbursements.MOVES,
            steps.disbursements.errand,
            DisbursementRedirects(destinations).destination,
        ),
        offramps.KIND: OrderResolver(
            offramps.MOVES,
            paying_out.steps.errand,
            OfframpRefunds(destinations).destination,
            {Action.PAYOUT_RETURNED: _payout_returned(giving_back)},
        ),
        onramps.KIND: OrderResolver(
            onramps.MOVES,
            taking_in.steps.errand,
            taking_in.steps.return_destination,
            {Action.DEPOSIT_REVERSED: _deposit_reversed(giving_back)},
        ),
        receivables.KIND: OrderResolver(
            receivables.MOVES, _no_errand, ends=_receivable_ends(on.ledger)
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


def _payout_returned(giving_back: GivingBack) -> EndDecision:
    """A completed payout came back whole; what a bank kept of it takes a bank line."""

    async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        await giving_back.payout_returns.payout_returned_in(
            tx,
            record.org_id,
            record.id,
            received=offramps.as_offramp(record).receive,
            reason="the payout came back after it was settled",
            actor=actor,
            at=at,
        )

    return EndDecision(statuses=frozenset({offramps.Status.COMPLETED.value}), carry_out=carry_out)


def _deposit_reversed(giving_back: GivingBack) -> EndDecision:
    """The bank took a deposit back, before or after its coins were delivered."""

    async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        await giving_back.deposit_reversals.reverse_in(
            tx,
            record.org_id,
            record.id,
            money=onramps.as_onramp(record).deposit,
            actor=actor,
            at=at,
        )

    statuses = (onramps.Status.COMPLETED, onramps.Status.FIAT_PENDING)
    return EndDecision(statuses=frozenset(each.value for each in statuses), carry_out=carry_out)


def _receivable_ends(ledger: Ledger) -> dict[Action, EndDecision]:
    """What closes a receivable."""

    def end(close: Callable[..., Move]) -> EndDecision:
        async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
            receivable = receivables.as_receivable(record)
            move = close(receivable, actor=actor, at=at)
            if not isinstance(await ledger.advance_in(tx, move, receivables.MOVES), Transfer):
                raise ResourceConflict(f"receivable {record.id} was closed by another decision")

        return EndDecision(statuses=frozenset({receivables.Status.OPEN.value}), carry_out=carry_out)

    return {
        Action.RECOVER: end(receivable_moves.recovered),
        Action.WRITE_OFF: end(receivable_moves.written_off),
    }


async def _no_errand(record: Transfer, clock_offset: timedelta) -> Errand | None:
    """No provider is asked for anything."""
    del record, clock_offset
    return None
