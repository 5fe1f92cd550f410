"""Rules as they are written down."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.app.container.registry import LIMITED
from landbridge.payments.limits.document import (
    CORRIDOR_NAMES,
    RAILS,
    RULES_MAX,
    decoded,
    displayed,
    encoded,
    parse,
    validated,
)
from landbridge.payments.limits.evaluation import dollars
from landbridge.payments.limits.model import (
    LimitAction,
    LimitFinding,
    LimitRule,
    LimitRules,
    LimitVerdict,
    LimitWindow,
)
from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.chains.tokens import Network
from tests.customers.bank_accounts.bodies import cases
from tests.payments.limits.limit_setup import rule

ACCOUNT = "0190b1f4-7e1a-7c1e-9c1e-3f2a1b0c9d8e"
EVM = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
SOLANA = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"


def read(document: Any) -> LimitRules:
    return validated(parse(json.dumps(document).encode()), LIMITED)


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
def test_error_names_the_path(document: Any, field: str | None) -> None:
    with pytest.raises(FieldInvalid) as refused:
        read(document)
    assert refused.value.field == field
    assert field is None or field in refused.value.message


@pytest.mark.parametrize("raw", [b"", b"{", b'{"rules": 1, "rules": 2}', b"\xff", b" " * 1_000_001])
def test_invalid_json_is_refused(raw: bytes) -> None:
    with pytest.raises(FieldInvalid):
        parse(raw)


def test_destinations_have_one_spelling() -> None:
    lists = {"destinations": [EVM.lower(), EVM, SOLANA, ACCOUNT.upper()]}
    block = read({"block": lists}).block
    assert block is not None
    assert block.names == {EVM, SOLANA, ACCOUNT}


def test_every_rail_of_bank_accounts_and_every_chain_can_be_named() -> None:
    assert {"ach", "sepa", "swift", "pix", "momo"} <= RAILS
    assert {"usd", "usd-hka", "eur", *Network} <= CORRIDOR_NAMES
    assert all(case.table.payment_rail in RAILS for case in cases() if _has_payment_rail(case))


def _has_payment_rail(case: Any) -> bool:
    return isinstance(case.table.payment_rail, str)


USD = st.decimals(0, 10**12, places=6)
WORDS = st.none() | st.lists(st.sampled_from(sorted(RAILS)), min_size=1, max_size=3)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Rules of every shape."""
    rules = [
        rule(
            f"r{index}",
            maxUsd=str(draw(USD)),
            rails=draw(WORDS),
            over=str(draw(st.sampled_from(LimitAction))),
            window=str(draw(st.sampled_from(LimitWindow))),
        )
        for index in range(draw(st.integers(0, 4)))
    ]
    cool = {"hours": draw(st.integers(1, 99)), "maxUsd": str(draw(USD))}
    lists = {"destinations": [EVM, ACCOUNT], "over": "APPROVE"}
    body = {"rules": rules, "coolDown": cool, "allow": lists}
    return {name: each for name, each in body.items() if draw(st.booleans())}


@given(documents())
def test_rules_survive_storing_and_showing(document: dict[str, Any]) -> None:
    rules = read(document)
    assert decoded(encoded(rules)) == rules
    assert validated(parse(displayed(rules).encode()), LIMITED) == rules
    assert encoded(decoded(encoded(rules))) == encoded(rules)


def test_equal_rules_share_their_counter() -> None:
    first, second = read({"rules": [rule("a"), rule("b", maxUsd="7", over="APPROVE")]}).rules
    other = read({"rules": [rule(rails=["ach"])]}).rules[0]
    assert first.scope == second.scope != other.scope


def test_month_begins_on_the_first_and_day_at_midnight() -> None:
    at = datetime(2026, 3, 14, 23, 59, 59, tzinfo=UTC)
    assert _rule("DAY").period(at) == date(2026, 3, 14)
    assert _rule("MONTH").period(at) == date(2026, 3, 1)


def _rule(window: str) -> LimitRule:
    return read({"rules": [rule(window=window)]}).rules[0]


def test_the_strictest_finding_counts() -> None:
    assert LimitVerdict().over is None
    findings = [LimitFinding("a", over, "no") for over in (LimitAction.APPROVE, LimitAction.REFUSE)]
    assert LimitVerdict(tuple(findings)).over is LimitAction.REFUSE
    assert LimitVerdict(tuple(findings[:1])).over is LimitAction.APPROVE
    assert LimitVerdict(tuple(findings)).approved().findings == (findings[1],)


@pytest.mark.parametrize(
    ("usd", "words"), [("1200.500", "1200.5 usd"), ("100", "100 usd"), ("1E+3", "1000 usd")]
)
def test_dollars_are_shown_in_full(usd: str, words: str) -> None:
    assert dollars(Decimal(usd)) == words


def test_every_other_terminal_status_of_a_kind_counts_as_failed() -> None:
    for kind in LIMITED.values():
        assert "COMPLETED" not in kind.failures
        assert kind.failures
    assert {"REJECTED", "EXPIRED", "FAILED"} <= set(LIMITED["WALLET.TRANSFER"].failures)
    assert "CRYPTO_RETURNED" in LIMITED["OFFRAMP"].failures
