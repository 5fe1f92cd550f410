"""One of everything at a server that runs: also what no program can make, and what only pages name.

The server must keep deposits that fit nothing (`unmatched_deposits="hold"`).
"""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, cast

from playwright.async_api import Page

from landbridge.app import settings
from landbridge.app.cli_runtime import open_dsn
from landbridge.app.container import open_container
from landbridge.app.settings import Settings
from landbridge.sandbox.scenarios.client import ScenarioClient
from tests.app.processes.server_process import KEY, Served, clean_environ
from tests.dashboard.world import World, build
from tests.held_deposits import make_held_deposit
from tests.payments.bank_files.builders import USD
from tests.reporting.reconciliation.compared import make_reconciled
from tests.tenants import Tenant, full_caller

_PATIENCE_S, _PAUSE_S = 60, 0.05


async def furnish(server: Served, api: ScenarioClient, page: Page) -> World:
    """Make everything, and look around on a page of the admin's."""
    _leave_an_odd_file(server)
    world = await build(api)

    async def links(path: str) -> Sequence[str]:
        await page.goto(path)
        return await page.locator("main a").evaluate_all(
            "all => all.map(each => each.getAttribute('href') || '')"
        )

    await page.goto("/dashboard/transactions/views/new?view=failed")
    await page.get_by_role("textbox", name="Name").fill("Failed payments")
    await page.get_by_role("button", name="Save view").click()
    await page.wait_for_url("**/transactions?view=failed*")
    await world.find_linked_pages(links)
    # Content that appears asynchronously; the deposit is the second one of an onramp and matches
    # nothing.
    world.deposit = await _first(api, "/v2/reviews/deposits", "reviews")
    world.line = await _first(api, "/v2/reviews/bank-lines", "reviews")
    world.delivery = await _first(api, f"/v2/webhooks/{world.webhook}/deliveries", "deliveries")
    world.request = await _first(api, "/v2/request-log", "requests", key="xRequestId")
    await _leave_what_no_request_makes(server, world)
    return world


async def _leave_what_no_request_makes(server: Served, world: World) -> None:
    """Hold a deposit, find a difference and sign a close, beside the server on its database."""
    chosen = settings.read(clean_environ(**server.settings), data_dir=str(server.folder))
    with open_dsn(chosen) as dsn:
        await _leave_in(chosen, dsn, world)


async def _leave_in(chosen: Settings, dsn: str, world: World) -> None:
    async with open_container(chosen, dsn, name="tests") as container:
        (org,) = await container.orgs.all()
        # Nothing of this calls the API.
        tenant = Tenant(container, cast("Any", None), full_caller(org.id, org.id), KEY)
        reconciled = await make_reconciled(tenant)
        world.difference, world.close = reconciled["difference"], reconciled["close"]
        world.screening = await make_held_deposit(tenant)


async def _first(api: ScenarioClient, path: str, name: str, *, key: str = "id") -> str:
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            for each in (await api.get(path, limit=1))[name]:
                return str(each[key])
            await asyncio.sleep(_PAUSE_S)


def _leave_an_odd_file(server: Served) -> None:
    """The bank leaves a file that nobody can read, so a person has to."""
    folder = server.folder.with_name(f"{server.folder.name}.bank")
    (folder / "in").mkdir(parents=True)
    (folder / "in" / "odd").write_bytes(b"odd")
    head, path, _ = USD.rpartition("path = ")
    account = f'{head}{path}"{folder}"\n'
    command = [sys.executable, "-m", "landbridge", "bank-files"]
    for verb in ("account", "read"):
        done = subprocess.run(
            [*command, verb, "--data-dir", str(server.folder)],
            env=clean_environ(**server.settings),
            input=account,
            text=True,
            check=False,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
