"""Coins for relayers and treasuries of local chains, so that a sandbox works by itself.

In production people send the coins: see `relayer_floor` in the chains file.
"""

from landbridge.providers.evm.faucet import Faucet
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.order_store import treasury_needs
from landbridge.providers.evm.outbox.relayers import Relayers

_RELAYER_WEI = 100 * 10**18
_TREASURY_COINS = 1_000_000


class LocalFunds:
    """Pays out coins from the faucet of one local chain."""

    def __init__(self, context: ChainContext, relayers: Relayers, faucet: Faucet) -> None:
        self._context = context
        self._relayers = relayers
        self._faucet = faucet

    async def run(self) -> None:
        """Pay relayers with a low balance, and treasuries that can't pay their orders."""
        context = self._context
        for relayer in await self._relayers.prepare():
            if await context.client.balance(relayer.address) < _RELAYER_WEI // 10:
                await self._faucet.pay(relayer.address, _RELAYER_WEI)
        needs = await context.database.single(lambda tx: treasury_needs(tx, context.name))
        for address, currency, units in needs:
            token = context.chain.tokens[currency]
            if await context.client.token_balance(token.address, address) < units:
                supply = _TREASURY_COINS * 10**token.decimals
                await self._faucet.mint(currency, address, max(units, supply))
