"""Strict hexadecimal: what is written as specified is read, and nothing else."""

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from landbridge.platform.formats.evm_addresses import checked_evm_address
from landbridge.providers.evm.quantities import (
    AnswerInvalid,
    read_address,
    read_data,
    read_hash,
    read_list,
    read_object,
    read_quantity,
)

ANYTHING = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())
NEARLY = st.from_regex(re.compile(r"0[xX]?[0-9a-fA-F _+-]{0,70}\n?"), fullmatch=True)


@given(number=st.integers(0, 2**256 - 1))
def test_quantities_are_read_as_written(number: int) -> None:
    assert read_quantity(hex(number)) == number
    assert read_quantity(f"0x{number:X}") == number
    with pytest.raises(AnswerInvalid):
        read_quantity(f"0x0{number:x}")


def test_quantities_have_256_bits_at_most() -> None:
    with pytest.raises(AnswerInvalid):
        read_quantity(hex(2**256))


@given(raw=st.binary(max_size=100))
def test_bytes_are_read_as_written(raw: bytes) -> None:
    assert read_data(f"0x{raw.hex()}") == raw
    assert read_data(f"0x{raw.hex().upper()}") == raw
    with pytest.raises(AnswerInvalid):
        read_data(f"0x{raw.hex()}0")


@given(raw=st.binary(min_size=32, max_size=32))
def test_hashes_are_in_lower_case(raw: bytes) -> None:
    assert read_hash(f"0x{raw.hex().upper()}") == f"0x{raw.hex()}"


@given(raw=st.binary(min_size=20, max_size=20).filter(any))
def test_addresses_have_their_checksum(raw: bytes) -> None:
    assert read_address(f"0x{raw.hex()}") == checked_evm_address(f"0x{raw.hex()}")


@pytest.mark.parametrize("read", [read_quantity, read_data, read_hash, read_address])
@given(value=ANYTHING | NEARLY)
@example(value="0x")
@example(value="0x1\n")
@example(value="0x_1")
@example(value="0x٣")
def test_all_else_is_refused(read: Callable[[object], object], value: object) -> None:
    try:
        read(value)
    except AnswerInvalid:
        return
    assert isinstance(value, str)
    assert re.fullmatch("0x[0-9a-fA-F]*", value, re.ASCII)


@given(value=ANYTHING)
def test_objects_and_lists_are_distinguished(value: object) -> None:
    with pytest.raises(AnswerInvalid):
        read_object(value)
    if not isinstance(value, list):
        with pytest.raises(AnswerInvalid):
            read_list(value)
