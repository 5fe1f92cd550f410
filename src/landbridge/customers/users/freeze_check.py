"""Freeze check for transactions that send what users have paid."""

from collections.abc import Collection
from uuid import UUID

from landbridge.customers.users import store
from landbridge.platform.db.pool import Tx


async def frozen_users(tx: Tx, org_id: UUID, user_ids: Collection[UUID]) -> set[UUID]:
    """Return the frozen ones among these users; no row is locked."""
    found = await store.which_frozen(tx, [(org_id, each) for each in user_ids])
    return {user_id for (_, user_id), is_frozen in found.items() if is_frozen}
