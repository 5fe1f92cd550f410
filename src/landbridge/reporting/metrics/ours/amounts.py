"""Amounts in tallies: by currency, so that coins of different ones are never added up.

Every asset has at most six decimals, so that millionths of any are whole numbers.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import cache

from landbridge.chains.tokens import ASSETS, TOKENS, Chain
from landbridge.core.errors import Broken
from landbridge.core.money import Asset, units_as_decimal
from landbridge.rails.currencies import FIAT, FIAT_ASSETS
from landbridge.reporting.metrics.model import Tally

_DECIMALS = 6
_ALL_ASSETS: Mapping[str, Asset] = {**ASSETS, **FIAT_ASSETS}
if any(each.decimals > _DECIMALS for each in _ALL_ASSETS.values()):
    raise Broken("an asset has more decimals than a tally")

STABLECOINS = tuple(dict.fromkeys(token.asset.currency for token in TOKENS.values()))
CURRENCIES = (*STABLECOINS, *FIAT)
CHAINS = tuple(str(chain) for chain in Chain)
# Every stablecoin here is a dollar's: it counts at par, as in the contract's templates.
_DOLLARS = (*STABLECOINS, "usd")


def asset_of(code: str) -> Asset:
    """The asset of this code, as in `usdc:POLYGON` or `eur:BANK`."""
    return _ALL_ASSETS[code]


def codes_of(currencies: Collection[str] | None, chains: Collection[str] | None) -> list[str]:
    """The codes of all assets of these currencies on these chains; None for any."""
    return [
        code
        for code, asset in _ALL_ASSETS.items()
        if (currencies is None or asset.currency in currencies)
        and (chains is None or asset.chain in chains)
    ]


def amount_name(side: str, asset: Asset) -> tuple[str, int]:
    """Where `amount_of` and `dollars_of` look for smallest units of an asset, and times what.

    `side` is any word.
    """
    return _name(side, asset.currency), 10 ** (_DECIMALS - asset.decimals)


def amount_of(side: str, tally: Tally) -> Decimal | None:
    """Whole coins; None if there are coins of several currencies in it."""
    names = _names(side, CURRENCIES)
    # What was given back whole leaves no currency behind.
    found = [units for name, units in tally.items() if units and name in names]
    return None if len(found) > 1 else units_as_decimal(sum(found), _DECIMALS)


def dollars_of(side: str, tally: Tally) -> Decimal:
    """Dollars, and coins that stand for dollars at par; what else is in it is left out."""
    names = _names(side, _DOLLARS)
    return units_as_decimal(sum(units for name, units in tally.items() if name in names), _DECIMALS)


@cache
def _names(side: str, currencies: tuple[str, ...]) -> frozenset[str | int]:
    return frozenset(_name(side, each) for each in currencies)


def _name(side: str, currency: str) -> str:
    return f"{side}.{currency}"
