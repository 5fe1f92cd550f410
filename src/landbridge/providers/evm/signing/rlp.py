"""RLP, the encoding of transactions: byte strings, whole numbers from 0 and lists of these."""

from collections.abc import Sequence
from typing import TypeAlias, Union

from landbridge.platform.core.errors import InvariantBroken

RlpItem: TypeAlias = Union[bytes, int, Sequence["RlpItem"]]  # noqa: UP007  a forward reference

_STRING = 0x80
_LIST = 0xC0
# A length up to this is in the first byte; of a longer one, the first byte has the size.
_SHORT_MAX = 55


def encode_rlp(item: RlpItem) -> bytes:
    """Return the encoding of an item; a number is its shortest big-endian form, 0 is empty."""
    if isinstance(item, int):
        if item < 0:
            raise InvariantBroken("RLP has no negative numbers")
        item = item.to_bytes((item.bit_length() + 7) // 8)
    if isinstance(item, bytes):
        if len(item) == 1 and item[0] < _STRING:
            return item
        return _header(len(item), _STRING) + item
    body = b"".join([encode_rlp(each) for each in item])
    return _header(len(body), _LIST) + body


def _header(length: int, kind: int) -> bytes:
    if length <= _SHORT_MAX:
        return bytes([kind + length])
    size = length.to_bytes((length.bit_length() + 7) // 8)
    return bytes([kind + _SHORT_MAX + len(size)]) + size
