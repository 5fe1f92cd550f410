"""Flows between wallets, on one chain or across two; disbursements."""

from collections.abc import Mapping
from dataclasses import dataclass

from landbridge.app.container.payment_services import PaymentServices
from landbridge.app.container.registry import TRANSITIONS
from landbridge.customers.chain_deposits.treasury_service import TreasuryDeposits
from landbridge.customers.deposit_screening import model as screenings
from landbridge.customers.deposit_screening.service import ScreeningSteps
from landbridge.customers.payment_screening import model as payment_screenings
from landbridge.customers.payment_screening.service import PaymentScreeningSteps
from landbridge.payments.approvals.voting import Decider
from landbridge.payments.batches import model as batches
from landbridge.payments.batches.service import Batches
from landbridge.payments.bridges import model as bridges
from landbridge.payments.bridges.orders import BridgeOrders
from landbridge.payments.bridges.service import BridgeApprovalDecisions, Bridges
from landbridge.payments.bridges.steps import BridgeSteps
from landbridge.payments.disbursements import model as disbursements
from landbridge.payments.disbursements.service import Disbursements
from landbridge.payments.disbursements.steps import DisbursementSteps
from landbridge.payments.engine.outgoing_orders import OrderSender
from landbridge.payments.engine.outgoing_transfers import (
    OutgoingTransferDecisions,
    OutgoingTransferSteps,
    Read,
)
from landbridge.payments.scheduler import FlowSteps
from landbridge.payments.swaps import model as swaps
from landbridge.payments.swaps.orders import SwapOrders
from landbridge.payments.swaps.service import Swaps
from landbridge.payments.swaps.steps import SwapSteps
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.payments.transfers.service import WalletTransfers
from landbridge.platform.core.fields import field_values

_OUTGOING_TRANSFERS: Mapping[str, Read] = {
    wallet_transfers.KIND: wallet_transfers.as_outgoing_transfer,
    batches.KIND: batches.as_outgoing_transfer,
}


@dataclass(frozen=True, kw_only=True)
class CoinFlows(PaymentServices):
    """Flows between wallets, on one chain or across two."""

    wallet_transfers: WalletTransfers
    batches: Batches
    bridges: Bridges
    disbursements: Disbursements


def build_coin_flows(on: PaymentServices) -> CoinFlows:
    """Wire transfers, batches and bridges."""
    shared = (on.ledger, on.payment_parties, on.transfer_creation, on.approvals)
    return CoinFlows(
        **field_values(on),
        wallet_transfers=WalletTransfers(
            *shared, users=on.users, wallets=on.wallets, clock=on.clock
        ),
        batches=Batches(*shared, clock=on.clock),
        bridges=Bridges(
            on.ledger, on.payment_parties, on.transfer_creation, on.quote_acceptance, on.clock
        ),
        disbursements=Disbursements(on.ledger, on.clock),
    )


@dataclass(frozen=True, slots=True)
class CoinFlowSteps:
    """Worker steps of these flows."""

    outgoing_transfers: Mapping[str, OutgoingTransferSteps]
    swaps: SwapSteps
    bridges: BridgeSteps
    disbursements: DisbursementSteps
    screenings: ScreeningSteps
    payment_screenings: PaymentScreeningSteps

    @property
    def by_kind(self) -> dict[str, FlowSteps]:
        """Return the steps by kind of record."""
        return {
            **self.outgoing_transfers,
            swaps.KIND: self.swaps,
            bridges.KIND: self.bridges,
            disbursements.KIND: self.disbursements,
            screenings.KIND: self.screenings,
            payment_screenings.KIND: self.payment_screenings,
        }


def coin_steps(on: CoinFlows, trading: Swaps) -> CoinFlowSteps:
    """Wire the worker steps."""
    order_sender = OrderSender(on.ledger, on.clock, on.screens_payments)
    outgoing_transfers = {
        kind: OutgoingTransferSteps(
            read, order_sender, on.chains, on.payment_parties, on.approvals, on.clock
        )
        for kind, read in _OUTGOING_TRANSFERS.items()
    }
    orders = BridgeOrders(on.chains, on.wallets)
    swap_orders = SwapOrders(on.chains, on.wallets)
    return CoinFlowSteps(
        outgoing_transfers,
        SwapSteps(trading, on.payment_parties, swap_orders, order_sender, on.clock),
        BridgeSteps(on.bridges, on.approvals, on.payment_parties, orders, order_sender, on.clock),
        DisbursementSteps(
            order_sender,
            on.chains,
            on.payment_parties,
            TreasuryDeposits(on.database),
            on.clock,
        ),
        ScreeningSteps(on.database, on.screening_outcomes, on.clock),
        PaymentScreeningSteps(on.ledger, on.clock, TRANSITIONS),
    )


def coin_deciders() -> dict[str, Decider]:
    """Return the approval deciders of these flows."""
    outgoing_transfers: dict[str, Decider] = {
        kind: OutgoingTransferDecisions(read) for kind, read in _OUTGOING_TRANSFERS.items()
    }
    return {**outgoing_transfers, bridges.KIND: BridgeApprovalDecisions()}
