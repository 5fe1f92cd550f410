"""Check whether Solana can carry out an order; does not need the extra."""

from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.outbox.adapter import OrderCheck
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.solana.configuration import RECIPIENTS_MAX, SolanaChain


def order_check(chain: SolanaChain) -> OrderCheck:
    """Return a function that returns why Solana can't carry out an order, or None."""

    def find_refusal(order: OutboxOrder) -> str | None:
        if order.action is not ChainAction.TRANSFER:
            return f"no bridge reaches {chain.name}"
        if order.currency not in chain.tokens:
            return f"{order.currency} on {chain.name} is not connected"
        if len(order.legs) > RECIPIENTS_MAX:
            return f"one transaction on {chain.name} pays at most {RECIPIENTS_MAX} recipients"
        return None

    return find_refusal
