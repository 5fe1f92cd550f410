"""A request in one spelling, as it is kept and as replays must equal it."""

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from landbridge.web.body import AmountText, as_asked, decode
from landbridge.web.reply import WireStruct


class _Part(WireStruct, frozen=True):
    amount: AmountText
    note_text: str | None = None


class _Asked(WireStruct, frozen=True):
    value: Decimal
    parts: tuple[_Part, ...] = ()
    text: str = "10.0"
    is_fast: bool | None = False
    amount: AmountText | None = None
    rest: dict[str, Any] | None = None


@pytest.mark.parametrize(
    ("told", "spelled"),
    [
        *((each, "10") for each in ("10", "10.0", '"10"', '"10.00"', "1e1")),
        ("0.10", "0.1"),
        ("-0.0", "0"),
        ("1e-7", "0.0000001"),
        # Refused later; told as it was, and not as a number of a million digits.
        ("1e900000", "1E+900000"),
    ],
)
def test_a_number_has_one_spelling(told: str, spelled: str) -> None:
    decoder = msgspec.json.Decoder(_Asked)
    assert as_asked(decode(b'{"value": %s}' % told.encode(), decoder)) == {"value": spelled}


@pytest.mark.parametrize(
    ("told", "spelled"),
    [
        *((each, "10") for each in ("10", "10.0", "10.000", "010")),
        *((each, each) for each in ("", " 10", "1e1", "10.", ".5", "-1", "٣", "1" * 101)),
    ],
)
def test_an_amount_in_a_text_has_one_spelling_and_other_texts_stay(told: str, spelled: str) -> None:
    asked = as_asked(_Asked(value=Decimal(1), text="7.0", amount=told, parts=(_Part(amount=told),)))
    assert asked == {
        "value": "1",
        "text": "7.0",
        "amount": spelled,
        "parts": [{"amount": spelled}],
    }


def test_what_is_left_out_null_or_holds_anyway_is_left_out() -> None:
    whole = _Asked(
        value=Decimal(1),
        is_fast=True,
        parts=(_Part(amount="1", note_text="a"),),
        rest={"a": None, "b": [None, {"c": None, "d": Decimal("1.0")}]},
    )
    assert as_asked(whole) == {
        "value": "1",
        "isFast": True,
        "parts": [{"amount": "1", "noteText": "a"}],
        "rest": {"b": [None, {"d": "1"}]},
    }
    for is_fast in (False, None):
        assert as_asked(_Asked(value=Decimal(1), is_fast=is_fast)) == {"value": "1"}
