"""Clock nodes: a number per process that makes its timestamps unique (platform/core/clock.py)."""

from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs import store


async def take_node(database: Database) -> int:
    """Take a clock node for this process."""

    async def take(tx: Tx) -> int:
        return await store.take_node(tx)

    return await database.single(take)
