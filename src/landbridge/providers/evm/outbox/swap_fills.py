"""Amounts that the market gave for orders, read from the receipts of their transactions."""

from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.markets.fills import received_units
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import AlreadyExecuted, PlanWait
from landbridge.providers.evm.outbox.swap_calls import expected_fill, market_of
from landbridge.providers.evm.rpc import ChainClient


class SwapFills:
    """Reads the fills of one chain."""

    def __init__(self, chain: EvmChain, client: ChainClient) -> None:
        self._chain = chain
        self._client = client

    async def find(self, order: OutboxOrder, transaction_hash: str | None) -> int | None:
        """Return the units that a transaction gave for an order; None if unknown.

        Raises the errors of `ChainClient.receipt`.
        """
        found = market_of(self._chain, order)
        if found is None or transaction_hash is None:
            return None
        receipt = await self._client.receipt(transaction_hash)
        if receipt is None or not receipt.is_success:
            return None
        block = await self._client.block(receipt.block_number)
        if block is None or block.hash != receipt.block_hash:
            return None
        expected = expected_fill(self._chain, order)
        return received_units(receipt.logs, expected, pool=found[1].address, key=order.chain_key)

    async def executed(
        self, order: OutboxOrder, transaction_hash: str | None
    ) -> AlreadyExecuted | PlanWait:
        """Return a swap that was carried out, with its units; a wait while they are unknown."""
        received = order.received_units
        if received is None:
            received = await self.find(order, transaction_hash)
        if received is None:
            reason = "waits for a person: the nodes don't say what the market gave"
            return PlanWait(reason, is_executed=True)
        return AlreadyExecuted(transaction_hash, received)
