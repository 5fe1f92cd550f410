"""What a settlement rule may say. Source: contract, accounts 6 and interface/settlement-rules.

Where the contract is silent, fees of all kinds are read alike: a percentage is a fraction from 0
to 1 with at most four decimals, as in developer fees.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from landbridge.chains.tokens import Chain
from landbridge.core.errors import FieldInvalid
from landbridge.core.money import AmountError, parse_units, units_as_decimal
from landbridge.virtual_accounts.rule_model import (
    CalculationModel,
    Part,
    PartType,
    Tier,
    share_at_most,
)
from landbridge.virtual_accounts.rule_wire import NewPart, NewRule, part_replies
from landbridge.wallets.service import checked_address
from landbridge.web.body import as_asked

# A part is a payment of its own; as many as fit one transaction without haste.
PARTS_MAX = 20
TIERS_MAX = 20
FRACTION_DECIMALS = 4
# Of every stablecoin that we know (chains.tokens).
COIN_DECIMALS = 6
# Far beyond any deposit, far below what the books hold.
_COINS_MAX = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a rule is to say, checked."""

    chain: Chain
    includes_fee: bool
    parts: tuple[Part, ...]

    def as_told(self) -> dict[str, Any]:
        """In the contract's words and one spelling each, to compare a replay with."""
        return {
            "chain": self.chain,
            "includeHIFIFee": self.includes_fee,
            "rules": [as_asked(each) for each in part_replies(self.parts)],
        }


def read_rule(told: NewRule) -> Asked:
    """What was asked for; raises `FieldInvalid`, naming the field."""
    if not 1 <= len(told.rules) <= PARTS_MAX:
        raise FieldInvalid(f"rules must have 1 to {PARTS_MAX} members", field="rules")
    parts = tuple(
        _part(f"rules[{place}]", told.chain, each) for place, each in enumerate(told.rules)
    )
    if share_at_most(parts) > 1:
        raise FieldInvalid("rules: the percentages sum to more than the whole", field="rules")
    return Asked(chain=told.chain, includes_fee=told.includes_fee, parts=parts)


def _part(field: str, chain: Chain, told: NewPart) -> Part:
    value: Decimal | None = None
    tiers: tuple[Tier, ...] | None = None
    match told.calculation_model:
        case CalculationModel.FIXED:
            if told.value is None:
                raise FieldInvalid(f"{field}.value is required", field=f"{field}.value")
            _check_absent(f"{field}.tiers", told.tiers, "TIERED")
            value = _figure(f"{field}.value", told.type, told.value)
        case CalculationModel.TIERED:
            _check_absent(f"{field}.value", told.value, "FIXED")
            tiers = _tiers(f"{field}.tiers", told)
    return Part(
        type=told.type,
        value=value,
        tiers=tiers,
        wallet_address=checked_address(chain, told.wallet_address, field=f"{field}.walletAddress"),
    )


def _check_absent(field: str, told: object, model: str) -> None:
    if told is not None:
        raise FieldInvalid(f"{field} is for calculationModel {model} only", field=field)


def _tiers(field: str, told: NewPart) -> tuple[Tier, ...]:
    if told.tiers is None or not 1 <= len(told.tiers) <= TIERS_MAX:
        raise FieldInvalid(f"{field} must have 1 to {TIERS_MAX} members", field=field)
    tiers = tuple(
        Tier(
            least=_bound(f"{field}[{place}].min", each.min),
            below=_bound(f"{field}[{place}].max", each.max),
            value=_figure(f"{field}[{place}].value", told.type, each.value),
        )
        for place, each in enumerate(told.tiers)
    )
    _check_run(field, tiers)
    return tiers


def _check_run(field: str, tiers: Sequence[Tier]) -> None:
    """Raise unless the tiers follow each other without a gap, from nothing on and without end."""
    if tiers[0].least is not None:
        raise FieldInvalid(f'{field}[0].min must be ""', field=f"{field}[0].min")
    last = len(tiers) - 1
    if tiers[last].below is not None:
        raise FieldInvalid(f'{field}[{last}].max must be ""', field=f"{field}[{last}].max")
    for place, (tier, following) in enumerate(pairwise(tiers)):
        if tier.below is None or tier.below <= (tier.least or 0):
            name = f"{field}[{place}].max"
            raise FieldInvalid(f"{name} must be above the tier's min", field=name)
        if following.least != tier.below:
            name = f"{field}[{place + 1}].min"
            raise FieldInvalid(f"{name} must be the max of the tier before", field=name)


def _bound(field: str, told: str) -> Decimal | None:
    """Coins; None for an open end."""
    return None if not told else _coins(field, told)


def _figure(field: str, type_: PartType, told: Decimal) -> Decimal:
    match type_:
        case PartType.FIXED:
            return _coins(field, told)
        case PartType.PERCENTAGE:
            units = _units(field, told, FRACTION_DECIMALS)
            if not 0 <= units <= 10**FRACTION_DECIMALS:
                raise FieldInvalid(
                    f"{field} must be a fraction from 0 to 1, as in 0.01 for one percent",
                    field=field,
                )
            return units_as_decimal(units, FRACTION_DECIMALS)


def _coins(field: str, told: str | Decimal) -> Decimal:
    units = _units(field, told, COIN_DECIMALS)
    if not 0 <= units <= _COINS_MAX * 10**COIN_DECIMALS:
        raise FieldInvalid(f"{field} must be from 0 to {_COINS_MAX}", field=field)
    return units_as_decimal(units, COIN_DECIMALS)


def _units(field: str, told: str | Decimal, decimals: int) -> int:
    try:
        return parse_units(told, decimals)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
