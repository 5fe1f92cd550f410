"""Value of money in dollars, for reports, lists and responses; never used for conversions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, Context, Decimal

from landbridge.platform.core.money import RATE_DECIMALS, Money
from landbridge.providers.rates.reference import CrossRate, ReferenceRates
from landbridge.providers.rates.sandbox import DOMESTIC, STABLECOINS

_CENT, _RATE_STEP = Decimal("0.01"), Decimal(1).scaleb(-RATE_DECIMALS)
# Digits for units (38) and rates (30); the result is rounded once, at the end.
_EXACT = Context(prec=90, rounding=ROUND_DOWN)
_PAR = CrossRate(Decimal(1), Decimal(1))


@dataclass(frozen=True, slots=True)
class UsdRates:
    """Dollar rates of one day, by currency. Dollars and stablecoins are valued at par."""

    rates: Mapping[str, CrossRate]

    def value(self, amount: Decimal, currency: str) -> Decimal | None:
        """Return an amount in dollars, rounded down to cents; None without a rate."""
        return self._convert(amount, currency, _CENT)

    def per_unit(self, currency: str) -> Decimal | None:
        """Return dollars per unit with 18 decimals, to compare amounts; None without a rate."""
        return self._convert(Decimal(1), currency, _RATE_STEP)

    def _convert(self, amount: Decimal, currency: str, step: Decimal) -> Decimal | None:
        rate = _PAR if is_dollar(currency) else self.rates.get(currency)
        if rate is None:
            return None
        dollars = _EXACT.divide(_EXACT.multiply(amount, rate.usd_per_eur), rate.per_eur)
        return dollars.quantize(step, context=_EXACT)


@dataclass(frozen=True, slots=True)
class Valuation:
    """Values money at reference rates; with `has_table`, the sandbox's table has missing rates."""

    reference: ReferenceRates
    has_table: bool

    async def in_usd(self, money: Money, on: date) -> Decimal | None:
        """Return money in dollars, rounded down to cents; None without a rate."""
        rates = await self.rates([money.asset.currency], on)
        return rates.value(money.decimal, money.asset.currency)

    async def rates(self, currencies: Collection[str], on: date) -> UsdRates:
        """Return the last rates on or before a day, at most ten days older."""
        foreign = sorted({each for each in currencies if not is_dollar(each)})
        table = {
            each: CrossRate(DOMESTIC[each].mid, _PAR.usd_per_eur)
            for each in foreign
            if self.has_table and each in DOMESTIC
        }
        return UsdRates({**table, **await self.reference.cross(foreign, on)})


def is_dollar(currency: str) -> bool:
    """Return whether a currency is the dollar, or a coin that counts as one."""
    return currency == "usd" or currency in STABLECOINS
