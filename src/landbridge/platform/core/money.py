"""Money: whole smallest units of one asset, never a float.

Guarantees:
- A `Money` is exact: parsing refuses what does not fit the asset's decimals, and never rounds.
- Arithmetic stays within one asset; anything else is a bug (`InvariantBroken`).
- Rounding is an argument without a default. Customers receive amounts rounded down and are charged
  amounts rounded up.
"""

from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation
from enum import Enum

from landbridge.platform.core.errors import InvariantBroken

# Units are NUMERIC(38,0) in the database; 60 digits leave room for products of units and rates. A
# larger number raises instead of being rounded.
_EXACT = Context(prec=60, traps=[Inexact, InvalidOperation])
UNITS_DIGITS_MAX = 38
RATE_DECIMALS = 18


class Rounding(Enum):
    """Direction in which a fractional number of units is rounded."""

    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True, order=True)
class Asset:
    """Currency on one chain: the same coin may have other decimals on another chain.

    `code` is the form that is stored and posted, such as `usdc:POLYGON`.
    """

    currency: str
    chain: str
    decimals: int

    @property
    def code(self) -> str:
        """Return the asset's code as it is stored in the database, for example `usdc:POLYGON`."""
        return f"{self.currency}:{self.chain}"


class AmountError(ValueError):
    """Raised for an amount that is not a plain decimal number, or has too many decimals."""


@dataclass(frozen=True, slots=True)
class Money:
    """Amount in smallest `units` of `asset`; negative for a decrease, never fractional."""

    units: int
    asset: Asset

    @classmethod
    def parse(cls, text: str | Decimal | int, asset: Asset) -> "Money":
        """Parse `10.50` as it arrives over HTTP.

        Raises `AmountError` for anything but a finite, plain decimal (no exponent in text) that
        fits the asset's decimals and 38 digits.
        """
        return cls(parse_units(text, asset.decimals), asset)

    def __add__(self, other: "Money") -> "Money":
        return Money(self.units + self._same(other).units, self.asset)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.units - self._same(other).units, self.asset)

    def __neg__(self) -> "Money":
        return Money(-self.units, self.asset)

    def __lt__(self, other: "Money") -> bool:
        return self.units < self._same(other).units

    def __le__(self, other: "Money") -> bool:
        return self.units <= self._same(other).units

    def __gt__(self, other: "Money") -> bool:
        return self.units > self._same(other).units

    def __ge__(self, other: "Money") -> bool:
        return self.units >= self._same(other).units

    def __str__(self) -> str:
        return f"{self.decimal:f}"

    @property
    def decimal(self) -> Decimal:
        """Return the amount in whole coins, without trailing zeros: 10500000 units are `10.5`."""
        return units_as_decimal(self.units, self.asset.decimals)

    def split(self, weights: list[int]) -> list["Money"]:
        """Divide by `weights`; the parts always sum to the whole.

        Each part is rounded down; the remainder goes, unit by unit, to the first parts with a
        weight.
        """
        total = sum(weights)
        if not weights or min(weights) < 0 or total == 0 or self.units < 0:
            raise InvariantBroken("split needs a positive amount and weights that are not all zero")
        parts = [self.units * weight // total for weight in weights]
        remainder = self.units - sum(parts)
        for index, weight in enumerate(weights):
            if remainder and weight:
                parts[index] += 1
                remainder -= 1
        return [Money(part, self.asset) for part in parts]

    def _same(self, other: "Money") -> "Money":
        if self.asset != other.asset:
            raise InvariantBroken(f"{self.asset.code} and {other.asset.code} do not mix")
        return other


@dataclass(frozen=True, slots=True)
class Rate:
    """Coins received per coin sent: an exact decimal above zero with at most 18 decimals."""

    value: Decimal

    def __post_init__(self) -> None:
        exponent = self.value.as_tuple().exponent
        if not isinstance(exponent, int) or -exponent > RATE_DECIMALS or self.value <= 0:
            raise InvariantBroken(f"{self.value} is not a rate")

    def convert(self, money: Money, into: Asset, rounding: Rounding) -> Money:
        """Return `money` at this rate, in units of `into`."""
        return Money(_scaled(money, into, self.value, None, rounding), into)

    def invert(self, money: Money, into: Asset, rounding: Rounding) -> Money:
        """Return the amount of `into` that has to be sent to receive `money` at this rate."""
        return Money(_scaled(money, into, None, self.value, rounding), into)

    def __str__(self) -> str:
        return f"{_EXACT.normalize(self.value):f}"


def share(money: Money, fraction: Decimal, rounding: Rounding) -> Money:
    """Return `fraction` of `money`, such as a fee: `share(m, Decimal("0.001"), Rounding.UP)`."""
    return Money(_scaled(money, money.asset, fraction, None, rounding), money.asset)


def parse_units(text: str | Decimal | int, decimals: int) -> int:
    """Return a plain decimal in smallest units; raises `AmountError` instead of rounding."""
    if isinstance(text, str) and not _is_plain(text):
        raise AmountError("is not a plain decimal number")
    try:
        value = Decimal(text, _EXACT)
    except InvalidOperation as error:
        raise AmountError("is not a decimal number") from error
    if not value.is_finite():
        raise AmountError("is not a finite number")
    # The exponent is checked first: 1e400 must not become a number of 400 digits.
    if value and value.adjusted() + decimals >= UNITS_DIGITS_MAX:
        raise AmountError("is too large")
    if value and value.adjusted() < -decimals:
        raise AmountError(f"has more than {decimals} decimals")
    try:
        # Inexact means more than sixty digits, which at this point only a fraction can have.
        return int(_EXACT.to_integral_exact(_EXACT.scaleb(value, decimals)))
    except Inexact as error:
        raise AmountError(f"has more than {decimals} decimals") from error


def units_as_decimal(units: int, decimals: int) -> Decimal:
    """Return smallest units as whole coins, exact and without trailing zeros."""
    whole, rest = divmod(units, 10**decimals)
    # `normalize` would give whole tens an exponent.
    if not rest:
        return _EXACT.create_decimal(whole)
    return _EXACT.normalize(_EXACT.scaleb(units, -decimals))


def _scaled(
    money: Money, into: Asset, times: Decimal | None, over: Decimal | None, rounding: Rounding
) -> int:
    """Multiply or divide `money` by a decimal into units of `into`, in integers only."""
    up, down = (Decimal(1) if times is None else times).as_integer_ratio()
    if over is not None:
        down, up = over.as_integer_ratio()
    numerator = money.units * up * 10**into.decimals
    denominator = down * 10**money.asset.decimals
    match rounding:
        case Rounding.DOWN:
            return numerator // denominator
        case Rounding.UP:
            return -(-numerator // denominator)


def _is_plain(text: str) -> bool:
    """Return whether the text is ASCII digits, at most one inner point and one leading minus."""
    digits = text.removeprefix("-")
    integer_part, point, fraction = digits.partition(".")
    return (
        len(text) <= 2 * UNITS_DIGITS_MAX
        and integer_part.isascii()
        and integer_part.isdigit()
        and (not point or (fraction.isascii() and fraction.isdigit()))
    )
