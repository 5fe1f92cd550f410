"""Report rollup worker that tests kill."""

import asyncio
from uuid import UUID

from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.reporting.rollups.updater import RollupUpdater
from tests.races.racing_processes import Pipe


def fold(pipe: Pipe, dsn: str, org_id: UUID) -> None:
    """Roll up every build of the organisation in small steps, forever."""

    async def run() -> None:
        database = await Database.connect(dsn, name="folder", size_max=1)
        folding = RollupUpdater(database, ReadingClock())
        pipe.send("at work")
        while True:
            for row in await database.rows(
                "select build from report_builds where org_id = $1 order by build", org_id
            ):
                await folding.step(org_id, row["build"], changes_max=9)
            await folding.sweep(org_id)

    asyncio.run(run())
