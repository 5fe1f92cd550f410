"""Freeze and erasure checks, for the transactions of other packages."""

from collections.abc import Collection
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


async def frozen_users(tx: Tx, org_id: UUID, user_ids: Collection[UUID]) -> set[UUID]:
    """Return the frozen ones among these users; no row is locked."""
    found = await store.which_frozen(tx, [(org_id, each) for each in user_ids])
    return {user_id for (_, user_id), is_frozen in found.items() if is_frozen}
