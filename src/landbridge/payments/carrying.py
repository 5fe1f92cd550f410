"""Sending coins from a step: a refusal of the chain is an answer like others."""

from typing import Any

from landbridge.chains.port import Chains, Order, Sent, SentState
from landbridge.core.errors import Rejected


async def carry(chains: Chains, order: Order) -> Sent:
    """As `chains.send`, but what it rejects comes back as FAILED with its reason."""
    try:
        return await chains.send(order)
    except Rejected as error:
        return Sent(
            state=SentState.FAILED,
            transaction_hash=None,
            user_op_hash=None,
            expected_at=None,
            reason=str(error),
        )


def hashes(sent: Sent, *, prefix: str = "") -> dict[str, Any]:
    """What a record keeps of a transaction, as facts; `prefix` where it has several."""
    return {
        f"{prefix}transaction_hash": sent.transaction_hash,
        f"{prefix}user_op_hash": sent.user_op_hash,
    }
