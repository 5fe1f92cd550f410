"""Pages of connected chains in a real browser: no barriers, no overflow, no complaint."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from chains.configuration import format_configuration
from chains.deploy import deploy
from chains.nodes import NodeOptions, run_nodes
from playwright.async_api import Browser, expect

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from tests.app.processes.server_process import Served
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.conftest import PHONE, WIDE, dashboard_opener, served_here
from tests.chain_rows import add_chain_rows
from tests.chains.conftest import free_ports
from tests.conftest import new_database
from tests.providers.evm.anvil import anvil_binary

_PAGES = ("/dashboard/chains", "/dashboard/chains/POLYGON")


@pytest.fixture
async def connected_house(server_dsn: str, tmp_path: Path) -> AsyncIterator[Served]:
    """A server on a local chain, with relayers, one of them stopped, and an order."""
    options = NodeOptions(Chain.POLYGON, free_ports(1))
    with run_nodes(anvil_binary(), [options], logs=tmp_path) as (node,):
        path = tmp_path / "chains.toml"
        text = format_configuration({"POLYGON": deploy(node.rpc, Chain.POLYGON)})
        path.write_text(text, encoding="utf-8")
        async with new_database(server_dsn, is_migrated=False) as dsn:
            with served_here(tmp_path / "d", database_url=dsn, chains_file=str(path)) as server:
                database = await Database.connect(dsn, name="tests", size_max=2)
                (org,) = await database.rows("select id from orgs")
                await add_chain_rows(database, org["id"], uuid4())
                await database.close()
                yield server


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
async def test_no_page_of_a_chain_has_a_barrier(
    browser: Browser, connected_house: Served, viewport: dict[str, int], scheme: str
) -> None:
    wrong: dict[str, Any] = {}
    opener = dashboard_opener(browser, connected_house)
    async with opener(viewport=viewport, scheme=scheme) as page:
        for path in _PAGES:
            await page.goto(path)
            if found := await barriers(page):
                wrong[path] = found
        resume = page.get_by_role("button", name="Resume account")
        await expect(resume).to_be_visible()
    assert not wrong, wrong
