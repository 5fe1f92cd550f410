"""Value of money in dollars, for reports and responses; never used for conversions."""

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, Context, Decimal

from landbridge.platform.core.money import Money
from landbridge.providers.rates.reference import ReferenceRates
from landbridge.providers.rates.sandbox import DOMESTIC, STABLECOINS

_CENT = Decimal("0.01")
# Units have 38 digits and rates 30; rounded once, at the end.
_EXACT = Context(prec=90, rounding=ROUND_DOWN)


@dataclass(frozen=True, slots=True)
class Valuation:
    """Values money at reference rates, or at the sandbox's table if there are none."""

    reference: ReferenceRates
    has_table: bool

    async def in_usd(self, money: Money, on: date) -> Decimal | None:
        """Return dollars and cents, rounded down, at the last rates on or before a day.

        Dollars and stablecoins count at par. None if no rate is at most ten days older than the
        day.
        """
        currency = money.asset.currency
        if currency == "usd" or currency in STABLECOINS:
            return money.decimal.quantize(_CENT, context=_EXACT)
        found = await self.reference.cross(currency, on)
        if found is not None:
            return _cross(money.decimal, found.usd_per_eur, found.per_eur)
        if self.has_table and currency in DOMESTIC:
            return _cross(money.decimal, Decimal(1), DOMESTIC[currency].mid)
        return None


def _cross(amount: Decimal, usd: Decimal, other: Decimal) -> Decimal:
    dollars = _EXACT.divide(_EXACT.multiply(amount, usd), other)
    return dollars.quantize(_CENT, context=_EXACT)
