"""The sandbox's chains: every order arrives, at once or after as long as it takes outside."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.chains.port import Action, Order, Sent, SentState
from landbridge.core.errors import Rejected
from landbridge.core.ids import derived_id
from landbridge.simulation.hashes import transaction_hash, user_op_hash
from landbridge.simulation.model import Ending, Operation, Part
from landbridge.simulation.outcomes import Step
from landbridge.simulation.playing import Playing

# Until a transaction counts as final, as wallets and exchanges commonly wait: a few blocks on the
# fast chains, twelve or so of twelve seconds on Ethereum.
_CONFIRMED_WITHIN = {
    "POLYGON": timedelta(seconds=6),
    "ETHEREUM": timedelta(minutes=3),
    "SOLANA": timedelta(seconds=1),
    "BASE": timedelta(seconds=4),
    "OPTIMISM": timedelta(seconds=4),
    "ARBITRUM": timedelta(seconds=2),
}
# A mint waits until the burn was attested, for which the source chain must be final beyond doubt.
_ATTESTED_WITHIN = timedelta(minutes=15)
# What an order takes its record through.
_SENDING = (Step.CHAIN_SEND, Step.CONFIRMATION)
_MINTING = (Step.MINT,)
_REFUNDING = (Step.REFUND,)


class SandboxChains:
    """Carries coins nowhere, and remembers each order; fails as records' plans say."""

    # The sandbox keeps every order.
    remembers: timedelta | None = None

    def __init__(self, playing: Playing) -> None:
        self._playing = playing

    async def send(self, order: Order) -> Sent:
        """Accept an order; see the port."""
        if any(leg.money.units <= 0 for leg in order.legs):
            raise Rejected("there is nothing to carry")
        kept = await self._playing.take(
            Operation(
                org_id=order.org_id,
                part=Part.CHAIN,
                key=order.key,
                ordered=_ordered(order),
                reply={
                    "transaction_hash": transaction_hash(order.chain, order.key),
                    "user_op_hash": user_op_hash(order.chain, order.key),
                },
                accepted_at=order.at,
                settles_at=order.at + takes(order.action, order.chain),
            ),
            order.record_id,
            _steps(order),
            # All tries of a refund to one address meet the same outcome.
            turn_key=derived_id(order.record_id, f"refund/{order.legs[0].address}")
            if order.is_refund
            else None,
        )
        return _sent(kept, order.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Sent | None:
        """How an order stands; see the port."""
        kept = await self._playing.find(org_id, Part.CHAIN, key, at)
        return None if kept is None else _sent(kept, at)


def _steps(order: Order) -> tuple[Step, ...]:
    if order.is_refund:
        return _REFUNDING
    return _MINTING if order.action is Action.MINT else _SENDING


def takes(action: Action, chain: str) -> timedelta:
    """How long an action takes at the real pace."""
    confirmed = _CONFIRMED_WITHIN[chain]
    return confirmed + _ATTESTED_WITHIN if action is Action.MINT else confirmed


def _ordered(order: Order) -> dict[str, Any]:
    return {
        "action": order.action.value,
        "chain": order.chain,
        "source": order.source,
        # Units as text: they may have more digits than JSON numbers are read with elsewhere.
        "legs": [
            {"address": leg.address, "asset": leg.money.asset.code, "units": str(leg.money.units)}
            for leg in order.legs
        ],
    }


def _sent(operation: Operation, at: datetime) -> Sent:
    is_final = operation.is_final(at)
    state = SentState.PENDING
    if is_final:
        is_done = operation.ending is Ending.DONE
        state = SentState.CONFIRMED if is_done else SentState.FAILED
    return Sent(
        state=state,
        transaction_hash=operation.reply["transaction_hash"],
        user_op_hash=operation.reply["user_op_hash"],
        expected_at=None if is_final else operation.expected_at,
        reason=operation.reason if is_final else None,
    )
