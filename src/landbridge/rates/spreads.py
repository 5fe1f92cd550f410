"""What is kept of market prices: basis points by pair, by currency, or for all the rest.

Written as `default=30,brl=50,usdc/usdt=5`: the pair counts before the currency, whichever way it is
written, and the currency before the default.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

_DEFAULT = "default"
_NAME = re.compile(r"[a-zA-Z]{3,10}(?:/[a-zA-Z]{3,10})?")
_POINTS = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,2})?")
# Ten per cent: more is a slip of the pen.
_POINTS_MAX = Decimal(1_000)
# Half a per cent, where nobody says anything.
_STANDARD = Decimal(50)


@dataclass(frozen=True, slots=True)
class Spreads:
    """Basis points by sorted pair, or by one currency."""

    by_name: Mapping[tuple[str, ...], Decimal]
    rest: Decimal

    def fraction(self, source: str, destination: str) -> Decimal:
        """The part of a mid price that is kept: 0.003 is thirty basis points.

        Of two currencies with a spread each, the larger one counts.
        """
        found = self.by_name.get(_key(source, destination))
        if found is None:
            each = [self.by_name.get((currency,)) for currency in (source, destination)]
            found = max((points for points in each if points is not None), default=self.rest)
        return found.scaleb(-4)


def read_spreads(text: str | None) -> Spreads:
    """The spreads that a setting has; raises `ValueError`."""
    by_name: dict[tuple[str, ...], Decimal] = {}
    rest: Decimal | None = None
    for line in (text or "").split(","):
        if not line.strip():
            continue
        name, _, told = (part.strip() for part in line.partition("="))
        if not _NAME.fullmatch(name) or not _POINTS.fullmatch(told):
            raise ValueError("must be basis points, as in default=30,brl=50,usdc/usdt=5")
        points = Decimal(told)
        if points > _POINTS_MAX:
            raise ValueError(f"must not have more than {_POINTS_MAX} basis points")
        key = _key(*name.split("/"))
        if key in by_name or (name == _DEFAULT and rest is not None):
            raise ValueError(f"has {name} twice")
        if name == _DEFAULT:
            rest = points
        else:
            by_name[key] = points
    return Spreads(by_name, _STANDARD if rest is None else rest)


def _key(*currencies: str) -> tuple[str, ...]:
    return tuple(sorted(currencies))
