"""Pages of connected chains in a real browser: no barriers, no overflow, no complaint."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from chains.configuration import format_configuration
from chains.deploy import deploy
from chains.nodes import NodeOptions, run_nodes
from chains.rpc import Rpc
from playwright.async_api import Browser, expect

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from landbridge.sandbox.scenarios.client import connected
from landbridge.sandbox.scenarios.people import sign_up
from tests.app.processes.server_process import KEY, Served
from tests.browser.dashboard.barriers import barriers
from tests.browser.dashboard.conftest import PHONE, WIDE, dashboard_opener, served_here
from tests.chain_rows import FIRST_HASH, MINED, SECOND_HASH, add_chain_rows
from tests.chains.conftest import free_ports
from tests.conftest import new_database
from tests.providers.evm.anvil import anvil_binary
from tests.tenants import transfer_body

_CHAINS = ("/dashboard/chains", "/dashboard/chains/POLYGON")
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class ConnectedHouse:
    """A server on a local chain, with relayers, one of them stopped, and a payment's order."""

    server: Served
    payment: str

    @property
    def pages(self) -> tuple[str, ...]:
        payment = f"/dashboard/transactions/{self.payment}"
        return (*_CHAINS, payment, f"{payment}/references")


@pytest.fixture(scope="module")
async def connected_house(
    server_dsn: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ConnectedHouse]:
    folder = tmp_path_factory.mktemp("connected")
    options = NodeOptions(Chain.POLYGON, free_ports(1))
    with run_nodes(anvil_binary(), [options], logs=folder) as (node,):
        path = folder / "chains.toml"
        text = format_configuration({"POLYGON": deploy(node.rpc, Chain.POLYGON)})
        path.write_text(text, encoding="utf-8")
        async with new_database(server_dsn, is_migrated=False) as dsn:
            with served_here(folder / "d", database_url=dsn, chains_file=str(path)) as server:
                payment = await _request_transfer(server, node.rpc)
                # The latest attempt has confirmations.
                node.rpc.call("anvil_mine", hex(MINED))
                database = await Database.connect(dsn, name="tests", size_max=2)
                (org,) = await database.rows("select id from orgs")
                await add_chain_rows(database, org["id"], UUID(payment))
                await database.close()
                yield ConnectedHouse(server, payment)


async def _request_transfer(server: Served, rpc: Rpc) -> str:
    """Request the approval of a transfer of coins that are there; return its id."""
    async with connected(f"http://127.0.0.1:{server.port}", KEY) as api:
        ada, bob = await sign_up(api, funds="100"), await sign_up(api, "Bob")
        wallet = {"chain": "POLYGON", "currency": "usdc"}
        async with asyncio.timeout(_PATIENCE_S):
            path = f"/v2/users/{ada}/wallets/balance"
            while (await api.get(path, **wallet))["displayBalance"] != "100":
                rpc.call("anvil_mine", hex(10))
                await asyncio.sleep(0.2)
        made = await api.post(
            "/v2/wallets/transfers", transfer_body(ada, bob, requireApproval=True)
        )
        return str(made["transferDetails"]["id"])


@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
async def test_no_page_with_what_a_chain_has_done_has_a_barrier(
    browser: Browser, connected_house: ConnectedHouse, viewport: dict[str, int], scheme: str
) -> None:
    wrong: dict[str, Any] = {}
    opener = dashboard_opener(browser, connected_house.server)
    async with opener(viewport=viewport, scheme=scheme) as page:
        for path in connected_house.pages:
            await page.goto(path)
            if found := await barriers(page):
                wrong[path] = found
        for hash_ in (FIRST_HASH, SECOND_HASH):
            name = f"View transaction {hash_[:10]} in explorer"
            link = page.get_by_role("link", name=name)
            await expect(link).to_be_visible()
            assert hash_ in str(await link.get_attribute("href"))
        table = page.get_by_role("table", name="Transactions on Polygon")
        await expect(table.get_by_role("columnheader", name="Confirmations")).to_be_visible()
        await page.goto(_CHAINS[1])
        resume = page.get_by_role("button", name="Resume account")
        await expect(resume).to_be_visible()
    assert not wrong, wrong
