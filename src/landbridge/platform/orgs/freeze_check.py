"""Freeze check for transactions that send payments of an organisation."""

from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.orgs import store


async def is_org_frozen(tx: Tx, org_id: UUID) -> bool:
    """Return whether the organisation is frozen; takes no lock."""
    (found,) = await store.get_batch(tx, [org_id])
    return found is not None and found.frozen_at is not None
