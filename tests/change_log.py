"""Places of changes in the log."""

from uuid import UUID

from landbridge.platform.changes.placing import place_changes
from landbridge.platform.db.pool import Database, Tx

_PLACE_BY_NUMBER = """
insert into change_batches (org_id, number, place)
select distinct org_id, batch, batch
from changes
where org_id = $1
"""
_END_LOG = """
insert into change_logs (org_id, last_place)
select org_id, max(place)
from change_batches
where org_id = $1
group by org_id
"""


async def placed(database: Database) -> None:
    """Give every commit so far its place in the log, as readers do for their organisations."""
    rows = await database.rows("select id from orgs")
    await place_changes(database, [row["id"] for row in rows])


async def place_by_number(tx: Tx, org_id: UUID) -> None:
    """Make a log of changes that were inserted by hand: their batch is also their place."""
    await tx.execute(_PLACE_BY_NUMBER, org_id)
    await tx.execute(_END_LOG, org_id)
