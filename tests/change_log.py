"""Places of all changes in the log."""

from landbridge.platform.changes.placing import place_changes
from landbridge.platform.db.pool import Database


async def placed(database: Database) -> None:
    """Give every commit so far its place in the log, as readers do for their organisations."""
    rows = await database.rows("select id from orgs")
    await place_changes(database, [row["id"] for row in rows])
