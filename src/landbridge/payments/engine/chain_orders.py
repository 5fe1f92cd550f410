"""Chain orders of a step."""

from typing import Any

from landbridge.platform.core.errors import Rejected
from landbridge.providers.chains.port import ChainOrder, ChainOrderState, ChainOrderStatus, Chains


async def send_order(chains: Chains, order: ChainOrder) -> ChainOrderStatus:
    """Send an order as `chains.send` does; return FAILED if the chain rejects it."""
    try:
        return await chains.send(order)
    except Rejected as error:
        return ChainOrderStatus(
            state=ChainOrderState.FAILED,
            transaction_hash=None,
            user_op_hash=None,
            expected_at=None,
            reason=str(error),
        )


def hashes(sent: ChainOrderStatus, *, prefix: str = "") -> dict[str, Any]:
    """Return the facts that a record keeps of a chain transaction; `prefix` names it."""
    return {
        f"{prefix}transaction_hash": sent.transaction_hash,
        f"{prefix}user_op_hash": sent.user_op_hash,
    }
