"""Stored parts of a request, none of which is personal."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.app.container.registry import WAITS
from landbridge.app.routes import ROUTES
from landbridge.customers.bank_accounts.types import NAMES
from landbridge.customers.kyc import fields
from landbridge.developers.request_log.model import CapturedRequest
from landbridge.developers.request_log.redaction import REDACTED, RedactedRequest, our_names, redact

ID = "01a1ff1d-2980-776c-b96f-d88e8da669a5"
# Identifying data in every form in which it occurs.
PERSONAL = (
    *("Ada", "Ada Lovelace", "ADA", "ada@example.com", "+14155550123", "536-90-4398", "536904398"),
    *("DE89370400440532013000", "021000021", "12 Main Street", "203.0.113.7", "1990-01-01"),
    *("0x7E732e9Cf9CAD1D77E980Ee9E24bAb0B557812a3", "Миша", "passport", "canary0f2e1d", "NY"),
    *("https://example.com/ada", "rent for May", "c9WFsBygYyO7f-LJRI4jP9Eze2UlzEb7XJaSJPfjRiU"),
)
# Personal names and numbers that resemble a date or an amount are kept only where an amount or a
# timestamp belongs.
NUMBERS = {"536904398", "021000021"}
DATES = {"1990-01-01"}


# The routes are known once the application exists.
assert ROUTES


def captured(
    body: Any = None, answer: Any = None, *, status: int = 200, **changes: Any
) -> CapturedRequest:
    """Capture a request and its response; bodies are encoded as JSON, or given as bytes."""
    whole: dict[str, Any] = {
        "org_id": UUID(ID),
        "key_id": None,
        "occurred_at": datetime(2026, 3, 4, tzinfo=UTC),
        "x_request_id": "a",
        "method": "POST",
        "route": "/v2/users/{userId}",
        "path_params": {"userId": ID},
        "path": f"/v2/users/{ID}",
        "query": b"",
        "headers": [],
        "status": status,
        "duration": timedelta(milliseconds=1),
        "request_body": _raw(body),
        "response_body": _raw(answer),
        **changes,
    }
    return CapturedRequest(**whole)


def _raw(body: Any) -> bytes | None:
    return body if isinstance(body, bytes) or body is None else json.dumps(body).encode()


def _redacted_body(body: Any) -> Any:
    redacted = redact(captured(body)).request_body
    return None if redacted is None else json.loads(redacted)


def _sentence(body: Any, sentence: str, **changes: Any) -> str:
    answer = {"code": 100001, "error": "FIELD_VALIDATION_ERROR", "errorDetails": sentence}
    redacted = redact(captured(body, answer, status=400, **changes)).response_body
    assert redacted is not None
    return json.loads(redacted)["errorDetails"]


def _all(redacted: RedactedRequest) -> str:
    return f"{redacted.path} {redacted.query} {redacted.request_body} {redacted.response_body}"


def test_ids_amounts_enumerations_and_timestamps_are_kept() -> None:
    body = {
        "requestId": ID,
        "source": {"userId": ID, "chain": "POLYGON", "currency": "usdc", "amount": "10.50"},
        "destination": {"userId": ID, "externalWalletId": None, "amount": 3},
        "requireApproval": True,
        "status": "OPEN_QUOTE",
        "createdAt": "2026-11-21T17:17:43.779+00:00",
        "fileIds": [f"file_{UUID(ID).hex}"],
    }
    assert _redacted_body(body) == body
    assert redact(captured(body)).request_id == ID


def test_everything_else_is_not() -> None:
    body = {"firstName": "Ada", "hasControl": True, "age": 36, "diary": ["a", {"b": 1}], "x": None}
    assert _redacted_body(body) == {
        "firstName": REDACTED,
        "hasControl": REDACTED,
        REDACTED: REDACTED,
    }


@pytest.mark.parametrize("value", PERSONAL)
def test_no_member_shows_anything_personal(value: str) -> None:
    found: set[str] = set()
    for name in our_names():
        body = {name: value, "source": {name: [value]}}
        redacted = redact(captured(body, body, query=f"{name}=".encode() + value.encode()))
        if json.dumps(value)[1:-1] in _all(redacted) or value in _all(redacted):
            found.add(name)
    if value in NUMBERS:
        assert "amount" in found
        assert not found & {"accountNumber", "routingNumber", "taxIdentificationNumber", "phone"}
    elif value in DATES:
        assert "createdAt" in found
        assert not found & {"dateOfBirth", "issuedDate", "formationDate"}
    else:
        assert found == set()


@pytest.mark.parametrize("value", [True, False, 0, 36, 1.5])
def test_personal_members_show_neither_numbers_nor_claims(value: object) -> None:
    tables = (fields.INDIVIDUAL, fields.BUSINESS, fields.OWNER, fields.DOCUMENT)
    names = {name for table in tables for name in table} - {"type", "subType"}
    assert len(names) > 80
    for name in names:
        assert json.dumps(value) not in json.dumps(_redacted_body({name: value})), name


def test_unknown_field_names_are_redacted() -> None:
    assert _redacted_body({"ada@example.com": "1", "Ada": {"amount": "1"}}) == {REDACTED: REDACTED}
    redacted = redact(captured(query=b"ada=1&firstName=Ada&limit=5&status=OPEN&cursor=2026-01-01"))
    assert json.loads(redacted.query) == {
        REDACTED: REDACTED,
        "firstName": REDACTED,
        "limit": "5",
        "status": "OPEN",
        "cursor": "2026-01-01",
    }


def test_metadata_is_the_callers_own() -> None:
    assert _redacted_body({"metadata": {"status": "OPEN", "id": ID}}) == {"metadata": REDACTED}


@pytest.mark.parametrize("part", ["ada@example.com", "Ada", "1990-01-01", "536904398", ID + "a"])
def test_a_part_of_a_path_that_is_no_id_is_not_shown(part: str) -> None:
    redacted = redact(captured(path_params={"userId": part}, path=f"/v2/users/{part}"))
    assert redacted.path == f"/v2/users/{REDACTED}"


def test_a_sentence_keeps_our_own_texts() -> None:
    body = {"firstName": "Ada", "amount": "x"}
    for sentence in (
        "lastName is required",
        "limit must be a whole number from 1 to 100",
        f"there is no user {ID}",
        "this approval is APPROVED already",
    ):
        assert _sentence(body, sentence) == sentence


@pytest.mark.parametrize(
    ("body", "sentence", "redacted"),
    [
        ({"chain": "Ada"}, "Invalid enum value 'Ada'", f"Invalid enum value '{REDACTED}'"),
        ({"chain": "ada"}, "no chain ADA", f"no chain {REDACTED}"),
        ({"a": "Adelaide"}, "no chain Adel…", f"no chain {REDACTED}…"),
        ({"a": "x"}, "call 14155550123", f"call {REDACTED}"),
        ({"a": "x"}, "born in Zürich", f"born in {REDACTED}"),
        ({"Ada": 1}, "'Ada' is given twice", f"'{REDACTED}' is given twice"),
        ({"a": ["b", {"c": "Lovelace"}]}, "no Lovelace", f"no {REDACTED}"),
        (b'{"a": "Ada', "no Ada", f"no {REDACTED}"),
    ],
)
def test_a_sentence_repeats_nothing_of_the_request(body: Any, sentence: str, redacted: str) -> None:
    assert _sentence(body, sentence) == redacted


def test_nor_of_its_path_query_and_headers() -> None:
    sentence = "no Ada, no Byron, no Babbage"
    changes: dict[str, Any] = {
        "path_params": {"userId": "Ada"},
        "query": b"name=By%72on",
        "headers": [(b"landbridge-sandbox", b"babbage=late")],
    }
    assert _sentence({}, sentence, **changes) == f"no {REDACTED}, no {REDACTED}, no {REDACTED}"


def test_where_the_request_is_not_known_a_sentence_is_not_kept() -> None:
    assert _sentence(None, "lastName is required") == REDACTED
    assert _sentence(None, "lastName is required", method="GET") == "lastName is required"


@pytest.mark.parametrize("body", [b"", b"no json", b"\xff\xfe", b'{"a": 1', b"[" * 5000, b"\x00"])
def test_invalid_json_is_not_stored(body: bytes) -> None:
    assert redact(captured(body)).request_body is None


def test_a_body_has_bounds() -> None:
    assert len(redact(captured([ID] * 400)).request_body or "") < 9_000
    assert len(redact(captured({"id": [{"id": ID}] * 5_000})).request_body or "") < 9_000
    deep: Any = ID
    for _ in range(50):
        deep = {"data": deep}
    assert ID not in (redact(captured(deep)).request_body or "")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.text() | st.sampled_from(sorted(our_names())), inner, max_size=4)
        ),
        max_leaves=20,
    ),
    st.text(),
)
def test_any_body_can_be_redacted(body: Any, sentence: str) -> None:
    answer = {"errorDetails": sentence}
    redacted = redact(captured(body, answer, status=400))
    for text in (redacted.request_body, redacted.response_body, redacted.query):
        assert text is None or "\x00" not in text


@given(st.text(st.characters(categories=["L"]), min_size=3).map(lambda text: f"q{text}q"))
def test_no_secret_is_stored_from_any_position(secret: str) -> None:
    names = ["firstName", "type", "id", "amount", "createdAt", "status", "metadata", secret]
    body = {name: {"data": [secret, {name: secret}]} for name in names}
    redacted = redact(captured(body, {**body, "errorDetails": f"no {secret} here"}, status=400))
    assert secret not in _all(redacted)
    assert secret not in json.dumps(_all(redacted), ensure_ascii=False)


def test_the_id_of_a_request_is_found_in_the_answer_too() -> None:
    answer = {"transferType": "WALLET.SWAP", "transferDetails": {"requestId": ID}}
    assert redact(captured({"amount": "1"}, answer)).request_id == ID
    assert redact(captured({"requestId": "Ada"}, {"message": "x"})).request_id is None
    assert redact(captured({"idempotencyKey": (key := str(uuid4()))})).request_id == key


def test_record_kinds_and_account_types_are_plain_words() -> None:
    for kind in WAITS:
        assert _redacted_body({"transferType": kind}) == {"transferType": kind}
    for each in NAMES:
        assert _redacted_body({"type": each}) == {"type": each}
