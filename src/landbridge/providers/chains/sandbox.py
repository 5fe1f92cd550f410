"""Sandbox chains: every order arrives, immediately or after a realistic latency."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.platform.core.errors import Rejected
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Asset
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderState,
    ChainOrderStatus,
)
from landbridge.providers.simulation.chain_tx_hashes import transaction_hash, user_op_hash
from landbridge.providers.simulation.model import OrderResult, SimulatedOrder, SimulatedSystem
from landbridge.providers.simulation.outcome_catalog import ScriptedStep
from landbridge.providers.simulation.scripted_outcomes import ScriptedOrders

# Time until a transaction is final, by the confirmations that wallets and exchanges usually
# require: a few blocks on the fast chains, about twelve blocks of twelve seconds on Ethereum.
_CONFIRMED_WITHIN = {
    "POLYGON": timedelta(seconds=6),
    "ETHEREUM": timedelta(minutes=3),
    "SOLANA": timedelta(seconds=1),
    "BASE": timedelta(seconds=4),
    "OPTIMISM": timedelta(seconds=4),
    "ARBITRUM": timedelta(seconds=2),
}
# A mint waits for the attestation of its burn, which needs full finality on the source chain.
_ATTESTED_WITHIN = timedelta(minutes=15)
# Scripted steps through which an action passes.
_SENDING = (ScriptedStep.CHAIN_SEND, ScriptedStep.CONFIRMATION)
_MINTING = (ScriptedStep.MINT,)
_REFUNDING = (ScriptedStep.REFUND,)


class SandboxChains:
    """Simulates transfers, stores each order, and applies the scripted outcomes of its record."""

    # None: the sandbox stores orders for ever.
    key_lifetime: timedelta | None = None

    def __init__(self, scripted_orders: ScriptedOrders) -> None:
        self._scripted_orders = scripted_orders

    def carries(self, chain: str, action: ChainAction) -> bool:
        """Return True: every chain is simulated."""
        del chain, action
        return True

    def find_bridge_refusal(self, source: Asset, destination: Asset) -> str | None:
        """Return None: every bridge is simulated."""
        del source, destination

    def refunds_burns(self, chain: str) -> bool:
        """Return True: a failed mint is simulated, and so is its refund."""
        del chain
        return True

    def holds_coins(self, chain: str) -> bool:
        """Return False: coins of the sandbox are simulated."""
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Accept an order; see the port."""
        if any(leg.money.units <= 0 for leg in order.legs):
            raise Rejected("the amount must be positive")
        stored = await self._scripted_orders.accept(
            SimulatedOrder(
                org_id=order.org_id,
                system=SimulatedSystem.CHAIN,
                key=order.key,
                request=_request(order),
                response={
                    "transaction_hash": transaction_hash(order.chain, order.key),
                    "user_op_hash": user_op_hash(order.chain, order.key),
                },
                accepted_at=order.at,
                settles_at=order.at + latency(order.action, order.chain),
            ),
            order.record_id,
            _steps(order),
            # All attempts of a refund to the same address have the same outcome.
            outcome_key=derived_id(order.record_id, f"refund/{order.legs[0].address}")
            if order.is_refund
            else None,
        )
        return _status(stored, order.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        """Return the status of an order; see the port."""
        stored = await self._scripted_orders.find(org_id, SimulatedSystem.CHAIN, key, at)
        return None if stored is None else _status(stored, at)


def _steps(order: ChainOrder) -> tuple[ScriptedStep, ...]:
    if order.is_refund:
        return _REFUNDING
    return _MINTING if order.action is ChainAction.MINT else _SENDING


def latency(action: ChainAction, chain: str) -> timedelta:
    """Return how long an action takes with the realistic latency profile."""
    confirmed = _CONFIRMED_WITHIN[chain]
    return confirmed + _ATTESTED_WITHIN if action is ChainAction.MINT else confirmed


def _request(order: ChainOrder) -> dict[str, Any]:
    return {
        "action": order.action.value,
        "chain": order.chain,
        "source": order.source,
        # Units are texts, because they may have more digits than some JSON readers accept in a
        # number.
        "legs": [
            {"address": leg.address, "asset": leg.money.asset.code, "units": str(leg.money.units)}
            for leg in order.legs
        ],
    }


def _status(operation: SimulatedOrder, at: datetime) -> ChainOrderStatus:
    is_final = operation.is_final(at)
    state = ChainOrderState.PENDING
    if is_final:
        is_done = operation.result is OrderResult.DONE
        state = ChainOrderState.CONFIRMED if is_done else ChainOrderState.FAILED
    return ChainOrderStatus(
        state=state,
        transaction_hash=operation.response["transaction_hash"],
        user_op_hash=operation.response["user_op_hash"],
        expected_at=None if is_final else operation.expected_at,
        reason=operation.reason if is_final else None,
    )
