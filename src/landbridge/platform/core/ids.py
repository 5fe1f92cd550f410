"""Creation of ids; no other module creates any.

Ids are UUIDv7, so that new rows are adjacent in an index. That is only for speed: no code reads a
time from an id, and no order that correctness needs depends on one.
"""

import os
import time
from uuid import UUID, uuid5

SHORT_ID_LENGTH = 12

_RAND_B_BITS = 62


def new_id() -> UUID:
    """Create a UUIDv7."""
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


def short_id(id_: UUID | str) -> str:
    """Return the short form of an id: its last 12 digits, which are random.

    In an organisation with a million payments, the probability that any two share a short form is
    0.2 %. A search then lists both.
    """
    return str(id_)[-SHORT_ID_LENGTH:]


def derived_id(parent: UUID, name: str) -> UUID:
    """Derive an id from a parent id and a name.

    The same arguments always give the same id, and it never equals one of `new_id`.
    """
    return uuid5(parent, name)


def as_uuid(text: str) -> UUID | None:
    """Parse an id in its canonical form; None for any other text."""
    try:
        parsed = UUID(text)
    except ValueError:
        return None
    return parsed if str(parsed) == text.lower() else None
