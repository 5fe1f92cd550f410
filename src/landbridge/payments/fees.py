"""An organisation's own fee on a payment. Source: contract, lifecycles 1.6."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import Money, Rounding, share
from landbridge.payments.amounts import parse_amount

# A fraction goes to a hundredth of a basis point.
_FRACTION_PLACES = 6


class FeeType(StrEnum):
    """How a fee is told."""

    FIX = "FIX"  # coins
    PERCENT = "PERCENT"  # a fraction: 0.01 is 1 %


@dataclass(frozen=True, slots=True)
class Fee:
    """A fee as it is told."""

    type: FeeType
    value: Decimal

    def of(self, amount: Money) -> Money:
        """What it comes to on `amount`, rounded up to the unit.

        Raises `FieldInvalid` for what is more than the amount itself, or no plain decimal.
        """
        match self.type:
            case FeeType.FIX:
                fee = parse_amount("fee.value", self.value, amount.asset) if self.value else None
                if fee is not None and fee > amount:
                    raise FieldInvalid("fee.value is more than the amount", field="fee.value")
                return fee or Money(0, amount.asset)
            case FeeType.PERCENT:
                return share(amount, self.fraction(), Rounding.UP)

    def fraction(self) -> Decimal:
        """The value of a `PERCENT`; raises `FieldInvalid` if it is no fraction."""
        exponent = self.value.as_tuple().exponent
        is_fine = isinstance(exponent, int) and -exponent <= _FRACTION_PLACES
        if not is_fine or not 0 <= self.value <= 1:
            raise FieldInvalid(
                "fee.value: a PERCENT is a fraction from 0 to 1 (0.01 is 1 %) with at most "
                f"{_FRACTION_PLACES} decimals",
                field="fee.value",
            )
        return self.value
