"""The organisation's own fees on top of a payout.

Source: contract, lifecycles 1.6: `PERCENTAGE` between 0 and 1 with at most four decimals, `FLAT` in
coins, at most ten beneficiaries; charged on top, paid with the debit, and not refunded when the
payout fails.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.payments.engine.amounts import parse_amount
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import AmountError, Asset, Money, Rounding, parse_units, share

BENEFICIARIES_MAX = 10
PERCENTAGE_DECIMALS = 4


class OfframpFeeType(StrEnum):
    """How a fee is computed."""

    PERCENTAGE = "PERCENTAGE"  # a fraction of the converted amount
    FLAT = "FLAT"  # a number of coins


class FeeLine(msgspec.Struct, frozen=True, kw_only=True):
    """Fee and its beneficiary; without an account and a user, its coins leave the platform."""

    type: OfframpFeeType
    value: Decimal
    wallet_address: str
    account_id: UUID | None = None
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class OfframpFee:
    """Fee with its computed amount."""

    line: FeeLine
    money: Money


def validate_fee_value(field: str, kind: OfframpFeeType, value: Decimal, asset: Asset) -> Decimal:
    """Return the validated value of a fee; raises `FieldInvalid` naming the field."""
    if kind is OfframpFeeType.FLAT:
        return parse_amount(field, value, asset).decimal
    try:
        units = parse_units(value, PERCENTAGE_DECIMALS)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
    if not 0 < units <= 10**PERCENTAGE_DECIMALS:
        raise FieldInvalid(f"{field} must be above 0 and at most 1", field=field)
    return value


def compute_fees(lines: Iterable[FeeLine], amount: Money) -> tuple[OfframpFee, ...]:
    """Compute the amount of each fee, rounded up."""
    return tuple(OfframpFee(each, _money(each, amount)) for each in lines)


def total(fees: Sequence[OfframpFee], asset: Asset) -> Money:
    """Sum the fees."""
    return Money(sum(each.money.units for each in fees), asset)


def _money(line: FeeLine, amount: Money) -> Money:
    match line.type:
        case OfframpFeeType.PERCENTAGE:
            return share(amount, line.value, Rounding.UP)
        case OfframpFeeType.FLAT:
            return Money.parse(line.value, amount.asset)
