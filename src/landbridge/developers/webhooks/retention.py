"""Retention of personal data in events: while events are retained and deliveries are pending.

A snapshot (platform/encryption/snapshots.py) is the log's only record of an object's content. Once
no route shows its event any more, and no endpoint is still to receive it, the snapshot is deleted;
the change stays.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.developers.webhooks import store
from landbridge.platform.changes.service import delete_snapshots
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.failures import logged_failures
from landbridge.platform.db.pool import Database, Tx

# Deliveries are shown and resent for as long as events are retained, and retried for a day.
MARGIN = timedelta(days=2)
_BATCH = 500


async def delete_old_snapshots(
    database: Database,
    clock: Clock,
    offsets: Mapping[UUID, timedelta],
    retention: timedelta,
    *,
    batch: int = _BATCH,
) -> bool:
    """Delete some old snapshots of each organisation; return whether there may be more.

    An organisation where that fails is logged, and does not stop the others.
    """
    has_more = False
    for org_id, offset in offsets.items():
        with logged_failures(busy="snapshots.busy", failed="snapshots.failed", org_id=str(org_id)):
            before = clock.now(offset) - retention - MARGIN
            count = await database.transact(
                lambda tx, org_id=org_id, before=before: _sweep(tx, org_id, before, batch)
            )
            has_more |= count == batch
    return has_more


async def _sweep(tx: Tx, org_id: UUID, before: datetime, limit: int) -> int:
    below = await store.done_below(tx, org_id)
    return await delete_snapshots(tx, org_id, before=before, below=below, limit=limit)
