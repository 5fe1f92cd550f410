"""Value in dollars beside amounts in other currencies.

A page gives its template `usd_rates`, a `UsdRates`. The macro `worth` shows nothing without them,
for dollars and coins that count as dollars, and for currencies without a rate.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from jinja2 import pass_context
from jinja2.runtime import Context

from landbridge.payments.transactions.model import CURRENCIES
from landbridge.providers.rates.valuation import UsdRates, is_dollar

_KNOWN: Final = {each.casefold(): each for each in CURRENCIES}


@pass_context
def usd_value(context: Context, amount: object, currency: str) -> Decimal | None:
    """Return what an amount in another currency is worth; None if there is nothing to show."""
    rates: UsdRates | None = context.get("usd_rates")
    known = _KNOWN.get(currency.casefold())
    if rates is None or known is None or is_dollar(known) or amount is None:
        return None
    return rates.value(Decimal(str(amount)), known)


def total_usd(amounts: Iterable[tuple[Decimal, str]], rates: UsdRates) -> Decimal | None:
    """Return what amounts of currencies are worth in dollars; None without a rate for one."""
    total = Decimal()
    for amount, currency in amounts:
        value = rates.value(amount, currency)
        if value is None:
            return None
        total += value
    return total
