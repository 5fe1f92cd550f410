"""Erasure check for transactions that assign resources to a user."""

from uuid import UUID

from landbridge.customers.users import store
from landbridge.platform.db.pool import Tx


async def is_erased(tx: Tx, org_id: UUID, user_id: UUID) -> bool:
    """Return whether the user's personal data was erased; True also for an unknown user.

    The user's row is locked until the transaction ends: an erasure waits, and then finds the
    operations that this transaction has started.
    """
    found = await store.lock(tx, org_id, user_id)
    return found is None or found.card.erased_at is not None
