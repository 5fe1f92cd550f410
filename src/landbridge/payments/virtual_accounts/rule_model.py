"""Settlement rules as stored, and how they split a deposit. Source: contract, accounts 6.

A rule is a list of parts. Each part is a percentage of the converted deposit or a fixed number of
coins. Its value is constant, or depends on the amount by tiers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money, Rounding, share
from landbridge.providers.chains.tokens import Chain

KIND = "ACCOUNT.SETTLEMENT_RULE"


class PartType(StrEnum):
    """Whether `value` is a fraction of the deposit or a number of coins."""

    PERCENTAGE = "PERCENTAGE"
    """A fraction of the whole amount: 0.01 is one percent."""
    FIXED = "FIXED"
    """A number of coins."""


class CalculationModel(StrEnum):
    """Whether the value is constant, or depends on the amount by tiers."""

    FIXED = "FIXED"
    """The value is that of the part, for every amount."""
    TIERED = "TIERED"
    """The value is that of the tier that the amount falls into."""


class Tier(msgspec.Struct, frozen=True, kw_only=True):
    """Range from `least` (included; None: zero) to `below` (excluded; None: unbounded)."""

    minimum: Decimal | None
    below: Decimal | None
    value: Decimal

    def has(self, amount: Decimal) -> bool:
        """Return whether an amount, in coins, falls into this tier."""
        return (self.minimum is None or self.minimum <= amount) and (
            self.below is None or amount < self.below
        )


class RulePart(msgspec.Struct, frozen=True, kw_only=True):
    """Share of one wallet in a deposit; exactly one of `value` and `tiers` is set."""

    type: PartType
    value: Decimal | None
    tiers: tuple[Tier, ...] | None
    wallet_address: str

    @property
    def model(self) -> CalculationModel:
        """Calculation model: FIXED with `value`, TIERED with `tiers`."""
        return CalculationModel.FIXED if self.tiers is None else CalculationModel.TIERED

    def value_for(self, amount: Decimal) -> Decimal:
        """Return the fraction or coins that apply to an amount (in coins); zero if no tier fits."""
        if self.tiers is None:
            return self.value or Decimal(0)
        return next((tier.value for tier in self.tiers if tier.has(amount)), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementRule:
    """Split of deposits on the virtual accounts to which the rule is applied."""

    org_id: UUID
    id: UUID
    chain: Chain
    includes_fee: bool
    parts: tuple[RulePart, ...]
    version: int
    created_at: datetime
    updated_at: datetime


def max_total_share(parts: Sequence[RulePart]) -> Decimal:
    """Return the largest sum of the parts' fractions for any deposit.

    The sum changes only at the lower bounds of tiers, so only these amounts are checked.
    """
    shares = [part for part in parts if part.type is PartType.PERCENTAGE]
    thresholds = {Decimal(0)}
    for part in shares:
        thresholds |= {tier.minimum for tier in part.tiers or () if tier.minimum is not None}
    return max(sum((part.value_for(each) for part in shares), Decimal(0)) for each in thresholds)


class SplitPart(NamedTuple):
    """Share of one wallet in a deposit; never zero."""

    address: str
    money: Money


@dataclass(frozen=True, slots=True)
class DepositSplit:
    """Deposit split into parts and a remainder; `parts` may have one wallet more than once.

    Guarantees:
    - The parts and the remainder always sum to the amount, to the smallest unit.
    - Parts are computed in the order of the rule, each on the whole amount, and rounded down;
      rounding favours the user.
    - No part exceeds what the previous parts left, so a deposit smaller than the fees is split as
      far as it goes, and never fails.
    """

    parts: tuple[SplitPart, ...]
    remainder: Money


def split(rule: SettlementRule | None, amount: Money) -> DepositSplit:
    """Split a converted deposit by a rule; without a rule, all of it is the remainder."""
    if amount.units < 0:
        raise InvariantBroken(f"{amount} can't be divided")
    if rule is None:
        return DepositSplit((), amount)
    if rule.chain != amount.asset.chain:
        raise InvariantBroken(f"rule {rule.id} is for {rule.chain}, not for {amount.asset.code}")
    parts: list[SplitPart] = []
    remainder = amount
    for part in rule.parts:
        money = min(_share(part, amount), remainder)
        if money.units:
            parts.append(SplitPart(part.wallet_address, money))
            remainder -= money
    return DepositSplit(tuple(parts), remainder)


def _share(part: RulePart, amount: Money) -> Money:
    """Return the share of a part in the whole amount, before it is limited to what is left."""
    value_for = part.value_for(amount.decimal)
    match part.type:
        case PartType.PERCENTAGE:
            return share(amount, value_for, Rounding.DOWN)
        case PartType.FIXED:
            return Money.parse(value_for, amount.asset)
