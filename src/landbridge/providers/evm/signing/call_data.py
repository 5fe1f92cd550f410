"""Decoding of call data: parameters by position. Unreadable data are refused.

A call is known only if encoding the decoded values gives the same data (`check_encoding`), so that
this module and the contract can't interpret it differently.
"""

from landbridge.providers.evm.abi import AbiFunction, AbiValue
from landbridge.providers.evm.signing.model import SigningRefused

_SELECTOR = 4
_WORD = 32
_ADDRESS_START = 12


def check_encoding(data: bytes, function: AbiFunction, *values: AbiValue) -> None:
    """Raise `SigningRefused` unless the data are the canonical encoding of these values."""
    if function.encode(*values) != data:
        raise SigningRefused(f"the data are not the usual encoding of {function.name}")


def read_array(data: bytes, index: int) -> list[bytes]:
    """Return the words of an array parameter."""
    start = _SELECTOR + read_number(data, index)
    count = _number_at(data, start)
    end = start + _WORD * (1 + count)
    if end > len(data):
        raise SigningRefused("the data end early")
    return [data[each : each + _WORD] for each in range(start + _WORD, end, _WORD)]


def read_bytes(data: bytes, index: int) -> bytes:
    """Return a parameter of type bytes; the caller checks its encoding."""
    offset = read_number(data, index)
    length = _number_at(data, _SELECTOR + offset)
    start = _SELECTOR + offset + _WORD
    return data[start : start + length]


def read_address(data: bytes, index: int) -> str:
    """Return an address parameter, without EIP-55 capital letters."""
    return "0x" + read_word(data, index)[_ADDRESS_START:].hex()


def read_number(data: bytes, index: int) -> int:
    """Return a number parameter."""
    return int.from_bytes(read_word(data, index))


def read_word(data: bytes, index: int) -> bytes:
    """Return the 32 bytes of a parameter."""
    return _word_at(data, _SELECTOR + index * _WORD)


def _number_at(data: bytes, start: int) -> int:
    return int.from_bytes(_word_at(data, start))


def _word_at(data: bytes, start: int) -> bytes:
    word = data[start : start + _WORD]
    if len(word) != _WORD:
        raise SigningRefused("the data end early")
    return word
