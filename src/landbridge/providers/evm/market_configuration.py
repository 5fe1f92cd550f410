"""Market of a chain, as configured in the chains file: contracts of Uniswap v3, and pools."""

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum

import msgspec

from landbridge.providers.chains.markets import SwapProvider
from landbridge.providers.evm.configuration_table import ChainsFileError, ConfigurationTable, either

# Largest fee of a pool, in hundredths of a basis point: 100,000 is a tenth of the coins.
_FEE_MAX = 100_000
_SLIPPAGE_BPS, _SLIPPAGE_BPS_MAX = 10, 500
# Seconds after which an order of the market is refused. A reverted order waits as long before it
# fails, because until then anybody could still submit it.
_PATIENCE_S, _PATIENCE_S_LEAST, _PATIENCE_S_MAX = 300, 60, 3600
_LEAST_RATE = Decimal("0.98")
_DECIMAL_FORM = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", re.ASCII)
_PAIR_FORM = re.compile(r"([A-Za-z]+)-([A-Za-z]+)", re.ASCII)


class RouterInterface(StrEnum):
    """Interface of the router contract; source: Uniswap/v3-periphery, swap-router-contracts."""

    ROUTER = "swap-router"  # SwapRouter: its function has a deadline
    ROUTER_02 = "swap-router-02"  # SwapRouter02: only the delegate contract checks the deadline


class MarketPool(msgspec.Struct, frozen=True, kw_only=True):
    """Pool of two configured tokens; `fee` is in hundredths of a basis point."""

    currencies: frozenset[str]
    address: str
    fee: int
    provider: SwapProvider


class MarketContracts(msgspec.Struct, frozen=True, kw_only=True):
    """Contracts of a market, and bounds of the swaps there.

    A quote promises the quoter's answer less the slippage. A swap that gives fewer than
    `least_rate` coins per coin is neither quoted nor signed. `coin_price` is the price of the
    chain's native coin in stablecoins, by which gas costs are converted.
    """

    interface: RouterInterface
    router: str
    quoter: str
    pools: tuple[MarketPool, ...]
    slippage_bps: int
    patience_s: int
    least_rate: Decimal
    coin_price: Decimal | None

    def pool_of(self, source: str, destination: str) -> MarketPool | None:
        """Return the pool of two currencies; None if there is none."""
        pair = frozenset((source, destination))
        return next((each for each in self.pools if each.currencies == pair), None)


def read_market(
    table: ConfigurationTable | None, decimals: Mapping[str, int], *, has_calls: bool
) -> MarketContracts | None:
    """Return the market in a chain's table `market`; None without that table.

    `decimals` are the decimals of the chain's tokens, by currency. `has_calls` is True if its
    wallets can make several calls in one transaction.

    Raises:
        ChainsFileError: A value is not valid.
    """
    if table is None:
        return None
    if not has_calls:
        raise table.error("router", "needs eip7702 in sponsor: a swap is several calls in one")
    market = MarketContracts(
        interface=table.choice("interface", RouterInterface),
        router=table.address("router"),
        quoter=table.address("quoter"),
        pools=_pools(table.table("pools"), decimals),
        slippage_bps=table.whole(
            "slippage_bps", least=0, most=_SLIPPAGE_BPS_MAX, default=_SLIPPAGE_BPS
        ),
        patience_s=table.whole(
            "patience_s", least=_PATIENCE_S_LEAST, most=_PATIENCE_S_MAX, default=_PATIENCE_S
        ),
        least_rate=_least_rate(table),
        coin_price=_decimal(table, "coin_price"),
    )
    table.refuse_unknown()
    weighed = any(each.provider is SwapProvider.BEST for each in market.pools)
    if weighed and market.coin_price is None:
        raise table.error("coin_price", "is required, because a pool has the provider best")
    return market


def _pools(tables: ConfigurationTable, decimals: Mapping[str, int]) -> tuple[MarketPool, ...]:
    pools: dict[frozenset[str], MarketPool] = {}
    for name in tables.names:
        table = tables.table(name)
        found = _PAIR_FORM.fullmatch(name)
        pair = frozenset(found.groups()) if found is not None else frozenset[str]()
        if len(pair) != 2 or not pair <= decimals.keys():  # noqa: PLR2004  a pair
            raise tables.error(name, "must be named after two of the chain's tokens: usdc-usdt")
        if pair in pools:
            raise tables.error(name, "is the second pool of these two tokens")
        provider = table.optional_text("provider") or SwapProvider.TREASURY.lower()
        if provider not in [each.lower() for each in SwapProvider]:
            choices = either([each.lower() for each in SwapProvider])
            raise table.error("provider", f"must be {choices}")
        pools[pair] = MarketPool(
            currencies=pair,
            address=table.address("address"),
            fee=table.whole("fee", least=1, most=_FEE_MAX),
            provider=SwapProvider(provider.upper()),
        )
        table.refuse_unknown()
    if not pools:
        raise ChainsFileError(f"{tables.path} must have at least one pool")
    return tuple(pools.values())


def _least_rate(table: ConfigurationTable) -> Decimal:
    rate = _decimal(table, "least_rate")
    if rate is None:
        return _LEAST_RATE
    if not 0 < rate <= 1:
        raise table.error("least_rate", "must be above 0 and at most 1")
    return rate


def _decimal(table: ConfigurationTable, name: str) -> Decimal | None:
    text = table.optional_text(name)
    if text is None:
        return None
    if not _DECIMAL_FORM.fullmatch(text):
        raise table.error(name, 'must be a decimal in quotes, as in "0.98"')
    return Decimal(text)
