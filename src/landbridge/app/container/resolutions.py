"""Resolutions of stuck payments, for each flow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.app.container.coin_flows import CoinFlows, CoinFlowSteps
from landbridge.app.container.offramps import OfframpServices
from landbridge.app.container.onramps import OnrampServices
from landbridge.app.container.registry import ASSETS
from landbridge.app.container.return_services import ReturnServices
from landbridge.customers.deposit_screening import model as screenings
from landbridge.customers.deposit_screening.service import ScreeningOutcomes
from landbridge.customers.payment_screening import model as payment_screenings
from landbridge.customers.payment_screening.service import decide_in
from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.bank_files.decided_payments import DecidedPayments
from landbridge.payments.batches import model as batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.disbursements import model as disbursements
from landbridge.payments.disbursements.service import DisbursementRedirects
from landbridge.payments.engine import outgoing_transfers
from landbridge.payments.engine.outgoing_orders import OutgoingOrder
from landbridge.payments.engine.refund_destinations import RefundDestinations
from landbridge.payments.engine.resolution_actions import (
    OrderResolver,
    PaymentResolver,
    ResolutionAction,
    TerminalResolution,
)
from landbridge.payments.engine.retry_until_settled import retry_key
from landbridge.payments.offramps import model as offramps_model
from landbridge.payments.offramps.payouts import payout_key
from landbridge.payments.offramps.refunds import OfframpRefunds
from landbridge.payments.onramps import model as onramps_model
from landbridge.payments.receivables import model as receivables
from landbridge.payments.receivables import transitions as receivable_moves
from landbridge.payments.resolutions.lost_payments import LostPaymentResolver
from landbridge.payments.resolutions.service import Resolutions
from landbridge.payments.resolutions.steps import ResolutionSteps
from landbridge.payments.swaps import model as swaps
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Tx

# Keys of the payments that records wait for at a bank; None while a record waits for another order.
_PAYMENT_KEYS: Mapping[str, Callable[[Transfer], UUID | None]] = {
    offramps_model.KIND: lambda record: (
        payout_key(record) if record.status in offramps_model.PAYING_OUT else None
    ),
    onramps_model.KIND: lambda record: (
        retry_key(record, onramps_model.RETURN)
        if record.status in onramps_model.RETURNING
        else None
    ),
}


@dataclass(frozen=True, slots=True)
class ResolutionServices:
    """Resolutions and their worker steps."""

    resolutions: Resolutions
    steps: ResolutionSteps


def build_resolution_services(
    on: CoinFlows,
    steps: CoinFlowSteps,
    offramps: OfframpServices,
    onramps: OnrampServices,
    returns: ReturnServices,
) -> ResolutionServices:
    """Wire resolutions."""
    resolvers = _resolvers(on, steps, offramps, onramps, returns)
    order_closing = None if on.evm is None else on.evm.order_closing
    if order_closing is not None:
        for kind, each in resolvers.items():
            resolvers[kind] = LostPaymentResolver(each, order_closing)
    return ResolutionServices(
        resolutions=Resolutions(
            database=on.database,
            ledger=on.ledger,
            approvals=on.approvals,
            vault=on.vault,
            clock=on.clock,
            assets=dict(ASSETS),
            resolvers=resolvers,
        ),
        steps=ResolutionSteps(
            on.database,
            on.ledger,
            on.approvals,
            on.clock,
            resolvers,
            DecidedPayments(on.bank_payments, _PAYMENT_KEYS),
            order_closing=order_closing,
        ),
    )


def _resolvers(
    on: CoinFlows,
    steps: CoinFlowSteps,
    offramps: OfframpServices,
    onramps: OnrampServices,
    returns: ReturnServices,
) -> dict[str, PaymentResolver]:
    """Return the resolvers of all flows, by kind of record."""
    destinations = RefundDestinations(on.wallets, on.ledger, on.payment_parties)
    return {
        wallet_transfers.KIND: OrderResolver(
            outgoing_transfers.TRANSITIONS,
            steps.outgoing_transfers[wallet_transfers.KIND].find_order,
        ),
        batches.KIND: OrderResolver(
            outgoing_transfers.TRANSITIONS, steps.outgoing_transfers[batches.KIND].find_order
        ),
        bridges.KIND: OrderResolver(
            bridges.TRANSITIONS, steps.bridges.find_order, destinations.source_facts
        ),
        swaps.KIND: OrderResolver(
            swaps.TRANSITIONS, steps.swaps.find_order, destinations.source_facts
        ),
        disbursements.KIND: OrderResolver(
            disbursements.TRANSITIONS,
            steps.disbursements.find_order,
            DisbursementRedirects(destinations).destination,
        ),
        offramps_model.KIND: OrderResolver(
            offramps_model.TRANSITIONS,
            offramps.offramp_steps.find_order,
            OfframpRefunds(destinations).destination,
            {ResolutionAction.PAYOUT_RETURNED: _payout_returned(returns)},
        ),
        onramps_model.KIND: OrderResolver(
            onramps_model.TRANSITIONS,
            onramps.onramp_steps.find_order,
            onramps.onramp_steps.return_destination,
            {ResolutionAction.DEPOSIT_REVERSED: _deposit_reversed(returns)},
        ),
        receivables.KIND: OrderResolver(
            receivables.TRANSITIONS, _no_order, ends=_receivable_ends(on.ledger)
        ),
        screenings.KIND: OrderResolver(
            screenings.TRANSITIONS, _no_order, ends=_screening_ends(on.screening_outcomes)
        ),
        payment_screenings.KIND: OrderResolver(
            payment_screenings.TRANSITIONS, _no_order, ends=_payment_screening_ends(on.ledger)
        ),
    }


def _payout_returned(returns: ReturnServices) -> TerminalResolution:
    """Resolve a completed payout that was returned in full; a partial return needs a bank line."""

    async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        await returns.payout_returns.payout_returned_in(
            tx,
            record.org_id,
            record.id,
            received=offramps_model.as_offramp(record).receive,
            reason="the payout came back after it was settled",
            actor=actor,
            at=at,
        )

    return TerminalResolution(
        statuses=frozenset({offramps_model.OfframpStatus.COMPLETED.value}), carry_out=carry_out
    )


def _deposit_reversed(returns: ReturnServices) -> TerminalResolution:
    """Resolve a deposit that the bank reversed, before or after its coins were delivered."""

    async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        await returns.deposit_reversals.reverse_in(
            tx,
            record.org_id,
            record.id,
            money=onramps_model.as_onramp(record).deposit,
            actor=actor,
            at=at,
        )

    statuses = (
        onramps_model.OnrampStatus.COMPLETED,
        onramps_model.OnrampStatus.FIAT_PENDING,
        *onramps_model.RETURNING,
    )
    return TerminalResolution(
        statuses=frozenset(each.value for each in statuses), carry_out=carry_out
    )


def _receivable_ends(ledger: Ledger) -> dict[ResolutionAction, TerminalResolution]:
    """Return the resolutions that close a receivable."""

    def end(close: Callable[..., AdvanceTransfer]) -> TerminalResolution:
        async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
            receivable = receivables.as_receivable(record)
            move = close(receivable, actor=actor, at=at)
            if not isinstance(await ledger.advance_in(tx, move, receivables.TRANSITIONS), Transfer):
                raise ResourceConflict(f"receivable {record.id} was closed by another decision")

        return TerminalResolution(
            statuses=frozenset({receivables.ReceivableStatus.OPEN.value}), carry_out=carry_out
        )

    return {
        ResolutionAction.RECOVER: end(receivable_moves.recovered),
        ResolutionAction.WRITE_OFF: end(receivable_moves.written_off),
    }


def _screening_ends(
    outcomes: ScreeningOutcomes,
) -> dict[ResolutionAction, TerminalResolution]:
    """Return the resolutions that release or reject a held deposit."""

    async def release(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        await outcomes.release_in(tx, record, actor=actor, at=at)

    async def reject(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
        await outcomes.reject_in(tx, record, actor=actor, at=at)

    held = frozenset({screenings.ScreeningStatus.HELD.value})
    return {
        ResolutionAction.RELEASE: TerminalResolution(statuses=held, carry_out=release),
        ResolutionAction.REJECT: TerminalResolution(statuses=held, carry_out=reject),
    }


def _payment_screening_ends(ledger: Ledger) -> dict[ResolutionAction, TerminalResolution]:
    """Return the resolutions that release or reject a held payment."""

    def end(status: payment_screenings.PaymentScreeningStatus) -> TerminalResolution:
        async def carry_out(tx: Tx, record: Transfer, actor: str, at: datetime) -> None:
            await decide_in(tx, ledger, record, status, actor=actor, at=at)

        held = frozenset({payment_screenings.PaymentScreeningStatus.HELD.value})
        return TerminalResolution(statuses=held, carry_out=carry_out)

    return {
        ResolutionAction.RELEASE: end(payment_screenings.PaymentScreeningStatus.RELEASED),
        ResolutionAction.REJECT: end(payment_screenings.PaymentScreeningStatus.REJECTED),
    }


async def _no_order(record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
    """Return no order: this flow has no provider."""
    del record, clock_offset
    return None
