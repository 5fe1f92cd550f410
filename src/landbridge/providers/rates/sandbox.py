"""Sandbox prices: stablecoins at par for a small fee, fiat at a table of mid rates less a margin.

The mid rates are plausible, rounded rates of 2026-01-02, not meant for trading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal

from landbridge.platform.core.money import RATE_DECIMALS, Rate
from landbridge.providers.rates.port import Price

# Fee of ten basis points: visible in every example, and plausible.
PAR = Price(rate=Rate(Decimal(1)), fee_fraction=Decimal("0.001"), as_of=None)

# Currencies with the value of a dollar.
STABLECOINS = frozenset({"usdc", "usdt", "usdg", "usdHifi"})

_STEP = Decimal(1).scaleb(-RATE_DECIMALS)
_DOWN = Context(prec=60, rounding=ROUND_DOWN)


@dataclass(frozen=True, slots=True)
class Corridor:
    """Mid rate in fiat per dollar, and the margin subtracted from it."""

    mid: Decimal
    margin: Decimal


def _corridor(mid: str, margin_percent: str) -> Corridor:
    return Corridor(Decimal(mid), Decimal(margin_percent).scaleb(-2))


# Domestic dollars are exchanged one to one. Source: contract, lifecycles 7 (USD 1:1).
DOMESTIC: Mapping[str, Corridor] = {
    "usd": _corridor("1", "0"),
    "eur": _corridor("0.853", "0.3"),
    "hkd": _corridor("7.785", "0.3"),
    "cny": _corridor("6.99", "0.5"),
    "sgd": _corridor("1.285", "0.3"),
    "brl": _corridor("5.48", "0.5"),
    "mxn": _corridor("17.95", "0.5"),
    "cop": _corridor("3780", "0.8"),
    "ars": _corridor("1460", "1"),
    "ngn": _corridor("1435", "1"),
    "kes": _corridor("129.05", "1"),
    "zar": _corridor("16.52", "0.8"),
    "ghs": _corridor("10.65", "1.2"),
    "tzs": _corridor("2465", "1.2"),
    "ugx": _corridor("3615", "1.2"),
    "bwp": _corridor("13.2", "1"),
    "mwk": _corridor("1734", "1.5"),
    "rwf": _corridor("1456", "1.2"),
    "zmw": _corridor("22.4", "1.2"),
    "cdf": _corridor("2260", "1.5"),
    # Both currencies are pegged to the euro at 655.957.
    "xaf": _corridor("559.53", "1"),
    "xof": _corridor("559.53", "1"),
}
# Dollars to banks abroad, for payouts only.
ABROAD: Mapping[str, Corridor] = {
    "usd-hka": _corridor("1", "0.1"),
    "usd-chn": _corridor("1", "0.2"),
    "usd-sgp": _corridor("1", "0.1"),
}


def sandbox_price(source: str, destination: str) -> Price | None:
    """Return the price of a pair of coins, or of a coin and fiat; None for any other pair.

    The margin is included in the rate, which is rounded down; there is no further fee.
    """
    out_of = DOMESTIC.get(source)
    into = DOMESTIC.get(destination) or ABROAD.get(destination)
    if source in STABLECOINS and destination in STABLECOINS:
        return PAR
    if source in STABLECOINS and into is not None:
        return _price(into.mid * (1 - into.margin))
    if out_of is not None and destination in STABLECOINS:
        return _price(_DOWN.divide(1 - out_of.margin, out_of.mid))
    return None


def _price(rate: Decimal) -> Price:
    rounded = rate.quantize(_STEP, context=_DOWN)
    return Price(rate=Rate(rounded), fee_fraction=Decimal(0), as_of=None)
