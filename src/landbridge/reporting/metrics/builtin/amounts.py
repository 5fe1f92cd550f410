"""Amounts in tallies, by currency, so that different currencies are never added up.

Every asset has at most six decimals, so any amount is a whole number of millionths.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import cache

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Asset, units_as_decimal
from landbridge.providers.chains.tokens import ASSETS, TOKENS, Chain
from landbridge.providers.rails.currencies import FIAT, FIAT_ASSETS
from landbridge.reporting.metrics.model import Tally

_DECIMALS = 6
_ALL_ASSETS: Mapping[str, Asset] = {**ASSETS, **FIAT_ASSETS}
if any(each.decimals > _DECIMALS for each in _ALL_ASSETS.values()):
    raise InvariantBroken("an asset has more decimals than a tally")

STABLECOINS = tuple(dict.fromkeys(token.asset.currency for token in TOKENS.values()))
CURRENCIES = (*STABLECOINS, *FIAT)
CHAINS = tuple(str(chain) for chain in Chain)
# Currencies counted as dollars at par: all supported stablecoins are pegged to the dollar.
_DOLLARS = (*STABLECOINS, "usd")


def asset_of(code: str) -> Asset:
    """Return the asset with this code, for example `usdc:POLYGON` or `eur:BANK`."""
    return _ALL_ASSETS[code]


@cache
def code_on_any_chain(code: str) -> str:
    """Return the code of the first asset with the same currency and decimals, on any chain.

    Sums by this code combine chains, so there are fewer of them.
    """
    asset = _ALL_ASSETS[code]
    of = (asset.currency, asset.decimals)
    return next(code for code, each in _ALL_ASSETS.items() if (each.currency, each.decimals) == of)


def codes_of(currencies: Collection[str] | None, chains: Collection[str] | None) -> list[str]:
    """Return the codes of all assets of these currencies on these chains; None does not filter."""
    return [
        code
        for code, asset in _ALL_ASSETS.items()
        if (currencies is None or asset.currency in currencies)
        and (chains is None or asset.chain in chains)
    ]


def amount_name(side: str, asset: Asset) -> tuple[str, int]:
    """Return the tally name that `amount_of` and `dollars_of` read, and the factor to millionths.

    `side` is a label that keeps several amounts of one tally apart.
    """
    return _name(side, asset.currency), 10 ** (_DECIMALS - asset.decimals)


def amount_of(side: str, tally: Tally) -> Decimal | None:
    """Return the amount in whole coins; None if the tally has several currencies."""
    names = _names(side, CURRENCIES)
    # Amounts of zero, such as fully refunded ones, count for no currency.
    found = [units for name, units in tally.items() if units and name in names]
    return None if len(found) > 1 else units_as_decimal(sum(found), _DECIMALS)


def dollars_of(side: str, tally: Tally) -> Decimal:
    """Return the sum of dollars and dollar stablecoins at par, without other currencies."""
    names = _names(side, _DOLLARS)
    return units_as_decimal(
        sum([units for name, units in tally.items() if name in names]), _DECIMALS
    )


@cache
def _names(side: str, currencies: tuple[str, ...]) -> frozenset[str | int]:
    return frozenset(_name(side, each) for each in currencies)


def _name(side: str, currency: str) -> str:
    return f"{side}.{currency}"
