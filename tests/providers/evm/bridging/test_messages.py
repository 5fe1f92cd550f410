"""Messages of CCTP V2: the places of their members, and what is not read as a burn."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.formats.evm_addresses import checksummed
from landbridge.providers.evm.bridging.messages import (
    FINALIZED,
    BurnMessage,
    read_message,
)
from landbridge.providers.evm.quantities import AnswerInvalid
from tests.providers.evm.bridging.message_bytes import encode_message

ADDRESSES = st.binary(min_size=20, max_size=20).map(lambda raw: checksummed(raw.hex()))
WORDS, NUMBERS = st.binary(min_size=32, max_size=32), st.integers(0, 2**256 - 1)
DOMAINS = st.integers(0, 2**32 - 1)
MESSAGES = st.builds(
    BurnMessage,
    source_domain=DOMAINS,
    destination_domain=DOMAINS,
    nonce=WORDS,
    messenger=ADDRESSES,
    handler=ADDRESSES,
    caller=WORDS,
    min_finality=DOMAINS,
    finality=DOMAINS,
    token=ADDRESSES,
    recipient=ADDRESSES,
    amount_units=NUMBERS,
    owner=ADDRESSES,
    fee_max_units=NUMBERS,
    fee_units=NUMBERS,
    expiration_block=NUMBERS,
)
change = msgspec.structs.replace


def address(digit: int) -> str:
    return checksummed(f"{digit:x}" * 40)


BURN = BurnMessage(
    source_domain=7,
    destination_domain=6,
    nonce=bytes(31) + b"\5",
    messenger=address(1),
    handler=address(2),
    caller=bytes(32),
    min_finality=FINALIZED,
    finality=FINALIZED,
    token=address(3),
    recipient=address(4),
    amount_units=10,
    owner=address(5),
)


@given(MESSAGES)
def test_a_message_is_read_as_it_is_written(message: BurnMessage) -> None:
    assert read_message(encode_message(message)) == message


def test_members_have_the_places_of_the_format() -> None:
    """Indexes as in MessageV2.sol and BurnMessageV2.sol of circlefin/evm-cctp-contracts."""
    raw = encode_message(BURN)
    assert len(raw) == 148 + 228
    assert [int.from_bytes(raw[start : start + 4]) for start in (0, 4, 8)] == [1, 7, 6]
    assert raw[12:44] == BURN.nonce
    words = {44: 1, 76: 2, 148 + 4: 3, 148 + 36: 4, 148 + 100: 5}
    for start, digit in words.items():
        assert raw[start : start + 32].hex() == "0" * 24 + f"{digit}" * 40
    assert [int.from_bytes(raw[start : start + 4]) for start in (140, 144, 148)] == [2000, 2000, 1]
    assert int.from_bytes(raw[148 + 68 : 148 + 100]) == 10
    assert raw[148 + 132 :] == bytes(96)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        encode_message(BURN)[:-1],
        encode_message(BURN) + b"\0",
        b"\0\0\0\2" + encode_message(BURN)[4:],
        encode_message(BURN)[:148] + b"\0\0\0\2" + encode_message(BURN)[152:],
        # A recipient on Solana.
        encode_message(BURN)[:184] + b"\1" * 32 + encode_message(BURN)[216:],
    ],
)
def test_other_bytes_are_no_burn(raw: bytes) -> None:
    with pytest.raises(AnswerInvalid):
        read_message(raw)


def test_a_message_pays_as_the_burn_whatever_its_nonce() -> None:
    assert change(BURN, nonce=b"\7" * 32, finality=2001, expiration_block=9).pays_as(BURN)


@pytest.mark.parametrize(
    "other",
    [
        {"source_domain": 0},
        {"destination_domain": 0},
        {"messenger": address(6)},
        {"handler": address(6)},
        {"caller": b"\1" * 32},
        {"min_finality": 1000},
        {"finality": 1999},
        {"token": address(6)},
        {"recipient": address(6)},
        {"amount_units": 9},
        {"owner": address(6)},
        {"fee_max_units": 1},
        {"fee_units": 1},
    ],
)
def test_another_message_does_not_pay_as_the_burn(other: dict[str, object]) -> None:
    assert not change(BURN, **other).pays_as(BURN)
