"""Strict parsing of JSON-RPC values: quantities, bytes, hashes and addresses in hexadecimal.

A value that is not spelled as the specification of the execution API demands raises
`AnswerInvalid`: a value that is parsed leniently could be booked as money.
"""

import re
from typing import Any, cast

from landbridge.platform.formats.evm_addresses import checksummed

# A quantity has no leading zero; 64 digits have 256 bits.
_QUANTITY = re.compile(r"0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})", re.ASCII)
_DATA = re.compile(r"0x(?:[0-9a-fA-F]{2})*", re.ASCII)
_HASH = re.compile(r"0x[0-9a-fA-F]{64}", re.ASCII)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}", re.ASCII)
_BASE = 16
# Largest number of a database column, and the last second of the year 9999.
_NUMBER_MAX = 2**63 - 1
TIME_MAX_S = 253_402_300_799


class AnswerInvalid(ValueError):
    """An answer of a node does not have the form of the specification."""


def read_quantity(value: object) -> int:
    """Return a quantity, 0 to 2**256 - 1."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise AnswerInvalid("a quantity is not 0x and hexadecimal digits without leading zero")
    return int(value, _BASE)


def read_number(value: object) -> int:
    """Return a number of blocks, logs or gas, which fits a database column."""
    number = read_quantity(value)
    if number > _NUMBER_MAX:
        raise AnswerInvalid("a number is larger than any that a chain reaches")
    return number


def read_time(value: object) -> int:
    """Return seconds since 1970; at most the end of the year 9999."""
    time_s = read_quantity(value)
    if time_s > TIME_MAX_S:
        raise AnswerInvalid("a time is after the year 9999")
    return time_s


def read_data(value: object) -> bytes:
    """Return bytes of any length."""
    if not isinstance(value, str) or not _DATA.fullmatch(value):
        raise AnswerInvalid("bytes are not 0x and an even number of hexadecimal digits")
    return bytes.fromhex(value[2:])


def read_hash(value: object) -> str:
    """Return a hash of 32 bytes: 0x and 64 digits in lower case."""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise AnswerInvalid("a hash is not 0x and 64 hexadecimal digits")
    return value.lower()


def read_address(value: object) -> str:
    """Return an address with EIP-55 capital letters; nodes may write it in lower case."""
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise AnswerInvalid("an address is not 0x and 40 hexadecimal digits")
    return checksummed(value[2:].lower())


def read_object(value: object) -> dict[str, Any]:
    """Return a JSON object."""
    if not isinstance(value, dict):
        raise AnswerInvalid("an object is missing")
    return cast("dict[str, Any]", value)


def read_list(value: object) -> list[Any]:
    """Return a JSON list."""
    if not isinstance(value, list):
        raise AnswerInvalid("a list is missing")
    return cast("list[Any]", value)
