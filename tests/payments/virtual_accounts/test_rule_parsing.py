"""Validation of settlement rules: what is accepted, and the bounds of parts and tiers."""

from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.virtual_accounts.rule_model import CalculationModel, PartType
from landbridge.payments.virtual_accounts.rule_parsing import parse_rule
from landbridge.payments.virtual_accounts.rule_schemas import (
    COINS_MAX,
    PARTS_MAX,
    TIERS_MAX,
    NewPart,
    NewRule,
    NewTier,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.chains.tokens import Chain

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
FRACTIONS = st.integers(0, 10**4).map(lambda units: Decimal(units).scaleb(-4))
COINS = st.integers(0, 10**15).map(lambda units: Decimal(units).scaleb(-6))


def _rule(*parts: NewPart) -> NewRule:
    return NewRule(
        request_id=UUID(int=1), chain=Chain.POLYGON, includes_fee=False, rules=list(parts)
    )


def _part(kind: PartType, value: Decimal) -> NewPart:
    return NewPart(
        type=kind, calculation_model=CalculationModel.FIXED, wallet_address=ADDRESS, value=value
    )


def _tiered(tiers: list[NewTier]) -> NewPart:
    return NewPart(
        type=PartType.PERCENTAGE,
        calculation_model=CalculationModel.TIERED,
        wallet_address=ADDRESS,
        tiers=tiers,
    )


def _refused(rule: NewRule, field: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        parse_rule(rule)
    assert refused.value.field == field


@given(st.lists(FRACTIONS, min_size=1, max_size=4))
def test_percentages_sum_to_at_most_the_whole(values: list[Decimal]) -> None:
    rule = _rule(*(_part(PartType.PERCENTAGE, each) for each in values))
    if sum(values) > 1:
        _refused(rule, "rules")
    else:
        assert [each.value for each in parse_rule(rule).parts] == values


@given(st.lists(COINS, min_size=1, max_size=4))
def test_fixed_parts_are_kept_exactly(values: list[Decimal]) -> None:
    parts = parse_rule(_rule(*(_part(PartType.FIXED, each) for each in values))).parts
    assert [each.value_for(Decimal(0)) for each in parts] == values


@given(st.sets(COINS.filter(bool), max_size=5), st.lists(FRACTIONS, min_size=6, max_size=6))
def test_contiguous_tiers_cover_every_amount_once(
    bounds: set[Decimal], values: list[Decimal]
) -> None:
    ends = ["", *(f"{each:f}" for each in sorted(bounds)), ""]
    tiers = [
        NewTier(min=least, max=below, value=value)
        for (least, below), value in zip(pairwise(ends), values, strict=False)
    ]
    (part,) = parse_rule(_rule(_tiered(tiers))).parts
    assert part.tiers is not None
    for amount in (Decimal(0), *bounds, *(each + 1 for each in bounds)):
        assert sum(each.has(amount) for each in part.tiers) == 1
    # Each bound belongs to the tier that begins there.
    starts = [part.value_for(each) for each in (Decimal(0), *sorted(bounds))]
    assert starts == values[: len(starts)]


def test_number_of_parts_and_tiers_is_bounded() -> None:
    zero = _part(PartType.FIXED, Decimal(0))
    assert len(parse_rule(_rule(*[zero] * PARTS_MAX)).parts) == PARTS_MAX
    _refused(_rule(), "rules")
    _refused(_rule(*[zero] * (PARTS_MAX + 1)), "rules")
    ends = ["", *(str(each) for each in range(1, TIERS_MAX + 1)), ""]
    tiers = [NewTier(min=least, max=below, value=Decimal(0)) for least, below in pairwise(ends)]
    most = [*tiers[: TIERS_MAX - 1], NewTier(min=str(TIERS_MAX - 1), max="", value=Decimal(0))]
    parse_rule(_rule(_tiered(most)))
    _refused(_rule(_tiered(tiers)), "rules[0].tiers")
    _refused(_rule(_tiered([])), "rules[0].tiers")


@pytest.mark.parametrize(
    ("kind", "accepted", "refused"),
    [
        (PartType.PERCENTAGE, "1", "1.0001"),
        (PartType.PERCENTAGE, "0", "-0.0001"),
        (PartType.PERCENTAGE, "0.0001", "0.00001"),
        (PartType.FIXED, str(COINS_MAX), f"{COINS_MAX}.000001"),
        (PartType.FIXED, "0", "-0.000001"),
        (PartType.FIXED, "0.000001", "0.0000001"),
    ],
)
def test_value_may_reach_its_bound_and_nothing_beyond(
    kind: PartType, accepted: str, refused: str
) -> None:
    parse_rule(_rule(_part(kind, Decimal(accepted))))
    _refused(_rule(_part(kind, Decimal(refused))), "rules[0].value")
