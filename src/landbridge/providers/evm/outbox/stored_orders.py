"""Names for the outboxes of chains other than EVM: stored orders and sending accounts."""

from landbridge.providers.evm.outbox.attempt_store import add_account, relayers, set_balances
from landbridge.providers.evm.outbox.order_store import (
    by_keys,
    due,
    lock_created,
    move,
    of_record,
    to_follow,
    units_in_flight,
)

__all__ = [
    "add_account",
    "by_keys",
    "due",
    "lock_created",
    "move",
    "of_record",
    "relayers",
    "set_balances",
    "to_follow",
    "units_in_flight",
]
