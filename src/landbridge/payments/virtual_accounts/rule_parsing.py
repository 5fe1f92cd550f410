"""Validation of settlement rules. Source: contract, accounts 6 and interface/settlement-rules.

Where the contract is silent, the rule follows developer fees: a percentage is a fraction from 0 to
1 with at most four decimals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from landbridge.customers.wallets.service import checked_address
from landbridge.payments.virtual_accounts.rule_model import (
    CalculationModel,
    PartType,
    RulePart,
    Tier,
    max_total_share,
)
from landbridge.payments.virtual_accounts.rule_schemas import (
    COINS_MAX,
    PARTS_MAX,
    TIERS_MAX,
    NewPart,
    NewRule,
    part_replies,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import AmountError, parse_units, units_as_decimal
from landbridge.platform.http.request_decoding import request_values
from landbridge.providers.chains.tokens import Chain

FRACTION_DECIMALS = 4
# Decimals of all stablecoins (`providers/chains/tokens.py`).
COIN_DECIMALS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRequest:
    """Validated content of a rule."""

    chain: Chain
    includes_fee: bool
    parts: tuple[RulePart, ...]

    def as_submitted(self) -> dict[str, Any]:
        """Return the rule in the contract's fields, normalised so that replays can be compared."""
        return {
            "chain": self.chain,
            "includeHIFIFee": self.includes_fee,
            "rules": [request_values(each) for each in part_replies(self.parts)],
        }


def parse_rule(body: NewRule) -> RuleRequest:
    """Parse a rule; raises `FieldInvalid`, naming the field."""
    if not 1 <= len(body.rules) <= PARTS_MAX:
        raise FieldInvalid(f"rules must have 1 to {PARTS_MAX} items", field="rules")
    parts = tuple(
        _part(f"rules[{index}]", body.chain, each) for index, each in enumerate(body.rules)
    )
    if max_total_share(parts) > 1:
        raise FieldInvalid("rules: the percentages sum to more than the whole", field="rules")
    return RuleRequest(chain=body.chain, includes_fee=body.includes_fee, parts=parts)


def _part(field: str, chain: Chain, body: NewPart) -> RulePart:
    value: Decimal | None = None
    tiers: tuple[Tier, ...] | None = None
    match body.calculation_model:
        case CalculationModel.FIXED:
            if body.value is None:
                raise FieldInvalid(f"{field}.value is required", field=f"{field}.value")
            _check_absent(f"{field}.tiers", body.tiers, "TIERED")
            value = _figure(f"{field}.value", body.type, body.value)
        case CalculationModel.TIERED:
            _check_absent(f"{field}.value", body.value, "FIXED")
            tiers = _tiers(f"{field}.tiers", body)
    return RulePart(
        type=body.type,
        value=value,
        tiers=tiers,
        wallet_address=checked_address(chain, body.wallet_address, field=f"{field}.walletAddress"),
    )


def _check_absent(field: str, body: object, model: str) -> None:
    if body is not None:
        raise FieldInvalid(f"{field} is for calculationModel {model} only", field=field)


def _tiers(field: str, body: NewPart) -> tuple[Tier, ...]:
    if body.tiers is None or not 1 <= len(body.tiers) <= TIERS_MAX:
        raise FieldInvalid(f"{field} must have 1 to {TIERS_MAX} items", field=field)
    tiers = tuple(
        Tier(
            minimum=_bound(f"{field}[{index}].min", each.min),
            below=_bound(f"{field}[{index}].max", each.max),
            value=_figure(f"{field}[{index}].value", body.type, each.value),
        )
        for index, each in enumerate(body.tiers)
    )
    _check_run(field, tiers)
    return tiers


def _check_run(field: str, tiers: Sequence[Tier]) -> None:
    """Raise `FieldInvalid` unless tiers are contiguous, start at zero and have no upper bound."""
    if tiers[0].minimum is not None:
        raise FieldInvalid(f'{field}[0].min must be ""', field=f"{field}[0].min")
    last = len(tiers) - 1
    if tiers[last].below is not None:
        raise FieldInvalid(f'{field}[{last}].max must be ""', field=f"{field}[{last}].max")
    for index, (tier, following) in enumerate(pairwise(tiers)):
        if tier.below is None or tier.below <= (tier.minimum or 0):
            name = f"{field}[{index}].max"
            raise FieldInvalid(f"{name} must be above the tier's min", field=name)
        if following.minimum != tier.below:
            name = f"{field}[{index + 1}].min"
            raise FieldInvalid(f"{name} must be the max of the tier before", field=name)


def _bound(field: str, body: str) -> Decimal | None:
    """Parse the bound of a tier in coins; None for an open end."""
    return None if not body else _coins(field, body)


def _figure(field: str, type_: PartType, body: Decimal) -> Decimal:
    match type_:
        case PartType.FIXED:
            return _coins(field, body)
        case PartType.PERCENTAGE:
            units = _units(field, body, FRACTION_DECIMALS)
            if not 0 <= units <= 10**FRACTION_DECIMALS:
                raise FieldInvalid(
                    f"{field} must be a fraction from 0 to 1, as in 0.01 for one percent",
                    field=field,
                )
            return units_as_decimal(units, FRACTION_DECIMALS)


def _coins(field: str, body: str | Decimal) -> Decimal:
    units = _units(field, body, COIN_DECIMALS)
    if not 0 <= units <= COINS_MAX * 10**COIN_DECIMALS:
        raise FieldInvalid(f"{field} must be from 0 to {COINS_MAX}", field=field)
    return units_as_decimal(units, COIN_DECIMALS)


def _units(field: str, body: str | Decimal, decimals: int) -> int:
    try:
        return parse_units(body, decimals)
    except AmountError as error:
        raise FieldInvalid(f"{field} {error}", field=field) from error
