"""Rules as they are written down."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.chains.tokens import Network
from landbridge.core.errors import FieldInvalid
from landbridge.limits.document import (
    CORRIDOR_NAMES,
    RAILS,
    RULES_MAX,
    checked,
    parse,
    restored,
    shown,
    stored,
)
from landbridge.limits.judging import dollars
from landbridge.limits.model import Finding, Over, Rule, Rules, Verdict, Window
from landbridge.wiring.kinds import LIMITED
from tests.accounts.bodies import cases

from .play import rule

ACCOUNT = "0190b1f4-7e1a-7c1e-9c1e-3f2a1b0c9d8e"
EVM = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
SOLANA = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"


def read(document: Any) -> Rules:
    return checked(parse(json.dumps(document).encode()), LIMITED)


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ([], None),
        ({"rule": []}, None),
        ({"rules": [rule(maxUSD=3)]}, "rules[0]"),
        ({"rules": [rule(window="WEEK")]}, "rules[0].window"),
        ({"rules": [rule(per="TEAM")]}, "rules[0].per"),
        ({"rules": [rule(over="WARN")]}, "rules[0].over"),
        ({"rules": [rule(maxUsd=None)]}, "rules[0]"),
        ({"rules": [rule(maxUsd=-1)]}, "rules[0].maxUsd"),
        ({"rules": [rule(maxUsd="1e400")]}, "rules[0].maxUsd"),
        ({"rules": [rule(maxUsd="NaN")]}, "rules[0].maxUsd"),
        ({"rules": [rule(maxUsd="0.0000001")]}, "rules[0].maxUsd"),
        ({"rules": [rule(maxCount=-1)]}, "rules[0].maxCount"),
        ({"rules": [rule(maxCount=1, window="PAYMENT")]}, "rules[0].maxCount"),
        ({"rules": [rule("a b")]}, "rules[0].id"),
        ({"rules": [rule("block")]}, "rules[0].id"),
        ({"rules": [rule(), rule()]}, "rules[1].id"),
        ({"rules": [rule(kinds=[])]}, "rules[0].kinds"),
        ({"rules": [rule(kinds=["SALARY"])]}, "rules[0].kinds[0]"),
        ({"rules": [rule(rails=["ach", "post"])]}, "rules[0].rails[1]"),
        ({"rules": [rule(corridors=["usd-moon"])]}, "rules[0].corridors[0]"),
        ({"rules": [rule(userIds=[])]}, "rules[0].userIds"),
        ({"rules": [rule(userIds=["me"])]}, "rules[0].userIds[0]"),
        ({"rules": [rule(f"r{n}") for n in range(RULES_MAX + 1)]}, "rules"),
        ({"coolDown": {"hours": 0, "maxUsd": 1}}, "coolDown.hours"),
        ({"coolDown": {"hours": 2161, "maxUsd": 1}}, "coolDown.hours"),
        ({"coolDown": {"hours": 1, "maxUsd": -1}}, "coolDown.maxUsd"),
        ({"block": {"destinations": ["Bob"]}}, "block.destinations[0]"),
        ({"allow": {"destinations": [EVM, EVM[:-1]]}}, "allow.destinations[1]"),
    ],
)
def test_a_mistake_is_named_by_its_place(document: Any, field: str | None) -> None:
    with pytest.raises(FieldInvalid) as refused:
        read(document)
    assert refused.value.field == field
    assert field is None or field in refused.value.message


@pytest.mark.parametrize("raw", [b"", b"{", b'{"rules": 1, "rules": 2}', b"\xff", b" " * 1_000_001])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(FieldInvalid):
        parse(raw)


def test_destinations_have_one_spelling() -> None:
    lists = {"destinations": [EVM.lower(), EVM, SOLANA, ACCOUNT.upper()]}
    told = read({"block": lists}).block
    assert told is not None
    assert told.names == {EVM, SOLANA, ACCOUNT}


def test_every_rail_of_bank_accounts_and_every_chain_can_be_named() -> None:
    assert {"ach", "sepa", "swift", "pix", "momo"} <= RAILS
    assert {"usd", "usd-hka", "eur", *Network} <= CORRIDOR_NAMES
    assert all(case.table.payment_rail in RAILS for case in cases() if _is_told(case))


def _is_told(case: Any) -> bool:
    return isinstance(case.table.payment_rail, str)


USD = st.decimals(0, 10**12, places=6)
WORDS = st.none() | st.lists(st.sampled_from(sorted(RAILS)), min_size=1, max_size=3)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Rules of every shape."""
    rules = [
        rule(
            f"r{place}",
            maxUsd=str(draw(USD)),
            rails=draw(WORDS),
            over=str(draw(st.sampled_from(Over))),
            window=str(draw(st.sampled_from(Window))),
        )
        for place in range(draw(st.integers(0, 4)))
    ]
    cool = {"hours": draw(st.integers(1, 99)), "maxUsd": str(draw(USD))}
    lists = {"destinations": [EVM, ACCOUNT], "over": "APPROVE"}
    told = {"rules": rules, "coolDown": cool, "allow": lists}
    return {name: each for name, each in told.items() if draw(st.booleans())}


@given(documents())
def test_rules_survive_being_kept_and_being_shown(document: dict[str, Any]) -> None:
    rules = read(document)
    assert restored(stored(rules)) == rules
    assert checked(parse(shown(rules).encode()), LIMITED) == rules
    assert stored(restored(stored(rules))) == stored(rules)


def test_rules_that_count_the_same_share_their_counter() -> None:
    first, second = read({"rules": [rule("a"), rule("b", maxUsd="7", over="APPROVE")]}).rules
    other = read({"rules": [rule(rails=["ach"])]}).rules[0]
    assert first.scope == second.scope != other.scope


def test_a_month_begins_at_its_first_and_a_day_at_midnight() -> None:
    at = datetime(2026, 3, 14, 23, 59, 59, tzinfo=UTC)
    assert _rule("DAY").period(at) == date(2026, 3, 14)
    assert _rule("MONTH").period(at) == date(2026, 3, 1)


def _rule(window: str) -> Rule:
    return read({"rules": [rule(window=window)]}).rules[0]


def test_the_strictest_finding_counts() -> None:
    assert Verdict().over is None
    findings = [Finding("a", over, "no") for over in (Over.APPROVE, Over.REFUSE)]
    assert Verdict(tuple(findings)).over is Over.REFUSE
    assert Verdict(tuple(findings[:1])).over is Over.APPROVE
    assert Verdict(tuple(findings)).approved().findings == (findings[1],)


@pytest.mark.parametrize(
    ("usd", "words"), [("1200.500", "1200.5 usd"), ("100", "100 usd"), ("1E+3", "1000 usd")]
)
def test_dollars_are_told_in_full(usd: str, words: str) -> None:
    assert dollars(Decimal(usd)) == words


def test_a_kind_has_failed_at_each_end_but_its_good_one() -> None:
    for kind in LIMITED.values():
        assert "COMPLETED" not in kind.failures
        assert kind.failures
    assert {"REJECTED", "EXPIRED", "FAILED"} <= set(LIMITED["WALLET.TRANSFER"].failures)
    assert "CRYPTO_RETURNED" in LIMITED["OFFRAMP"].failures
