"""Tries of what must arrive: coins and fiat that are given back, and what else has no other way.

An order is carried out once per key, so one that was refused for good stays refused under that key
for ever. The next try is another order, with a key of its own; it is only made once the one before
is known to be refused, or both might arrive.

`tries` is how many were refused so far, and is kept with the record.
"""

from datetime import timedelta
from uuid import UUID

from landbridge.core.ids import derived_id

_FIRST_PAUSE = timedelta(minutes=1)
_PAUSE_MAX = timedelta(days=1)
# So often doubled, the first pause is above the longest.
_DOUBLED_MAX = 11


def key_of_try(key: UUID, tries: int) -> UUID:
    """The key of the next try, where `key` is the first one's."""
    return derived_id(key, f"try/{tries}") if tries else key


def pause_after(tries: int) -> timedelta:
    """How long the next try waits after so many: a minute, twice as long each time, at most a day.

    It goes on without end: what must arrive is never given up, and nobody has to restart it.
    """
    return min(_FIRST_PAUSE * 2 ** min(max(tries, 1) - 1, _DOUBLED_MAX), _PAUSE_MAX)
