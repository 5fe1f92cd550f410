"""An organisation's own fee on a payment. Source: contract, lifecycles 1.6."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from landbridge.payments.engine.amounts import parse_amount
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Money, Rounding, share

# Decimals of a fraction: a hundredth of a basis point.
_FRACTION_PLACES = 6


class FeeType(StrEnum):
    """Type of a fee."""

    FIX = "FIX"  # a fixed amount of coins
    PERCENT = "PERCENT"  # a fraction: 0.01 is 1 %


@dataclass(frozen=True, slots=True)
class OrganisationFee:
    """Fee as requested."""

    type: FeeType
    value: Decimal

    def of(self, amount: Money) -> Money:
        """Return the fee on `amount`, rounded up to the unit.

        Raises `FieldInvalid` if it exceeds the amount or is no plain decimal.
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
        """Return the value of a `PERCENT`; raises `FieldInvalid` if it is no fraction."""
        exponent = self.value.as_tuple().exponent
        is_fine = isinstance(exponent, int) and -exponent <= _FRACTION_PLACES
        if not is_fine or not 0 <= self.value <= 1:
            raise FieldInvalid(
                "fee.value: a PERCENT is a fraction from 0 to 1 (0.01 is 1 %) with at most "
                f"{_FRACTION_PLACES} decimals",
                field="fee.value",
            )
        return self.value
