"""Settlement rules as stored. Source: contract, accounts 6.

A rule is a list of parts. Each part is a percentage of the converted deposit or a fixed number of
coins. Its value is constant, or depends on the amount by tiers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.providers.chains.tokens import Chain

KIND = "ACCOUNT.SETTLEMENT_RULE"


class PartType(StrEnum):
    """Meaning of `value`."""

    PERCENTAGE = "PERCENTAGE"
    """A fraction of the whole amount: 0.01 is one percent."""
    FIXED = "FIXED"
    """Coins."""


class CalculationModel(StrEnum):
    """Origin of `value`."""

    FIXED = "FIXED"
    """The part's own."""
    TIERED = "TIERED"
    """The tier that the amount falls into."""


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
        """Origin of the value: constant or by tiers."""
        return CalculationModel.FIXED if self.tiers is None else CalculationModel.TIERED

    def value_for(self, amount: Decimal) -> Decimal:
        """Return the fraction or the coins that apply to an amount; zero if none do."""
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
    """Return the largest sum of fractions for any amount.

    The sum changes only at lower bounds of tiers, so only those amounts are checked.
    """
    shares = [part for part in parts if part.type is PartType.PERCENTAGE]
    thresholds = {Decimal(0)}
    for part in shares:
        thresholds |= {tier.minimum for tier in part.tiers or () if tier.minimum is not None}
    return max(sum((part.value_for(each) for part in shares), Decimal(0)) for each in thresholds)
