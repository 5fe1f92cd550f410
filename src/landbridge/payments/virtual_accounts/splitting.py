"""Split of an amount by a settlement rule.

Guarantees:
- The parts and the remainder always sum to the amount, to the smallest unit.
- Parts are computed in the order of the rule, each on the whole amount, and rounded down; rounding
  favours the user.
- No part exceeds what the previous parts left, so a deposit smaller than the fees is split as far
  as it goes, and never fails.
"""

from dataclasses import dataclass
from typing import NamedTuple

from landbridge.payments.virtual_accounts.rule_model import PartType, RulePart, SettlementRule
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money, Rounding, share


class SplitPart(NamedTuple):
    """Share of one wallet; never zero."""

    address: str
    money: Money


@dataclass(frozen=True, slots=True)
class DepositSplit:
    """A split amount. One wallet may be in `parts` more than once."""

    parts: tuple[SplitPart, ...]
    remainder: Money


def split(rule: SettlementRule | None, amount: Money) -> DepositSplit:
    """Split a converted deposit; without a rule, the remainder is all of it."""
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
    """Return the share of a part in an amount that is large enough."""
    value_for = part.value_for(amount.decimal)
    match part.type:
        case PartType.PERCENTAGE:
            return share(amount, value_for, Rounding.DOWN)
        case PartType.FIXED:
            return Money.parse(value_for, amount.asset)
