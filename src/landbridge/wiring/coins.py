"""Flows that move coins from wallet to wallet, on one chain or between two; disbursements."""

from collections.abc import Mapping
from dataclasses import dataclass

from landbridge.approvals.voting import Decider
from landbridge.flows.batches import model as batches
from landbridge.flows.batches.service import Batches
from landbridge.flows.bridges import model as bridges
from landbridge.flows.bridges.deciding import Deciding as BridgeDeciding
from landbridge.flows.bridges.errands import Errands
from landbridge.flows.bridges.service import Bridges
from landbridge.flows.bridges.steps import BridgeSteps
from landbridge.flows.disbursements import model as disbursements
from landbridge.flows.disbursements.service import Disbursements
from landbridge.flows.disbursements.steps import DisbursementSteps
from landbridge.flows.due import Steps
from landbridge.flows.wallet_transfers import model as wallet_transfers
from landbridge.flows.wallet_transfers.service import WalletTransfers
from landbridge.payments.remittances import Deciding, Read, RemittanceSteps
from landbridge.payments.sending import Sending
from landbridge.wiring.foundation import members
from landbridge.wiring.paying import Paying

_REMITTANCES: Mapping[str, Read] = {
    wallet_transfers.KIND: wallet_transfers.as_remittance,
    batches.KIND: batches.as_remittance,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coins(Paying):
    """Flows that move coins from wallet to wallet, on one chain or between two."""

    wallet_transfers: WalletTransfers
    batches: Batches
    bridges: Bridges
    disbursements: Disbursements


def move_coins(on: Paying) -> Coins:
    """Wire transfers, batches and bridges."""
    shared = (on.ledger, on.ends, on.openings, on.approvals)
    return Coins(
        **members(on),
        wallet_transfers=WalletTransfers(
            *shared, users=on.users, wallets=on.wallets, clock=on.clock
        ),
        batches=Batches(*shared, clock=on.clock),
        bridges=Bridges(on.ledger, on.ends, on.openings, on.committing, on.clock),
        disbursements=Disbursements(on.ledger, on.clock),
    )


@dataclass(frozen=True, slots=True)
class CoinSteps:
    """What the worker does with them."""

    remittances: Mapping[str, RemittanceSteps]
    bridges: BridgeSteps
    disbursements: DisbursementSteps

    @property
    def by_kind(self) -> dict[str, Steps]:
        """The steps by kind of record."""
        return {
            **self.remittances,
            bridges.KIND: self.bridges,
            disbursements.KIND: self.disbursements,
        }


def coin_steps(on: Coins) -> CoinSteps:
    """Wire what the worker does with them."""
    sending = Sending(on.ledger, on.clock)
    remittances = {
        kind: RemittanceSteps(read, sending, on.chains, on.ends, on.approvals, on.clock)
        for kind, read in _REMITTANCES.items()
    }
    errands = Errands(on.chains, on.wallets)
    return CoinSteps(
        remittances,
        BridgeSteps(on.bridges, on.approvals, on.ends, errands, sending, on.clock),
        DisbursementSteps(sending, on.chains, on.ends, on.clock),
    )


def coin_deciders() -> dict[str, Decider]:
    """What their approvals do to them."""
    remittances: dict[str, Decider] = {kind: Deciding(read) for kind, read in _REMITTANCES.items()}
    return {**remittances, bridges.KIND: BridgeDeciding()}
