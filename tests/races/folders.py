"""A worker that folds reports and is killed in the tests beside this file."""

import asyncio
from uuid import UUID

from landbridge.core.clock import ReadingClock
from landbridge.db.pool import Database
from landbridge.reporting.rollups.folding import Folding
from tests.races.clerk import Pipe


def fold(say: Pipe, dsn: str, org_id: UUID) -> None:
    """Fold every build of the organisation in small steps, for ever."""

    async def run() -> None:
        database = await Database.connect(dsn, name="folder", size_max=1)
        folding = Folding(database, ReadingClock())
        say.send("at work")
        while True:
            for row in await database.rows(
                "select build from report_builds where org_id = $1 order by build", org_id
            ):
                await folding.step(org_id, row["build"], changes_max=9)
            await folding.sweep(org_id)

    asyncio.run(run())
