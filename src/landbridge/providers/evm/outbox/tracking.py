"""New state of an order, derived from what the chain says. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from landbridge.providers.evm.outbox.model import (
    AttemptKind,
    OutboxOrder,
    OutboxState,
    TransactionAttempt,
)

_SWAP_REVERTED = (
    "the chain has undone the swap: it came too late, or the market gave less than the minimum"
)
_REVERTED = "the chain carried out the transaction, but the token's contract refused the transfer"


@dataclass(frozen=True, slots=True)
class ChainView:
    """Heights of a chain at one moment; `final_block` and the blocks before it can't be undone."""

    head: int
    final_block: int
    confirmations: int

    def is_confirmed(self, block: int) -> bool:
        """Return whether a block has the chain's confirmations; the head itself has one."""
        return self.head - block + 1 >= self.confirmations

    def is_final(self, block: int) -> bool:
        """Return whether a block can't be undone."""
        return block <= self.final_block


def follow(
    order: OutboxOrder, attempts: Sequence[TransactionAttempt], view: ChainView, at: datetime
) -> OutboxOrder:
    """Return the order in its state on the chain; equal to `order` if nothing changed.

    `attempts` are those of the order's step, with the blocks that contain them now. An order that
    was reported as confirmed stays confirmed: its transaction is sent again until it is mined
    again. A swap is reported only when it is final, because another block may give another amount.
    """
    mined = next((each for each in attempts if each.block_number is not None), None)
    if mined is None or mined.block_number is None:
        is_removed = order.state in (OutboxState.MINED, OutboxState.CONFIRMED)
        return replace(order, state=OutboxState.SENT, due_at=at) if is_removed else order
    block = mined.block_number
    if not mined.is_payment:
        return _prepared(order, is_success=bool(mined.is_success), block=block, view=view, at=at)
    order = replace(order, transaction_hash=mined.hash, state=OutboxState.MINED)
    if mined.is_success and mined.kind is not AttemptKind.CANCELLATION:
        is_confirmed = view.is_confirmed(block) and order.swap is None
        if not is_confirmed and not view.is_final(block):
            return order
        state = OutboxState.FINAL if view.is_final(block) else OutboxState.CONFIRMED
        return replace(order, state=state, confirmed_at=order.confirmed_at or at, reason=None)
    if view.is_final(block):
        reason = _REVERTED if order.swap is None else _SWAP_REVERTED
        return replace(order, state=OutboxState.REVERTED, reason=reason)
    return order


def _prepared(
    order: OutboxOrder, *, is_success: bool, block: int, view: ChainView, at: datetime
) -> OutboxOrder:
    """Return an order after a preparing step; the next step begins after its confirmation."""
    if not view.is_confirmed(block) or not (is_success or view.is_final(block)):
        return replace(order, state=OutboxState.MINED)
    return replace(order, state=OutboxState.CREATED, step=order.step + 1, due_at=at)
