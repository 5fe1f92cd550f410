"""Order channels: a chain or a bank that carries out an order, behind one interface.

An `OrderChannel` sends an order and looks it up. Both return a `ChannelStatus`, whichever provider
is behind it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any
from uuid import UUID

from landbridge.payments.engine.retry_until_settled import RetryExhausted
from landbridge.platform.core.errors import Rejected
from landbridge.providers.chains.port import ChainOrder, ChainOrderState, ChainOrderStatus, Chains
from landbridge.providers.rails.port import RailPayment, RailPaymentState, RailPaymentStatus, Rails


class OrderState(Enum):
    """State of an order at the provider."""

    PENDING = auto()
    DONE = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStatus:
    """Status of an order at a chain or bank; `facts` are stored in the order's record."""

    state: OrderState
    expected_at: datetime | None
    reason: str | None
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class OrderChannel:
    """Channel of an order: see `chain_channel` and `rail_channel`.

    `key_lifetime` is how long the provider executes an order only once per key; None is forever.
    After that the order may not be sent again under its key. `hash_fact` names the fact that stores
    the hash of its transaction; None for a bank.
    """

    send: Callable[[], Awaitable[ChannelStatus]]
    find: Callable[[datetime], Awaitable[ChannelStatus | None]]
    key_lifetime: timedelta | None = None
    hash_fact: str | None = None


def until_settled(channel: OrderChannel, order_name: str) -> OrderChannel:
    """Return a channel that reports no failure, for an order that must arrive, such as a refund.

    Its order has the key `retry_key(record, order_name)`; see retry_until_settled.py. A failure
    raises `RetryExhausted`.
    """

    def check_not_failed(answer: ChannelStatus) -> ChannelStatus:
        if answer.state is OrderState.FAILED:
            raise RetryExhausted(order_name, answer.reason)
        return answer

    async def send() -> ChannelStatus:
        return check_not_failed(await channel.send())

    async def find(at: datetime) -> ChannelStatus | None:
        answer = await channel.find(at)
        return None if answer is None else check_not_failed(answer)

    return replace(channel, send=send, find=find)


def chain_channel(chains: Chains, order: ChainOrder, *, prefix: str = "") -> OrderChannel:
    """Return the channel of a chain order.

    Its facts are `transaction_hash` and `user_op_hash`, with `prefix` before each name, and
    `received_units` for a swap.
    """

    async def send() -> ChannelStatus:
        try:
            return _chain_status(await chains.send(order), prefix)
        except Rejected as error:
            return ChannelStatus(state=OrderState.FAILED, expected_at=None, reason=str(error))

    async def find(at: datetime) -> ChannelStatus | None:
        sent = await chains.find_status(order.org_id, order.key, at)
        return None if sent is None else _chain_status(sent, prefix)

    return OrderChannel(send, find, chains.key_lifetime, f"{prefix}transaction_hash")


def rail_channel(
    rails: Rails,
    org_id: UUID,
    key: UUID,
    payment: Callable[[], Awaitable[RailPayment]],
    *,
    facts: Callable[[RailPaymentStatus], Mapping[str, Any]],
) -> OrderChannel:
    """Return the channel of a bank payment.

    `payment` builds the payment only when it is sent, because that decrypts personal data.
    """

    def answer(paid: RailPaymentStatus) -> ChannelStatus:
        return ChannelStatus(
            state=_RAIL_STATES[paid.state],
            expected_at=paid.expected_at,
            reason=paid.reason,
            facts=facts(paid),
        )

    async def send() -> ChannelStatus:
        try:
            return answer(await rails.pay(await payment()))
        except Rejected as error:
            return ChannelStatus(state=OrderState.FAILED, expected_at=None, reason=str(error))

    async def find(at: datetime) -> ChannelStatus | None:
        paid = await rails.find_status(org_id, key, at)
        return None if paid is None else answer(paid)

    return OrderChannel(send, find, rails.key_lifetime)


def _chain_status(sent: ChainOrderStatus, prefix: str) -> ChannelStatus:
    facts = {
        f"{prefix}transaction_hash": sent.transaction_hash,
        f"{prefix}user_op_hash": sent.user_op_hash,
    }
    if sent.received_units is not None:
        # Stored as text, because it may have more digits than JSON readers accept in a number.
        facts["received_units"] = str(sent.received_units)
    return ChannelStatus(
        state=_CHAIN_STATES[sent.state],
        expected_at=sent.expected_at,
        reason=sent.reason,
        facts=facts,
    )


_CHAIN_STATES = {
    ChainOrderState.PENDING: OrderState.PENDING,
    ChainOrderState.CONFIRMED: OrderState.DONE,
    ChainOrderState.FAILED: OrderState.FAILED,
}
_RAIL_STATES = {
    RailPaymentState.PENDING: OrderState.PENDING,
    RailPaymentState.SETTLED: OrderState.DONE,
    RailPaymentState.FAILED: OrderState.FAILED,
}
