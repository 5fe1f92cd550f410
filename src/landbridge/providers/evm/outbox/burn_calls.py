"""Calls that burn the coins of an order for the bridge of its chain. Pure."""

from collections.abc import Sequence

from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm import abi
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.bridging.messages import (
    ANY_CALLER,
    FINALIZED,
    NO_FEE,
    address_word,
)
from landbridge.providers.evm.chain_data import EventLog
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.signing.model import AccountCall

_WORD_BYTES = 32


def messenger_of(order: OutboxOrder, bridges: ConnectedBridges) -> str:
    """Return the address of the contract that takes and burns the coins."""
    return bridges.bridge(Network(order.chain)).token_messenger


def burn_data(order: OutboxOrder, token: str, bridges: ConnectedBridges) -> bytes:
    """Return the messenger's call for a burn that is attested once it is final, without a fee."""
    if order.into_chain is None:
        raise InvariantBroken(f"burn {order.key} names no chain")
    (leg,) = order.legs
    domain = bridges.bridge(Network(order.into_chain)).domain
    return abi.DEPOSIT_FOR_BURN.encode(
        *(leg.units, domain, address_word(leg.destination), token),
        *(ANY_CALLER, NO_FEE, FINALIZED),
    )


def burn_calls(order: OutboxOrder, token: str, bridges: ConnectedBridges) -> Sequence[AccountCall]:
    """Return the calls of an account that burns; no allowance is left afterwards.

    Some tokens change an allowance only from or to zero, so it is first set to zero.
    """
    messenger = messenger_of(order, bridges)
    approvals = [
        abi.encode_approve(spender=messenger, amount_units=units) for units in (0, order.units)
    ]
    return [
        *(AccountCall(destination=token, value_wei=0, data=each) for each in approvals),
        AccountCall(destination=messenger, value_wei=0, data=burn_data(order, token, bridges)),
    ]


def is_burn_of(log: EventLog, order: OutboxOrder, bridges: ConnectedBridges) -> bool:
    """Return whether an event is the burn of the order's coins for its recipient."""
    if order.into_chain is None:
        raise InvariantBroken(f"burn {order.key} names no chain")
    (leg,) = order.legs
    domain = bridges.bridge(Network(order.into_chain)).domain
    words = (
        leg.units.to_bytes(_WORD_BYTES),
        address_word(leg.destination),
        domain.to_bytes(_WORD_BYTES),
    )
    return (
        log.address == messenger_of(order, bridges)
        and log.topics[:1] == (abi.DEPOSIT_FOR_BURN_TOPIC,)
        and abi.address_topic(order.source) in log.topics
        and log.data.startswith(b"".join(words))
    )
