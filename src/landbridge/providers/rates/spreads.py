"""Spreads on market prices: basis points by pair, by currency, or by default.

Format: `default=30,brl=50,usdc/usdt=5`. The pair takes precedence over the currency, in either
direction, and the currency over the default.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

_DEFAULT = "default"
_NAME = re.compile(r"[a-zA-Z]{3,10}(?:/[a-zA-Z]{3,10})?")
_POINTS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,2})?")
# Maximum of ten per cent: a higher spread is assumed to be a typing error.
_POINTS_MAX = Decimal(1_000)
# Default spread of half a per cent, if none is configured.
_STANDARD = Decimal(50)


@dataclass(frozen=True, slots=True)
class Spreads:
    """Spreads in basis points, by sorted pair or by a single currency."""

    by_name: Mapping[tuple[str, ...], Decimal]
    default: Decimal

    def fraction(self, source: str, destination: str) -> Decimal:
        """Return the spread as a fraction of the mid price: 0.003 is thirty basis points.

        If both currencies have a spread, the larger one applies.
        """
        found = self.by_name.get(_key(source, destination))
        if found is None:
            each = [self.by_name.get((currency,)) for currency in (source, destination)]
            found = max((points for points in each if points is not None), default=self.default)
        return found.scaleb(-4)


def read_spreads(text: str | None) -> Spreads:
    """Parse the spreads in a setting; raises `ValueError`."""
    by_name: dict[tuple[str, ...], Decimal] = {}
    default: Decimal | None = None
    for line in (text or "").split(","):
        if not line.strip():
            continue
        name, _, value = (part.strip() for part in line.partition("="))
        if not _NAME.fullmatch(name) or not _POINTS.fullmatch(value):
            raise ValueError("must be basis points, as in default=30,brl=50,usdc/usdt=5")
        points = Decimal(value)
        if points > _POINTS_MAX:
            raise ValueError(f"must not have more than {_POINTS_MAX} basis points")
        key = _key(*name.split("/"))
        if key in by_name or (name == _DEFAULT and default is not None):
            raise ValueError(f"has {name} twice")
        if name == _DEFAULT:
            default = points
        else:
            by_name[key] = points
    return Spreads(by_name, _STANDARD if default is None else default)


def _key(*currencies: str) -> tuple[str, ...]:
    return tuple(sorted(currencies))
