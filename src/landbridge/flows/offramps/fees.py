"""Fees of the organisation's own, on top of what is paid out.

Source: contract, lifecycles 1.6: `PERCENTAGE` between 0 and 1 with at most four decimals, `FLAT`
coins, at most ten beneficiaries; charged on top, paid with the debit, and not taken back when the
payout fails.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, Asset, Money, Rounding, parse_units, share
from landbridge.payments.amounts import parse_amount

BENEFICIARIES_MAX = 10
PERCENTAGE_DECIMALS = 4


class FeeType(StrEnum):
    """How a fee is computed."""

    PERCENTAGE = "PERCENTAGE"  # a fraction of what is converted
    FLAT = "FLAT"  # so many coins


class FeeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A fee and who gets it; without an account and its user the coins leave the platform."""

    type: FeeType
    value: Decimal
    wallet_address: str
    account_id: UUID | None = None
    user_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Fee:
    """A fee and what it comes to."""

    line: FeeLine
    money: Money


def checked_value(field: str, kind: FeeType, value: Decimal, asset: Asset) -> Decimal:
    """The value of a fee; raises `FieldInvalid` naming the field."""
    if kind is FeeType.FLAT:
        return parse_amount(field, value, asset).decimal
    try:
        units = parse_units(value, PERCENTAGE_DECIMALS)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
    if not 0 < units <= 10**PERCENTAGE_DECIMALS:
        raise FieldInvalid(f"{field} must be above 0 and at most 1", field=field)
    return value


def computed(lines: Iterable[FeeLine], amount: Money) -> tuple[Fee, ...]:
    """What each fee comes to, rounded up."""
    return tuple(Fee(each, _money(each, amount)) for each in lines)


def total(fees: Sequence[Fee], asset: Asset) -> Money:
    """What all of them come to."""
    return Money(sum(each.money.units for each in fees), asset)


def _money(line: FeeLine, amount: Money) -> Money:
    match line.type:
        case FeeType.PERCENTAGE:
            return share(amount, line.value, Rounding.UP)
        case FeeType.FLAT:
            return Money.parse(line.value, amount.asset)
