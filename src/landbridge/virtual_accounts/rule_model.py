"""Settlement rules as they are stored. Source: contract, accounts 6.

A rule is a list of parts. Each takes a percentage of what a deposit was converted into, or a fixed
number of coins; always the same, or by tiers of that amount.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.chains.tokens import Chain

KIND = "ACCOUNT.SETTLEMENT_RULE"


class PartType(StrEnum):
    """What `value` is."""

    PERCENTAGE = "PERCENTAGE"
    """A fraction of the whole amount: 0.01 is one percent."""
    FIXED = "FIXED"
    """Coins."""


class CalculationModel(StrEnum):
    """Where `value` is from."""

    FIXED = "FIXED"
    """The part's own."""
    TIERED = "TIERED"
    """The tier that the amount falls into."""


class Tier(msgspec.Struct, frozen=True, kw_only=True):
    """From `least` (included; None from nothing on) up to `below` (excluded; None without end)."""

    least: Decimal | None
    below: Decimal | None
    value: Decimal

    def has(self, amount: Decimal) -> bool:
        """Whether an amount, in coins, falls into this tier."""
        return (self.least is None or self.least <= amount) and (
            self.below is None or amount < self.below
        )


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What one wallet receives of a deposit; exactly one of `value` and `tiers` is told."""

    type: PartType
    value: Decimal | None
    tiers: tuple[Tier, ...] | None
    wallet_address: str

    @property
    def model(self) -> CalculationModel:
        """Where the figure is from."""
        return CalculationModel.FIXED if self.tiers is None else CalculationModel.TIERED

    def figure(self, amount: Decimal) -> Decimal:
        """The fraction or the coins that apply to an amount; zero for none."""
        if self.tiers is None:
            return self.value or Decimal(0)
        return next((tier.value for tier in self.tiers if tier.has(amount)), Decimal(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementRule:
    """How deposits of the virtual accounts that it is applied to are divided."""

    org_id: UUID
    id: UUID
    chain: Chain
    includes_fee: bool
    parts: tuple[Part, ...]
    version: int
    created_at: datetime
    updated_at: datetime


def share_at_most(parts: Sequence[Part]) -> Decimal:
    """The largest sum of fractions that any one amount is charged.

    It changes only where a tier begins, so those amounts are all that have to be looked at.
    """
    shares = [part for part in parts if part.type is PartType.PERCENTAGE]
    begins = {Decimal(0)}
    for part in shares:
        begins |= {tier.least for tier in part.tiers or () if tier.least is not None}
    return max(sum((part.figure(each) for part in shares), Decimal(0)) for each in begins)
