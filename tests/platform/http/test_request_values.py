"""Canonical form of a request, as stored and as compared with replays."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from landbridge.platform.http.request_decoding import AmountText, decode, request_values
from landbridge.platform.http.responses import WireStruct


class _RequestPart(WireStruct, frozen=True):
    amount: AmountText
    note_text: str | None = None


class _Request(WireStruct, frozen=True):
    value: Decimal
    parts: tuple[_RequestPart, ...] = ()
    text: str = "10.0"
    is_fast: bool | None = False
    amount: AmountText | None = None
    rest: dict[str, Any] | None = None


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        *((each, "10") for each in ("10", "10.0", '"10"', '"10.00"', "1e1")),
        ("0.10", "0.1"),
        ("-0.0", "0"),
        ("1e-7", "0.0000001"),
        # Refused later; stored as sent, not as a number with a million digits.
        ("1e900000", "1E+900000"),
    ],
)
def test_number_has_one_spelling(text: str, spelled: str) -> None:
    decoder = msgspec.json.Decoder(_Request)
    assert request_values(decode(b'{"value": %s}' % text.encode(), decoder)) == {"value": spelled}


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        *((each, "10") for each in ("10", "10.0", "10.000", "010")),
        *((each, each) for each in ("", " 10", "1e1", "10.", ".5", "-1", "٣", "1" * 101)),
    ],
)
def test_amount_in_a_text_has_one_spelling_and_other_texts_stay(text: str, spelled: str) -> None:
    values = request_values(
        _Request(value=Decimal(1), text="7.0", amount=text, parts=(_RequestPart(amount=text),))
    )
    assert values == {
        "value": "1",
        "text": "7.0",
        "amount": spelled,
        "parts": [{"amount": spelled}],
    }


def test_omitted_null_and_default_values_are_omitted() -> None:
    whole = _Request(
        value=Decimal(1),
        is_fast=True,
        parts=(_RequestPart(amount="1", note_text="a"),),
        rest={"a": None, "b": [None, {"c": None, "d": Decimal("1.0")}]},
    )
    assert request_values(whole) == {
        "value": "1",
        "isFast": True,
        "parts": [{"amount": "1", "noteText": "a"}],
        "rest": {"b": [None, {"d": "1"}]},
    }
    for is_fast in (False, None):
        assert request_values(_Request(value=Decimal(1), is_fast=is_fast)) == {"value": "1"}
