"""Split of an amount, for any rule and any amount."""

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.virtual_accounts.rule_model import (
    PartType,
    RulePart,
    SettlementRule,
    Tier,
    max_total_share,
    split,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import TOKENS, Chain

USDC = TOKENS[Chain.POLYGON, "usdc"].asset
_AT = datetime(2026, 3, 1, tzinfo=UTC)


def a_rule(*parts: RulePart, chain: Chain = Chain.POLYGON) -> SettlementRule:
    return SettlementRule(
        org_id=UUID(int=1),
        id=UUID(int=2),
        chain=chain,
        includes_fee=False,
        parts=parts,
        version=1,
        created_at=_AT,
        updated_at=_AT,
    )


def percent(value: str, address: str = "a") -> RulePart:
    return RulePart(
        type=PartType.PERCENTAGE, value=Decimal(value), tiers=None, wallet_address=address
    )


def coins(value: str, address: str = "a") -> RulePart:
    return RulePart(type=PartType.FIXED, value=Decimal(value), tiers=None, wallet_address=address)


def by_tiers(*tiers: tuple[str, str, str], type_: PartType = PartType.PERCENTAGE) -> RulePart:
    return RulePart(
        type=type_,
        value=None,
        tiers=tuple(
            Tier(
                minimum=Decimal(least) if least else None,
                below=Decimal(below) if below else None,
                value=Decimal(value),
            )
            for least, below, value in tiers
        ),
        wallet_address="a",
    )


def usdc(amount: str) -> Money:
    return Money.parse(amount, USDC)


def divided(rule: SettlementRule, amount: str) -> tuple[list[tuple[str, str]], str]:
    found = split(rule, usdc(amount))
    return [(address, str(money)) for address, money in found.parts], str(found.remainder)


fractions = st.integers(0, 10_000).map(lambda units: Decimal(units).scaleb(-4))
figures = st.integers(0, 10**15).map(lambda units: Decimal(units).scaleb(-6))


@st.composite
def parts(draw: st.DrawFn) -> RulePart:
    """Any part that a rule may have."""
    type_ = draw(st.sampled_from(PartType))
    values = fractions if type_ is PartType.PERCENTAGE else figures
    address = draw(st.sampled_from("abc"))
    if draw(st.booleans()):
        return RulePart(type=type_, value=draw(values), tiers=None, wallet_address=address)
    bounds = sorted(draw(st.sets(figures.filter(bool), max_size=4)))
    edges = [None, *bounds, None]
    tiers = tuple(
        Tier(minimum=edges[index], below=edges[index + 1], value=draw(values))
        for index in range(len(edges) - 1)
    )
    return RulePart(type=type_, value=None, tiers=tiers, wallet_address=address)


rules = st.lists(parts(), min_size=1, max_size=6).map(lambda each: a_rule(*each))
amounts = st.integers(0, 10**18).map(lambda units: Money(units, USDC))


@given(rules, amounts)
def test_parts_and_remainder_sum_to_the_whole(rule: SettlementRule, amount: Money) -> None:
    found = split(rule, amount)
    assert sum(money.units for _, money in found.parts) + found.remainder.units == amount.units
    assert found.remainder.units >= 0
    assert all(money.units > 0 for _, money in found.parts)
    # In the order of the rule, some omitted.
    wallets = iter(part.wallet_address for part in rule.parts)
    assert all(address in wallets for address, _ in found.parts)


@given(rules, amounts)
def test_a_rule_within_bounds_is_never_capped_by_percentages(
    rule: SettlementRule, amount: Money
) -> None:
    shares = tuple(part for part in rule.parts if part.type is PartType.PERCENTAGE)
    if not shares or max_total_share(shares) > 1:
        return
    found = split(a_rule(*shares), amount)
    expected = [int(amount.units * part.value_for(amount.decimal)) for part in shares]
    assert [money.units for _, money in found.parts] == [units for units in expected if units]


@given(rules, amounts)
def test_the_largest_share_is_the_largest_of_any_amount(
    rule: SettlementRule, amount: Money
) -> None:
    shares = [part for part in rule.parts if part.type is PartType.PERCENTAGE]
    here = sum((part.value_for(amount.decimal) for part in shares), Decimal(0))
    assert here <= max_total_share(rule.parts)


def test_without_a_rule_everything_remains() -> None:
    found = split(None, usdc("10"))
    assert (found.parts, found.remainder) == ((), usdc("10"))


def test_each_part_is_a_share_of_the_whole_in_the_given_order() -> None:
    rule = a_rule(percent("0.1", "a"), coins("5", "b"), percent("0.1", "c"))
    assert divided(rule, "100") == ([("a", "10"), ("b", "5"), ("c", "10")], "75")


def test_part_is_rounded_down() -> None:
    assert divided(a_rule(percent("0.3333")), "0.00001") == ([("a", "0.000003")], "0.000007")


def test_part_that_rounds_to_zero_is_dropped() -> None:
    assert divided(a_rule(percent("0.0001"), coins("0", "b")), "0.000001") == ([], "0.000001")


def test_parts_are_limited_to_the_available_amount_in_order() -> None:
    rule = a_rule(coins("3", "a"), coins("4", "b"), coins("1", "c"))
    assert divided(rule, "5") == ([("a", "3"), ("b", "2")], "0")


@pytest.mark.parametrize(
    ("amount", "charged"),
    [("99.999999", "9.999999"), ("100", "5"), ("100.000001", "5"), ("1000", "10"), ("0.1", "0.01")],
)
def test_tier_starts_at_its_minimum_and_charges_the_whole_amount(amount: str, charged: str) -> None:
    part = by_tiers(("", "100", "0.1"), ("100", "1000", "0.05"), ("1000", "", "0.01"))
    assert divided(a_rule(part), amount)[0] == [("a", charged)]


def test_tiers_of_coins() -> None:
    part = by_tiers(("", "100", "1"), ("100", "", "2.5"), type_=PartType.FIXED)
    assert divided(a_rule(part), "99") == ([("a", "1")], "98")
    assert divided(a_rule(part), "100") == ([("a", "2.5")], "97.5")


def test_rule_of_another_chain_is_a_bug() -> None:
    with pytest.raises(InvariantBroken):
        split(a_rule(percent("0.1"), chain=Chain.BASE), usdc("1"))
    with pytest.raises(InvariantBroken):
        split(None, usdc("-1"))
