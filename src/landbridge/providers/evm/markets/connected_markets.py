"""Markets of the connected chains: quotes of their pools; see the port (chains/markets.py).

Guarantees:
- a quote is for the whole amount: a pool that has too little for it is refused;
- no quote gives less than the chain's `least_rate`;
- if no node answers in time, the quote raises `Unavailable`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import Asset, Money
from landbridge.providers.chains.markets import MarketPair, MarketQuote, MarketRefused, SwapProvider
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import AbiFunction
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.market_configuration import MarketContracts, MarketPool
from landbridge.providers.evm.markets.contract_calls import QUOTE_PURCHASE, QUOTE_SALE
from landbridge.providers.evm.markets.prices import gives_rate, price_limit
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.rpc import ChainClient

# Seconds that a request for a quote waits at most.
_TIMEOUT_S = 3
# Gas limit of a quote, which bounds the work of a node: more than a swap in one pool takes within
# its price limit.
_GAS_MAX = 5_000_000
_BPS = 10_000
_COIN_DECIMALS = 18
_WORD_BYTES, _ANSWER_WORDS = 32, 4
_TOO_LITTLE = "the market has too little liquidity for this amount"


@dataclass(frozen=True, slots=True)
class _Pair:
    """Coins sold and bought, with the market and pool of the swap."""

    source: Asset
    destination: Asset
    chain: EvmChain
    market: MarketContracts
    pool: MarketPool


@dataclass(frozen=True, slots=True)
class _QuoterAnswer:
    units: int
    gas: int


class ConnectedMarkets:
    """Markets of the connected chains."""

    def __init__(
        self, chains: Mapping[Network, EvmChain], clients: Mapping[Network, ChainClient]
    ) -> None:
        self._chains = chains
        self._clients = clients

    @property
    def is_connected(self) -> bool:
        """Return True: these markets are on connected chains."""
        return True

    @property
    def pairs(self) -> Sequence[MarketPair]:
        """Return the pairs with a market; see the port."""
        return [
            MarketPair(network, *pair, pool.provider, chain.market.coin_price is not None)
            for network, chain in sorted(self._chains.items())
            if chain.market is not None
            for pool in chain.market.pools
            for pair in permutations(sorted(pool.currencies), 2)
        ]

    def provider(self, source: Asset, destination: Asset) -> SwapProvider:
        """Return the provider of a pair; see the port."""
        chain = self._chains.get(Network(source.chain))
        market = None if chain is None else chain.market
        if market is None or source.chain != destination.chain:
            return SwapProvider.TREASURY
        pool = market.pool_of(source.currency, destination.currency)
        return SwapProvider.TREASURY if pool is None else pool.provider

    async def quote_sale(self, sold: Money, into: Asset) -> MarketQuote:
        """Return the least amount that the market gives; see the port."""
        pair = self._pair(sold.asset, into)
        answer = await self._ask(pair, QUOTE_SALE, sold.units)
        kept_bps = _BPS - pair.market.slippage_bps
        least = Money(answer.units * kept_bps // _BPS, into)
        _check_rate(pair.market, sold, least)
        expected = Money(answer.units, into)
        return MarketQuote(sold, expected, least, await self._gas(pair, answer.gas, into))

    async def quote_purchase(self, bought: Money, out_of: Asset) -> MarketQuote:
        """Return the amount that has to be sold; see the port."""
        pair = self._pair(out_of, bought.asset)
        # Amount to ask for, so that after the slippage at least `bought` remains.
        target = -(-bought.units * _BPS // (_BPS - pair.market.slippage_bps))
        answer = await self._ask(pair, QUOTE_PURCHASE, target)
        sold = Money(answer.units, out_of)
        _check_rate(pair.market, sold, bought)
        expected = Money(target, bought.asset)
        return MarketQuote(sold, expected, bought, await self._gas(pair, answer.gas, out_of))

    def _pair(self, source: Asset, destination: Asset) -> _Pair:
        chain = self._chains.get(Network(source.chain))
        market = None if chain is None else chain.market
        pool = None if market is None else market.pool_of(source.currency, destination.currency)
        if chain is None or market is None or pool is None:
            raise MarketRefused(f"no market swaps {source.currency} for {destination.currency}")
        return _Pair(source, destination, chain, market, pool)

    async def _ask(self, pair: _Pair, function: AbiFunction, units: int) -> _QuoterAnswer:
        """Return the quoter's answer; raises `MarketRefused` at the price limit of the pool."""
        chain, market = pair.chain, pair.market
        sold, bought = (chain.tokens[each.currency] for each in (pair.source, pair.destination))
        limit = price_limit(
            market.least_rate,
            is_first=int(sold.address, 16) < int(bought.address, 16),
            decimals=(sold.decimals, bought.decimals),
        )
        data = function.encode(sold.address, bought.address, units, pair.pool.fee, limit)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                answer = await self._clients[chain.name].call(
                    destination=market.quoter, data=data, gas=_GAS_MAX
                )
        except NodeError:
            # The quoter reverts if the pool can't give the amount, or if there is no pool.
            raise MarketRefused(_TOO_LITTLE) from None
        except (NodeUnavailable, AnswerInvalid, TimeoutError) as error:
            raise Unavailable(f"the nodes of {chain.name} do not answer a quote") from error
        words = [
            int.from_bytes(answer[start : start + _WORD_BYTES])
            for start in range(0, len(answer), _WORD_BYTES)
        ]
        if len(words) != _ANSWER_WORDS or not words[0] or words[1] == limit:
            raise MarketRefused(_TOO_LITTLE)
        return _QuoterAnswer(units=words[0], gas=words[3])

    async def _gas(self, pair: _Pair, gas: int, asset: Asset) -> Money:
        """Return the price of the pool's gas in a stablecoin."""
        price, name = pair.market.coin_price, pair.chain.name
        if price is None:
            return Money(0, asset)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                fees = await self._clients[name].fees()
        except (NodeError, NodeUnavailable, AnswerInvalid, TimeoutError) as error:
            raise Unavailable(f"the nodes of {name} do not answer their fees") from error
        wei = gas * (fees.base_fee_wei + fees.tip_wei)
        coins, per = (price * wei).as_integer_ratio()
        return Money(-(-coins * 10**asset.decimals // (per * 10**_COIN_DECIMALS)), asset)


def _check_rate(market: MarketContracts, sold: Money, least: Money) -> None:
    if not gives_rate(market.least_rate, sold, least):
        raise MarketRefused(
            f"the market gives less than {market.least_rate} {least.asset.currency} for one "
            f"{sold.asset.currency}"
        )
