"""Retry policy of orders that must succeed: refunds, returns, and others without an alternative.

An order is carried out once per key, so a final refusal stays final under that key. The next
attempt is another order with its own key. It is created only once the previous one is known to be
refused; otherwise both might succeed.

`attempts` is the number of refused attempts, and is stored with the record.
"""

from datetime import timedelta
from uuid import UUID

from landbridge.platform.core.ids import derived_id

_FIRST_PAUSE = timedelta(minutes=1)
_PAUSE_MAX = timedelta(days=1)
# With more doublings than this, the pause exceeds the maximum.
_DOUBLED_MAX = 11


def key_of_attempt(key: UUID, attempts: int) -> UUID:
    """Return the idempotency key of the next attempt; `key` is the key of the first attempt."""
    return derived_id(key, f"try/{attempts}") if attempts else key


def pause_after(attempts: int) -> timedelta:
    """Return the delay before the next attempt: a minute, doubled each time, at most a day.

    Attempts go on without a limit, so that nobody has to restart them.
    """
    return min(_FIRST_PAUSE * 2 ** min(max(attempts, 1) - 1, _DOUBLED_MAX), _PAUSE_MAX)
