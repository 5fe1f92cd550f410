"""Event types: the type of each change, and patterns."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.app.container.registry import TRANSITIONS
from landbridge.developers.events.model import PARTS_MAX, EventKey, event_key
from landbridge.developers.events.names import (
    CATALOGUE,
    DEPOSITS,
    check_patterns,
    check_subscription,
    deposit_index,
    events_of,
    family,
    in_spelling,
    makes_deposits,
    matches_any,
    sent_type,
)
from landbridge.platform.changes.model import Change
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.transitions import Transitions
from tests.developers.events.changes import change

# Source: contract, webhooks 4; types of statuses follow below.
PUBLISHED = """
USER.CREATE USER.UPDATE TOS_LINK.UPDATE KYC.DATA.UPDATE KYC.STATUS.CREATE KYC.STATUS.UPDATE
KYC_LINK.CREATE KYC_LINK.UPDATE WALLET.TRANSFER.CREATE WALLET.TRANSFER.UPDATE WALLET.BRIDGE.CREATE
WALLET.BRIDGE.UPDATE WALLET.TOKEN.BALANCE.UPDATE WALLET.TRANSFER.BATCH.CREATE
WALLET.TRANSFER.BATCH.UPDATE WALLET.SWAP.TRANSACTION.CREATE ACCOUNT.ONRAMP.CREATE
ACCOUNT.ONRAMP.UPDATE ACCOUNT.OFFRAMP.CREATE ACCOUNT.OFFRAMP.UPDATE ACCOUNT.VIRTUAL_ACCOUNT.CREATE
ACCOUNT.VIRTUAL_ACCOUNT.UPDATE ONRAMP.TRANSACTION.CREATE ONRAMP.RFI.OPEN ONRAMP.RFI.CLOSED
OFFRAMP.TRANSACTION.CREATE OFFRAMP.RFI.OPEN OFFRAMP.RFI.CLOSED
"""
STATUSES = {
    "WALLET.SWAP": "OPEN_QUOTE CREATED PENDING COMPLETED FAILED QUOTE_FAILED",
    "ONRAMP": "NOT_INITIATED OPEN_QUOTE IN_REVIEW QUOTE_FAILED AWAITING_FUNDS FIAT_INITIATED"
    " FIAT_PENDING FIAT_PROCESSED FIAT_FAILED FIAT_RETURNED CRYPTO_INITIATED CRYPTO_PENDING"
    " CRYPTO_FAILED COMPLETED",
    "OFFRAMP": "NOT_INITIATED OPEN_QUOTE IN_REVIEW QUOTE_FAILED AWAITING_FUNDS CRYPTO_INITIATED"
    " CRYPTO_PENDING CRYPTO_PROCESSED CRYPTO_FAILED CRYPTO_RETURNED FIAT_INITIATED FIAT_PENDING"
    " FIAT_FAILED COMPLETED",
}
# Our own: statuses that no contract page lists, scheduled reports, and the test event.
OWN = {
    "ONRAMP.STATUS.UNKNOWN",
    "OFFRAMP.STATUS.PENDING_APPROVAL",
    "OFFRAMP.STATUS.REJECTED",
    "OFFRAMP.STATUS.EXPIRED",
    "WEBHOOK.TEST",
    "TRAVEL_RULE.DATA.MISSING",
    "REPORT.READY",
    "REPORT.FAILED",
}
LEGACY = {
    "ONRAMP.CREATE": "ONRAMP.TRANSACTION.CREATE",
    "ONRAMP.UPDATE": "ONRAMP.STATUS.*",
    "OFFRAMP.CREATE": "OFFRAMP.TRANSACTION.CREATE",
    "OFFRAMP.UPDATE": "OFFRAMP.STATUS.*",
    "USER.STATUS": "USER.*",
    "USER.STATUS.CREATE": "USER.CREATE",
    "USER.STATUS.UPDATE": "USER.UPDATE",
    "SWAP.CREATE": "WALLET.SWAP.TRANSACTION.CREATE",
    "SWAP.UPDATE": "WALLET.SWAP.STATUS.*",
    "TRANSFER.CRYPTO_TO_CRYPTO": "WALLET.TRANSFER.*",
    "TRANSFER.CRYPTO_TO_FIAT": "OFFRAMP.*",
    "TRANSFER.FIAT_TO_CRYPTO": "ONRAMP.*",
}
TYPES = [each.type for each in CATALOGUE]


def types(**fields: Any) -> list[str]:
    """Return the types of the events of a change."""
    deposits = fields.pop("deposits", 0)
    return [each.type for each in events_of(change(**fields), deposits=deposits)]


def test_the_catalogue_has_every_published_name_and_few_of_our_own() -> None:
    by_status = {f"{kind}.STATUS.{each}" for kind, of in STATUSES.items() for each in of.split()}
    assert set(TYPES) == {*PUBLISHED.split(), *by_status} | OWN
    assert len(TYPES) == len(set(TYPES))
    assert not LEGACY.keys() & set(TYPES)


def test_names_are_in_the_category_that_the_contract_gives_them() -> None:
    categories = {each.type: each.category for each in CATALOGUE}
    assert set(categories.values()) == {
        *("USER", "KYC", "WALLET", "ACCOUNT", "ONRAMP", "OFFRAMP", "REPORT", "WEBHOOK"),
        "TRAVEL_RULE",
    }
    assert categories["TOS_LINK.UPDATE"] == "USER"
    assert categories["KYC_LINK.CREATE"] == "KYC"
    assert categories["WALLET.SWAP.STATUS.PENDING"] == "WALLET"


@pytest.mark.parametrize("kind", ["ONRAMP", "OFFRAMP", "WALLET.SWAP"])
def test_every_transition_has_the_event_of_its_new_status(kind: str) -> None:
    moves: Transitions[Any] = TRANSITIONS[kind]
    for before, after in moves.edges():
        names = types(kind=kind, seq=5, before=before, after=after)
        assert names == ([] if before == after else [f"{kind}.STATUS.{after}"])


@pytest.mark.parametrize("kind", ["WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE"])
def test_kinds_without_status_events_have_update_events(kind: str) -> None:
    moves: Transitions[Any] = TRANSITIONS[kind]
    for start in moves.start:
        assert types(kind=kind, seq=1, after=start) == [f"{kind}.CREATE"]
    for before, after in moves.edges():
        names = types(kind=kind, seq=2, before=before, after=after)
        assert names == ([] if before == after else [f"{kind}.UPDATE"])
    assert types(kind=kind, seq=2, before="CREATED", after="CREATED") == []


def test_a_first_change_has_a_create_event_before_its_status_event() -> None:
    assert types(kind="WALLET.SWAP", seq=1, after="OPEN_QUOTE") == [
        *("WALLET.SWAP.TRANSACTION.CREATE", "WALLET.SWAP.STATUS.OPEN_QUOTE")
    ]
    # Ramps leave CREATED at once, and contract pages list no such event.
    assert types(kind="OFFRAMP", seq=1, after="CREATED") == ["OFFRAMP.TRANSACTION.CREATE"]
    assert types(kind="ONRAMP", seq=1, after="FIAT_INITIATED") == [
        *("ONRAMP.TRANSACTION.CREATE", "ONRAMP.STATUS.FIAT_INITIATED")
    ]


def test_deposit_events_follow_the_event_of_their_record() -> None:
    created = events_of(
        change(kind="WALLET.TRANSFER.BATCH", seq=4, before="PENDING", after="COMPLETED"), deposits=2
    )
    assert [each.type for each in created] == [
        "WALLET.TRANSFER.BATCH.UPDATE",
        *("WALLET.TOKEN.BALANCE.UPDATE",) * 2,
    ]
    assert [family(each) for each in created] == ["WALLET.TRANSFER.BATCH", DEPOSITS, DEPOSITS]
    assert [deposit_index(each) for each in created[1:]] == [0, 1]
    assert {each.category for each in created} == {"WALLET"}
    assert {each.action for each in created} == {"UPDATE"}
    assert types(kind="WALLET.DEPOSIT", seq=1, after="COMPLETED", deposits=1) == [
        "WALLET.TOKEN.BALANCE.UPDATE"
    ]


def test_corrections_and_gas_costs_have_no_event() -> None:
    for kind in ("LEDGER.ADJUSTMENT", "LEDGER.CORRECTION", "CHAIN.GAS"):
        assert not makes_deposits(change(kind=kind, seq=1, after="COMPLETED"))
        assert types(kind=kind, seq=1, after="COMPLETED") == []
    assert not makes_deposits(change(kind="USER", seq=1))
    assert makes_deposits(change(kind="WALLET.SWAP", seq=1, after="COMPLETED"))


@pytest.mark.parametrize(
    ("kind", "change_type", "type_"),
    [
        ("USER", "create", "USER.CREATE"),
        ("TOS_LINK", "update", "TOS_LINK.UPDATE"),
        ("KYC.STATUS", "update", "KYC.STATUS.UPDATE"),
        ("ACCOUNT.OFFRAMP", "create", "ACCOUNT.OFFRAMP.CREATE"),
        ("ONRAMP.RFI", "open", "ONRAMP.RFI.OPEN"),
        ("OFFRAMP.RFI", "closed", "OFFRAMP.RFI.CLOSED"),
        ("TRAVEL_RULE.DATA", "missing", "TRAVEL_RULE.DATA.MISSING"),
        ("REPORT", "ready", "REPORT.READY"),
        ("REPORT", "failed", "REPORT.FAILED"),
        ("WEBHOOK", "test", "WEBHOOK.TEST"),
    ],
)
def test_records_without_status_are_named_by_action(
    kind: str, change_type: str, type_: str
) -> None:
    (event,) = events_of(change(kind=kind, change_type=change_type, seq=3))
    assert (event.type, event.action) == (type_, type_.rpartition(".")[2])


@pytest.mark.parametrize(
    ("kind", "change_type"),
    [
        ("OFFRAMP.RFI", "answered"),
        ("OFFRAMP.RFI", "erase"),
        ("WEBHOOK", "rotate"),
        ("ORG", "create"),
        ("API_KEY", "revoke"),
        ("APPROVAL", "update"),
        ("INCOMING_PAYMENT", "match"),
        ("REPORT.SCHEDULE", "create"),
        ("TRAVEL_RULE.DATA", "complete"),
        ("ACCOUNT.SETTLEMENT_RULE", "create"),
    ],
)
def test_nothing_else_has_an_event(kind: str, change_type: str) -> None:
    assert types(kind=kind, change_type=change_type, seq=1) == []


def test_sequences_grow_over_the_events_of_an_object() -> None:
    sequences = [
        each.sequence
        for seq in range(1, 6)
        for each in events_of(
            change(kind="WALLET.SWAP", seq=seq, before=None if seq == 1 else "A", after="PENDING"),
            deposits=50,
        )
    ]
    assert sequences == sorted(set(sequences))
    assert sequences[:3] == [1, 2, 3]
    # Within the exact integers of JavaScript.
    last = events_of(change(kind="USER", change_type="update", seq=(1 << 31) - 1))[0]
    assert last.sequence < 1 << 53


def test_a_change_with_more_events_than_ids_has_the_first_of_them(
    logged: Callable[[], str],
) -> None:
    recorded = change(kind="WALLET.DEPOSIT", seq=1, after="DONE")
    events = events_of(recorded, deposits=PARTS_MAX + 1)
    assert [each.part for each in events] == list(range(PARTS_MAX))
    assert "events.too_many" in logged()


def test_a_status_that_a_newer_version_knows_has_no_event_here(logged: Callable[[], str]) -> None:
    recorded = change(kind="WALLET.SWAP", seq=1, after="NOT_YET_KNOWN")
    assert [each.type for each in events_of(recorded)] == ["WALLET.SWAP.TRANSACTION.CREATE"]
    assert "WALLET.SWAP.STATUS.NOT_YET_KNOWN" in logged()


def test_only_the_create_events_of_ramps_have_another_spelling() -> None:
    others = {type_: in_spelling(type_, is_created=True) for type_ in TYPES}
    changed = {type_: other for type_, other in others.items() if other != type_}
    assert changed == {
        "ONRAMP.TRANSACTION.CREATE": "ONRAMP.TRANSACTION.CREATED",
        "OFFRAMP.TRANSACTION.CREATE": "OFFRAMP.TRANSACTION.CREATED",
    }
    assert [in_spelling(each, is_created=False) for each in TYPES] == TYPES


@pytest.mark.parametrize(
    ("pattern", "expected", "unwanted"),
    [
        ("*", "KYC.DATA.UPDATE", None),
        ("USER.CREATE", "USER.CREATE", "USER.UPDATE"),
        ("ONRAMP.*", "ONRAMP.STATUS.IN_REVIEW", "OFFRAMP.STATUS.IN_REVIEW"),
        ("ONRAMP.STATUS.*", "ONRAMP.STATUS.UNKNOWN", "ONRAMP.TRANSACTION.CREATE"),
        ("*.RFI.OPEN", "OFFRAMP.RFI.OPEN", "OFFRAMP.RFI.CLOSED"),
        ("WALLET.*.CREATE", "WALLET.TRANSFER.BATCH.CREATE", "WALLET.TRANSFER.BATCH.UPDATE"),
        ("*.STATUS.COMPLETED", "WALLET.SWAP.STATUS.COMPLETED", "KYC.STATUS.UPDATE"),
        ("*.*.*.*", "WALLET.SWAP.STATUS.CREATED", "USER.CREATE"),
        ("KYC.*", "KYC.STATUS.CREATE", "KYC_LINK.CREATE"),
    ],
)
def test_a_star_matches_one_part_or_more(pattern: str, expected: str, unwanted: str | None) -> None:
    assert check_patterns([pattern], field="eventTypes") == (pattern,)
    assert matches_any([pattern], expected)
    assert matches_any(["WEBHOOK.TEST", pattern], expected)
    assert unwanted is None or not matches_any([pattern], unwanted)


@given(st.sampled_from(TYPES), st.data())
def test_a_name_fits_itself_with_any_of_its_parts_replaced(type_: str, data: st.DataObject) -> None:
    parts = ["*" if data.draw(st.booleans(), label=part) else part for part in type_.split(".")]
    pattern = ".".join(parts)
    (pattern_,) = check_patterns([pattern], field="eventTypes")
    assert matches_any([pattern_], type_)
    assert all(
        matches_any([pattern_], each)
        == bool(re.fullmatch(re.escape(pattern).replace(r"\*", ".+"), each))
        for each in TYPES
    )


@pytest.mark.parametrize(("older", "newer"), LEGACY.items())
def test_an_older_name_is_refused_with_the_newer(older: str, newer: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        check_patterns(["USER.*", older], field="eventTypes")
    assert refused.value.field == "eventTypes"
    assert f"use {newer}" in refused.value.message
    # Its suggestions are valid.
    assert check_patterns([newer], field="eventTypes") == (newer,)


def test_a_pattern_of_older_names_is_refused_with_all_that_is_newer() -> None:
    with pytest.raises(FieldInvalid, match=r"use WALLET\.SWAP\.TRANSACTION\.CREATE, WALLET\.SWAP"):
        check_patterns(["SWAP.*"], field="eventTypes")


def test_the_other_published_spelling_is_kept_as_the_one_of_the_specification() -> None:
    patterns = [*("ONRAMP.TRANSACTION.CREATED", "OFFRAMP.TRANSACTION.CREATED"), "USER.*"]
    assert check_patterns([*patterns, "ONRAMP.TRANSACTION.CREATE"], field="eventTypes") == (
        *("ONRAMP.TRANSACTION.CREATE", "OFFRAMP.TRANSACTION.CREATE", "USER.*"),
    )


@pytest.mark.parametrize(
    "pattern",
    [
        *("", " ", ".", "user.create", "USER.", ".USER", "USER..CREATE", "USER.CREAT", "US*", "**"),
        *(
            "ONRAMP.STATUS.CRYPTO_*",
            "*.TRANSACTION.CREATED",
            "USER.CREATE\n",
            "A" * 101,
            "*.*.*.*.*",
        ),
        "WALLET.SWAP.TRANSACTION.CREATED",
    ],
)
def test_an_unknown_event_type_is_refused(pattern: str) -> None:
    with pytest.raises(FieldInvalid):
        check_patterns([pattern], field="eventTypes")


def test_patterns_are_one_to_a_hundred() -> None:
    for texts in ([], ["*"] * 101):
        with pytest.raises(FieldInvalid):
            check_patterns(texts, field="eventTypes")
    assert check_patterns(["*"] * 100, field="eventTypes") == ("*",)


def test_patterns_that_could_take_long_do_not() -> None:
    with pytest.raises(FieldInvalid):
        check_patterns([".".join("*" * 50)], field="eventTypes")


@given(st.uuids(), st.integers(1, (1 << 31) - 1), st.integers(0, PARTS_MAX - 1))
def test_an_id_is_read_as_it_was_written(object_id: UUID, seq: int, part: int) -> None:
    key = EventKey(object_id, seq, part)
    assert event_key(key.text) == key
    assert re.fullmatch(r"evt_[0-9a-f]{42}", key.text)


@given(st.text(max_size=60))
def test_other_texts_are_not_event_ids(text: str) -> None:
    key = event_key(text)
    assert key is None or key.text == text


def test_a_change_is_read_in_the_order_of_its_parts() -> None:
    created = events_of(change(kind="WALLET.SWAP", seq=1, after="OPEN_QUOTE"), deposits=1)
    assert [each.part for each in created] == [0, 1, 2]
    assert len({each.key.text for each in created}) == 3
    assert isinstance(created[0].change, Change)


@pytest.mark.parametrize("name", ["ONRAMP.CREATE", "ONRAMP.UPDATE", "OFFRAMP.UPDATE"])
def test_a_subscription_may_have_the_retired_names_that_are_still_sent(name: str) -> None:
    assert check_subscription(["USER.*", name]) == ("USER.*", name)
    newer = [each for each in TYPES if matches_any([name], each)]
    assert newer == [each for each in TYPES if matches_any([LEGACY[name]], each)]
    assert {sent_type(each, [name, "*"], is_created=True) for each in newer} == {name}
    assert {sent_type(each, ["*"], is_created=False) for each in newer} == set(newer)


def test_a_subscription_refuses_the_other_older_names() -> None:
    with pytest.raises(FieldInvalid, match=r"SWAP\.UPDATE is an older name"):
        check_subscription(["SWAP.UPDATE"])
