"""Names for the outboxes of chains other than EVM: stored orders and sending accounts."""

from landbridge.providers.evm.outbox.attempt_store import (
    SENT_BEFORE,
    add_account,
    relayers,
    set_balances,
    stop,
    stopped,
)
from landbridge.providers.evm.outbox.order_store import (
    WAITS_FOR_ADDRESS,
    by_keys,
    due,
    lock_created,
    move,
    of_record,
    to_follow,
    units_in_flight,
)

__all__ = [
    "SENT_BEFORE",
    "WAITS_FOR_ADDRESS",
    "add_account",
    "by_keys",
    "due",
    "lock_created",
    "move",
    "of_record",
    "relayers",
    "set_balances",
    "stop",
    "stopped",
    "to_follow",
    "units_in_flight",
]
