"""What a settlement rule makes of an amount.

Guarantees:
- the parts and what is left always sum to the amount, to the smallest unit;
- parts run in the order of the rule, each on the whole amount, and are rounded down: what rounding
  leaves stays with the user;
- no part takes more than those before it have left, so a deposit that is smaller than the fees is
  divided as far as it goes, and never fails.
"""

from dataclasses import dataclass
from typing import NamedTuple

from landbridge.core.errors import Broken
from landbridge.core.money import Money, Rounding, share
from landbridge.virtual_accounts.rule_model import Part, PartType, SettlementRule


class Taken(NamedTuple):
    """What one wallet receives; never nothing."""

    address: str
    money: Money


@dataclass(frozen=True, slots=True)
class Split:
    """An amount, divided. One wallet may be in `parts` more than once."""

    parts: tuple[Taken, ...]
    left: Money


def split(rule: SettlementRule | None, amount: Money) -> Split:
    """Divide what a deposit was converted into; without a rule, all of it is left."""
    if amount.units < 0:
        raise Broken(f"{amount} can't be divided")
    if rule is None:
        return Split((), amount)
    if rule.chain != amount.asset.chain:
        raise Broken(f"rule {rule.id} is for {rule.chain}, not for {amount.asset.code}")
    taken: list[Taken] = []
    left = amount
    for part in rule.parts:
        money = min(_wanted(part, amount), left)
        if money.units:
            taken.append(Taken(part.wallet_address, money))
            left -= money
    return Split(tuple(taken), left)


def _wanted(part: Part, amount: Money) -> Money:
    """What a part takes of an amount that is large enough."""
    figure = part.figure(amount.decimal)
    match part.type:
        case PartType.PERCENTAGE:
            return share(amount, figure, Rounding.DOWN)
        case PartType.FIXED:
            return Money.parse(figure, amount.asset)
