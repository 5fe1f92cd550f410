"""Errors of the decoder are told in the words of JSON, with the choices or an example."""

from datetime import date
from enum import StrEnum
from typing import Literal

import msgspec
import pytest

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.request_decoding import decode


class _Coin(StrEnum):
    USDC = "usdc"
    USDT = "usdt"


class _Wire(msgspec.Struct, tag="wire", tag_field="type"):
    coins: list[_Coin] | None = None


class _Ach(msgspec.Struct, tag="ach", tag_field="type"):
    pass


class _Body(msgspec.Struct):
    text: str | None = None
    coin: _Coin | None = None
    sides: list[Literal["x", "y"]] = []
    day: date | None = None
    by: _Wire | _Ach | None = None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"text": 1}', "text: expected string or null, got integer"),
        (b'{"coin": "USDC"}', "coin: must be one of usdc, usdt (write usdc, not USDC)"),
        (b'{"sides": ["x", "z"]}', "sides[1]: must be one of x, y, not z"),
        (b'{"day": "31.1.2026"}', "day: must be a date, as in 2026-01-31"),
        (b'{"by": {"type": "sepa"}}', "by.type: must be one of ach, wire, not sepa"),
        (
            b'{"by": {"type": "wire", "coins": ["eurc"]}}',
            "by.coins[0]: must be one of usdc, usdt, not eurc",
        ),
        (b"[]", "the request body: expected object, got array"),
    ],
)
def test_an_error_says_what_may_stand_there(raw: bytes, expected: str) -> None:
    with pytest.raises(FieldInvalid) as caught:
        decode(raw, msgspec.json.Decoder(_Body))
    assert caught.value.message == expected
