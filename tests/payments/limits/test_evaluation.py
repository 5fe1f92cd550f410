"""Evaluation of limit rules without a database: each bound exactly, each finding reachable."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.payments.limits.evaluation import (
    ALLOW,
    BLOCK,
    COOL_DOWN,
    counter_increments,
    evaluate,
)
from landbridge.payments.limits.model import (
    CoolDown,
    CounterUsage,
    DestinationList,
    LimitAction,
    LimitRule,
    LimitRules,
    LimitScope,
    LimitUsage,
    LimitVerdict,
    LimitWindow,
    PaymentDestination,
)

AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
ORG, USER, OTHER_USER = UUID(int=1), UUID(int=2), UUID(int=3)
UNIT = Decimal("0.000001")
USD = st.integers(1, 10**15).map(lambda units: units * UNIT)
COUNTS = st.integers(0, 1_000)
SCOPES = st.sampled_from(LimitScope)
ACTIONS = st.sampled_from(LimitAction)
COUNTED = st.sampled_from([LimitWindow.DAY, LimitWindow.MONTH])
TARGET = "0xb"
NOTHING = CounterUsage()
NO_HASHES: frozenset[bytes] = frozenset()


def _usage(
    usd: Decimal,
    *,
    name: str = TARGET,
    is_ours: bool = False,
    hashes: frozenset[bytes] = frozenset(),
) -> LimitUsage:
    """Build the usage of an ACH payout in dollars to one destination."""
    target = PaymentDestination(name=name, usd=usd, is_ours=is_ours, hashes=hashes)
    return LimitUsage(
        org_id=ORG,
        record_id=UUID(int=9),
        kind="OFFRAMP",
        user_id=USER,
        usd=usd,
        rail="ach",
        corridor="usd",
        targets=(target,),
        at=AT,
        is_committed=False,
    )


def _rule(window: LimitWindow, **fields: Any) -> LimitRule:
    """Build a rule of the organisation that refuses, unless `fields` differ."""
    defaults = {"id": "rule", "per": LimitScope.ORG, "over": LimitAction.REFUSE}
    values: dict[str, Any] = {"max_usd": None, "max_count": None, **defaults, **fields}
    return LimitRule(window=window, **values)


def _verdict(
    rules: LimitRules,
    usage: LimitUsage,
    before: CounterUsage = NOTHING,
    known: Mapping[str, datetime] | None = None,
) -> LimitVerdict:
    """Evaluate a payment after this usage of every counter."""
    known = known or {}
    used = {
        counter: CounterUsage(before.usd + usd, before.payment_count + 1)
        for counter, usd in counter_increments(rules, usage, known).items()
    }
    return evaluate(rules, usage, known, used)


def _found(verdict: LimitVerdict) -> list[tuple[str, LimitAction]]:
    return [(each.rule, each.over) for each in verdict.findings]


@given(USD, SCOPES, ACTIONS)
def test_one_payment_may_reach_the_bound_and_no_unit_more(
    bound: Decimal, per: LimitScope, over: LimitAction
) -> None:
    rules = LimitRules(rules=(_rule(LimitWindow.PAYMENT, per=per, max_usd=bound, over=over),))
    # Usage before it does not matter, and nothing remains of it.
    assert _verdict(rules, _usage(bound), CounterUsage(bound, 7)) == LimitVerdict()
    assert _found(_verdict(rules, _usage(bound + UNIT))) == [("rule", over)]


@given(USD, USD, COUNTED, SCOPES, ACTIONS)
def test_amount_of_a_window_may_reach_the_bound_and_no_unit_more(
    before: Decimal, usd: Decimal, window: LimitWindow, per: LimitScope, over: LimitAction
) -> None:
    rules = LimitRules(rules=(_rule(window, per=per, max_usd=before + usd, over=over),))
    at_bound = _verdict(rules, _usage(usd), CounterUsage(before, 1))
    above = _verdict(rules, _usage(usd + UNIT), CounterUsage(before, 1))
    assert (at_bound.over, above.over) == (None, over)
    assert _found(above) == [("rule", over)]
    assert [each.usd for each in (*at_bound.left, *above.left)] == [0, 0]


@given(COUNTS, USD, COUNTED, SCOPES, ACTIONS)
def test_count_of_a_window_may_reach_the_bound_and_no_payment_more(
    before: int, usd: Decimal, window: LimitWindow, per: LimitScope, over: LimitAction
) -> None:
    rules = LimitRules(rules=(_rule(window, per=per, max_count=before + 1, over=over),))
    at_bound = _verdict(rules, _usage(usd), CounterUsage(usd, before))
    above = _verdict(rules, _usage(usd), CounterUsage(usd, before + 1))
    assert (at_bound.over, above.over) == (None, over)
    assert _found(above) == [("rule", over)]
    assert [each.payment_count for each in (*at_bound.left, *above.left)] == [0, 0]


@given(USD, st.builds(CounterUsage, USD, COUNTS), USD, COUNTS, COUNTED)
def test_findings_are_exactly_the_exceeded_bounds(
    usd: Decimal, before: CounterUsage, bound: Decimal, most: int, window: LimitWindow
) -> None:
    rules = LimitRules(rules=(_rule(window, max_usd=bound, max_count=most),))
    verdict = _verdict(rules, _usage(usd), before)
    exceeded = [before.usd + usd > bound, before.payment_count + 1 > most]
    assert len(verdict.findings) == sum(exceeded)
    (left,) = verdict.left
    assert left.usd == max(bound - before.usd - usd, 0)
    assert left.payment_count == max(most - before.payment_count - 1, 0)


@pytest.mark.parametrize("window", LimitWindow)
@pytest.mark.parametrize(
    ("matching", "other"),
    [
        ({"kinds": frozenset({"OFFRAMP"})}, {"kinds": frozenset({"ONRAMP"})}),
        ({"rails": frozenset({"ach"})}, {"rails": frozenset({"wire"})}),
        ({"corridors": frozenset({"usd"})}, {"corridors": frozenset({"eur"})}),
        ({"user_ids": frozenset({USER})}, {"user_ids": frozenset({OTHER_USER})}),
    ],
)
def test_rule_counts_and_refuses_only_selected_payments(
    window: LimitWindow,
    matching: Mapping[str, Any],
    other: Mapping[str, Any],
) -> None:
    usage = _usage(Decimal(2))
    refusing = LimitRules(rules=(_rule(window, max_usd=Decimal(1), **matching),))
    assert _found(_verdict(refusing, usage)) == [("rule", LimitAction.REFUSE)]
    passing = LimitRules(rules=(_rule(window, max_usd=Decimal(1), **other),))
    assert _verdict(passing, usage) == LimitVerdict()
    assert not counter_increments(passing, usage, {})


@given(USD, SCOPES)
def test_each_window_and_scope_has_a_counter_of_its_own(usd: Decimal, per: LimitScope) -> None:
    rules = LimitRules(
        rules=tuple(_rule(window, per=per, max_usd=Decimal(0)) for window in LimitWindow)
    )
    found = counter_increments(rules, _usage(usd), {})
    assert set(found.values()) == {usd}
    assert {each.subject_id for each in found} == {USER if per is LimitScope.USER else ORG}
    assert {each.period for each in found} == {date(2026, 3, 2), date(2026, 3, 1)}


@given(ACTIONS)
def test_block_list_refuses_its_destinations_only(over: LimitAction) -> None:
    rules = LimitRules(block=DestinationList(frozenset({TARGET}), over, frozenset({b"1"})))
    usd = Decimal(1)
    assert _found(_verdict(rules, _usage(usd))) == [(BLOCK, over)]
    # Also a wallet of ours, and an account that shares one coordinate.
    assert _found(_verdict(rules, _usage(usd, is_ours=True))) == [(BLOCK, over)]
    shared = _usage(usd, name="other", hashes=frozenset({b"1", b"2"}))
    assert _found(_verdict(rules, shared)) == [(BLOCK, over)]
    assert _verdict(rules, _usage(usd, name="other", hashes=frozenset({b"2"}))) == LimitVerdict()


@given(ACTIONS)
def test_allow_list_refuses_every_other_destination_outside(over: LimitAction) -> None:
    rules = LimitRules(allow=DestinationList(frozenset({TARGET}), over, frozenset({b"1"})))
    usd = Decimal(1)
    assert _found(_verdict(rules, _usage(usd, name="other"))) == [(ALLOW, over)]
    # One unlisted coordinate is enough.
    partly = _usage(usd, name="other", hashes=frozenset({b"1", b"2"}))
    assert _found(_verdict(rules, partly)) == [(ALLOW, over)]
    for accepted in (
        _usage(usd),
        _usage(usd, name="other", is_ours=True),
        _usage(usd, name="other", hashes=frozenset({b"1"})),
    ):
        assert _verdict(rules, accepted) == LimitVerdict()


@given(USD, USD, st.integers(1, 1_000), ACTIONS)
def test_new_destination_may_receive_the_bound_and_no_unit_more(
    before: Decimal, usd: Decimal, hours: int, over: LimitAction
) -> None:
    rules = LimitRules(cool_down=CoolDown(hours, before + usd, over))
    used = CounterUsage(before, 1)
    new = AT - timedelta(hours=hours) + timedelta(microseconds=1)
    for known in ({}, {TARGET: AT}, {TARGET: new}):
        assert _verdict(rules, _usage(usd), used, known) == LimitVerdict()
        above = _verdict(rules, _usage(usd + UNIT), used, known)
        assert _found(above) == [(COOL_DOWN, over)]
    # Known for long enough, or ours: not counted at all.
    old = {TARGET: AT - timedelta(hours=hours)}
    assert _verdict(rules, _usage(usd + UNIT), used, old) == LimitVerdict()
    assert _verdict(rules, _usage(usd + UNIT, is_ours=True), used) == LimitVerdict()
    assert not counter_increments(rules, _usage(usd), old)


@given(st.lists(ACTIONS, max_size=5))
def test_strictest_finding_decides(actions: list[LimitAction]) -> None:
    rules = LimitRules(
        rules=tuple(_rule(LimitWindow.PAYMENT, max_usd=Decimal(0), over=each) for each in actions)
    )
    verdict = _verdict(rules, _usage(UNIT))
    expected = LimitAction.REFUSE if LimitAction.REFUSE in actions else LimitAction.APPROVE
    assert verdict.over == (expected if actions else None)
    # An approval settles every finding that asks for one, and no refusal.
    assert _found(verdict.approved()) == [
        ("rule", each) for each in actions if each is LimitAction.REFUSE
    ]
