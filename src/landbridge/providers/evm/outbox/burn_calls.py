"""Calls that burn the coins of an order, for the bridge of its chain. Pure."""

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
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.signing.model import AccountCall


def messenger_of(order: OutboxOrder, bridges: ConnectedBridges) -> str:
    """Return the contract that takes and burns the coins."""
    return bridges.bridge(Network(order.chain)).token_messenger


def burn_data(order: OutboxOrder, token: str, bridges: ConnectedBridges) -> bytes:
    """Return the call of the messenger: a burn that is attested once it is final, without a fee."""
    if order.into_chain is None:
        raise InvariantBroken(f"burn {order.key} names no chain")
    (leg,) = order.legs
    domain = bridges.bridge(Network(order.into_chain)).domain
    return abi.DEPOSIT_FOR_BURN.encode(
        *(leg.units, domain, address_word(leg.destination), token),
        *(ANY_CALLER, NO_FEE, FINALIZED),
    )


def burn_calls(order: OutboxOrder, token: str, bridges: ConnectedBridges) -> Sequence[AccountCall]:
    """Return the calls of an account that burns: they leave no allowance behind.

    Some tokens change an allowance only from or to zero, so it is set to zero before.
    """
    messenger = messenger_of(order, bridges)
    approvals = [
        abi.encode_approve(spender=messenger, amount_units=units) for units in (0, order.units)
    ]
    return [
        *(AccountCall(destination=token, value_wei=0, data=each) for each in approvals),
        AccountCall(destination=messenger, value_wei=0, data=burn_data(order, token, bridges)),
    ]
