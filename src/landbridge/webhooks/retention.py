"""How long events show what is personal: as long as events are kept, and somebody waits for them.

A picture (privacy/pictures.py) is all that the log has of how somebody looked. Once no route shows
its event any more, and no endpoint is still to be told of it, it is taken away; the change stays.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.changes.service import forget_pictures
from landbridge.core.clock import Clock
from landbridge.db.pool import Database, Tx
from landbridge.webhooks import store

# Deliveries are looked at, and sent again, for as long as events are kept, and tried for a day.
MARGIN = timedelta(days=2)
_BATCH = 500


async def sweep_pictures(
    database: Database,
    clock: Clock,
    offsets: Mapping[UUID, timedelta],
    kept: timedelta,
    *,
    batch: int = _BATCH,
) -> bool:
    """Take old pictures away, some of each organisation; whether there may be more."""
    counts = [
        await database.transact(
            lambda tx, org_id=org_id, offset=offset: _sweep(
                tx, org_id, clock.now(offset) - kept - MARGIN, batch
            )
        )
        for org_id, offset in offsets.items()
    ]
    return batch in counts


async def _sweep(tx: Tx, org_id: UUID, before: datetime, limit: int) -> int:
    below = await store.done_below(tx, org_id)
    return await forget_pictures(tx, org_id, before=before, below=below, limit=limit)
