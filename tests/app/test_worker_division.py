"""A worker beside another one works on the organisations of its share alone."""

import asyncio
from pathlib import Path

from landbridge.app.container import open_container
from landbridge.app.settings import Settings
from landbridge.app.worker import work
from landbridge.platform.db.worker_shares import WorkPart

PATIENCE_S = 60.0
# Roll-ups of reports begin with a build.
BUILDS = "select org_id from report_builds"


async def test_organisations_are_divided(own_dsn: str, tmp_path: Path) -> None:
    stop, part = asyncio.Event(), WorkPart(0, 2)
    async with open_container(Settings(data_dir=str(tmp_path)), own_dsn, name="tests") as container:
        orgs = [(await container.orgs.create(f"Test {number}")).id for number in range(12)]
        own = {each for each in orgs if part.has(each)}
        container.worker_share.part = part
        working = asyncio.create_task(work(container, stop))
        built: set[object] = set()
        async with asyncio.timeout(PATIENCE_S):
            while not built >= own:
                built = {row["org_id"] for row in await container.database.rows(BUILDS)}
                await asyncio.sleep(0.1)
        stop.set()
        await working
    assert built == own
