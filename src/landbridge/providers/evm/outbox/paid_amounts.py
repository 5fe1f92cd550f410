"""Amounts moved by the transaction that used an order's key.

A request that is repeated after the restore of a backup has the key of the lost payment, but may
have other amounts or recipients.
"""

from collections import Counter

from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm import abi
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.outbox.burn_calls import is_burn_of
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import AlreadyExecuted, PlanWait
from landbridge.providers.evm.rpc import ChainClient

_OTHER_PAYMENT = "waits for a person: nodes don't say that its key has paid these amounts"


async def executed(
    client: ChainClient,
    order: OutboxOrder,
    token: str,
    transaction_hash: str | None,
    bridges: ConnectedBridges,
) -> AlreadyExecuted | PlanWait:
    """Return an order as executed if the transaction of its key moved its amounts; else wait."""
    receipt = None if transaction_hash is None else await client.receipt(transaction_hash)
    if receipt is None:
        return PlanWait(_OTHER_PAYMENT, is_executed=True)
    moved = Counter(
        (_recipient(order, each.destination), each.amount_units)
        for log in receipt.logs
        if log.address == token
        and (each := abi.decode_transfer(log.topics, log.data)) is not None
        and each.source == order.source
    )
    wanted = Counter((_recipient(order, leg.destination), leg.units) for leg in order.legs)
    is_burned = order.action is not ChainAction.BURN or any(
        is_burn_of(log, order, bridges) for log in receipt.logs
    )
    if wanted <= moved and is_burned:
        return AlreadyExecuted(transaction_hash)
    return PlanWait(_OTHER_PAYMENT, is_executed=True)


def _recipient(order: OutboxOrder, address: str) -> str | None:
    """Return who must receive the coins; None for a burn: its coins go to the bridge."""
    return None if order.action is ChainAction.BURN else address
