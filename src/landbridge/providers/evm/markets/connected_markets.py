"""Markets of the connected chains: quotes of their pools; see the port (chains/markets.py).

Guarantees:
- a quote is for the whole amount: a pool that has too little for it is refused;
- no quote gives less than the chain's `least_rate`;
- a node that does not answer in time decides nothing: `Unavailable`.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isqrt

from landbridge.platform.core.errors import InvariantBroken, Unavailable
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.chains.markets import MarketQuote, MarketRefused, SwapProvider
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import AbiFunction
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.market_configuration import MarketContracts, MarketPool
from landbridge.providers.evm.markets.contract_calls import QUOTE_PURCHASE, QUOTE_SALE
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.rpc import ChainClient

# A request for a quote waits for this long at most.
_TIMEOUT_S = 3
# More than any swap of one pool takes within its price limit; it bounds the work of a node.
_GAS_MAX = 5_000_000
_BPS = 10_000
_COIN_DECIMALS = 18
_WORD_BYTES, _ANSWER_WORDS = 32, 4
# Prices of pools are square roots with 96 binary places.
_PRICE_SQUARE = 2**192
_TOO_LITTLE = "the market has too little liquidity for this amount"


@dataclass(frozen=True, slots=True)
class _Answer:
    units: int
    gas: int


class ConnectedMarkets:
    """Markets of these chains."""

    def __init__(
        self, chains: Mapping[Network, EvmChain], clients: Mapping[Network, ChainClient]
    ) -> None:
        self._chains = chains
        self._clients = clients

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        """Return the provider of a pair; see the port."""
        chain = self._chains.get(Network(source.chain))
        market = None if chain is None else chain.market
        if market is None or source.chain != destination.chain:
            return SwapProvider.TREASURY
        pool = market.pool_of(source.currency, destination.currency)
        return SwapProvider.TREASURY if pool is None else pool.provider

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        """Return what the market gives at least; see the port."""
        chain, market, pool = self._market(sold.asset, into)
        answer = await self._ask(chain, QUOTE_SALE, sold.asset, into, sold.units, pool)
        least = Money(answer.units * (_BPS - market.slippage_bps) // _BPS, into)
        self._check_rate(market, sold, least)
        return MarketQuote(sold, least, await self._gas(chain, answer.gas, into))

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        """Return what has to be sold; see the port."""
        chain, market, pool = self._market(out_of, bought.asset)
        # So much that the least amount is `bought`.
        target = -(-bought.units * _BPS // (_BPS - market.slippage_bps))
        answer = await self._ask(chain, QUOTE_PURCHASE, out_of, bought.asset, target, pool)
        sold = Money(answer.units, out_of)
        self._check_rate(market, sold, bought)
        return MarketQuote(sold, bought, await self._gas(chain, answer.gas, out_of))

    def _market(
        self, source: Asset, destination: Asset
    ) -> tuple[EvmChain, MarketContracts, MarketPool]:
        chain = self._chains.get(Network(source.chain))
        market = None if chain is None else chain.market
        pool = None if market is None else market.pool_of(source.currency, destination.currency)
        if chain is None or market is None or pool is None:
            raise MarketRefused(f"no market swaps {source.currency} for {destination.currency}")
        return chain, market, pool

    async def _ask(
        self,
        chain: EvmChain,
        function: AbiFunction,
        source: Asset,
        destination: Asset,
        units: int,
        pool: MarketPool,
    ) -> _Answer:
        """Return what the quoter answers, if the pool does not reach the limit of its price."""
        market = chain.market
        if market is None:
            raise InvariantBroken(f"{chain.name} has no market")
        sold, bought = (chain.tokens[each.currency] for each in (source, destination))
        limit = price_limit(
            market.least_rate,
            is_first=int(sold.address, 16) < int(bought.address, 16),
            decimals=(sold.decimals, bought.decimals),
        )
        data = function.encode(sold.address, bought.address, units, pool.fee, limit)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                answer = await self._clients[chain.name].call(
                    destination=market.quoter, data=data, gas=_GAS_MAX
                )
        except NodeError:
            # The quoter reverts where the pool can't give an amount; so it does without a pool.
            raise MarketRefused(_TOO_LITTLE) from None
        except (NodeUnavailable, AnswerInvalid, TimeoutError) as error:
            raise Unavailable(f"the nodes of {chain.name} do not answer a quote") from error
        words = [
            int.from_bytes(answer[start : start + _WORD_BYTES])
            for start in range(0, len(answer), _WORD_BYTES)
        ]
        if len(words) != _ANSWER_WORDS or not words[0] or words[1] == limit:
            raise MarketRefused(_TOO_LITTLE)
        return _Answer(units=words[0], gas=words[3])

    @staticmethod
    def _check_rate(market: MarketContracts, sold: Money, least: Money) -> None:
        if not gives_rate(market.least_rate, sold, least):
            raise MarketRefused(
                f"the market gives less than {market.least_rate} {least.asset.currency} for one "
                f"{sold.asset.currency}"
            )

    async def _gas(self, chain: EvmChain, gas: int, asset: Asset) -> Money:
        """Return what the gas of the pool costs, in a stablecoin."""
        price = None if chain.market is None else chain.market.coin_price
        if price is None:
            return Money(0, asset)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                fees = await self._clients[chain.name].fees()
        except (NodeError, NodeUnavailable, AnswerInvalid, TimeoutError) as error:
            raise Unavailable(f"the nodes of {chain.name} do not answer their fees") from error
        wei = gas * (fees.base_fee_wei + fees.tip_wei)
        coins, per = (price * wei).as_integer_ratio()
        return Money(-(-coins * 10**asset.decimals // (per * 10**_COIN_DECIMALS)), asset)


def gives_rate(least_rate: Decimal, sold: Money, bought: Money) -> bool:
    """Whether one coin is sold for at least `least_rate` coins."""
    up, down = least_rate.as_integer_ratio()
    decimals = (sold.asset.decimals, bought.asset.decimals)
    return bought.units * 10 ** decimals[0] * down >= sold.units * 10 ** decimals[1] * up


def price_limit(least_rate: Decimal, *, is_first: bool, decimals: tuple[int, int]) -> int:
    """Return the price beyond which a pool shall not swap, as its contract takes it.

    A pool's price is units of its second token for one of its first. `is_first` is whether the coin
    sold is the first; `decimals` are of the coins sold and bought.
    """
    up, down = least_rate.as_integer_ratio()
    up, down = up * 10 ** decimals[1], down * 10 ** decimals[0]
    return isqrt(_PRICE_SQUARE * up // down) if is_first else isqrt(_PRICE_SQUARE * down // up)
