"""Ids are made here and nowhere else.

UUIDv7, so that new rows land beside each other in an index. That is a matter of speed alone: no
code reads a time out of an id, and no order that correctness needs is taken from one.
"""

import os
import time
from uuid import UUID, uuid5

_RAND_B_BITS = 62


def new_id() -> UUID:
    """A fresh UUIDv7."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10))
    value = (
        (milliseconds & 0xFFFF_FFFF_FFFF) << 80
        | 0x7 << 76
        | (random >> _RAND_B_BITS & 0xFFF) << 64
        | 0b10 << _RAND_B_BITS
        | random & ((1 << _RAND_B_BITS) - 1)
    )
    return UUID(int=value)


def derived_id(parent: UUID, name: str) -> UUID:
    """The same id for the same parent and name, each time; never one made by `new_id`."""
    return uuid5(parent, name)


def as_uuid(text: str) -> UUID | None:
    """The id that `text` spells in its canonical form, or None."""
    try:
        parsed = UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text.lower() else None
