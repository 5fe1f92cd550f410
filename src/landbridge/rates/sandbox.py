"""Sandbox prices: every stablecoin at par, for a small fee."""

from decimal import Decimal

from landbridge.core.money import Rate
from landbridge.rates.port import Price

# Ten basis points: visible in every example, small enough to be plausible.
PAR = Price(rate=Rate(Decimal(1)), fee_fraction=Decimal("0.001"), as_of=None)
