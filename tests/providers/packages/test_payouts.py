"""Payouts through a package: webhooks of the bank, failing calls, and a kill in production."""

import asyncio
import hmac
import json
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.payouts import accept, check_books, make_account, make_offramp, make_payee, shown
from tests.providers.packages.kit import (
    WEBHOOK_SECRET,
    install_module,
    write_file,
)
from tests.providers.sidecar.production import production_settings, sandbox_chains
from tests.providers.sidecar.test_payouts import (
    make_production,
    running_worker,
)
from tests.tenants import SETTINGS, Tenant, held, make_tenant, run_due, served

PATIENCE_S = 240
# Pays, leaves a mark, and answers only when the file `answers` is there.
STALLING = """
class StallingBank(Bank):
    def __init__(self, data): self.data = data

    async def pay(self, key, request):
        with open(self.data + ".paid", "a") as paid:
            paid.write(f"{key}\\n")
        while not os.path.exists(self.data + ".answers"):
            await asyncio.sleep(0.05)


class Adapter(MadeUpBank):
    def __init__(self, settings):
        super().__init__(settings)
        self.bank = StallingBank(settings.options["data"])
"""


@dataclass(frozen=True)
class PackageScenario:
    """An organisation with Ada and her account, and the made-up bank for wires."""

    org: Tenant
    ada: str
    account: str
    folder: Path

    async def run(self) -> None:
        """Run the worker's steps that are due."""
        offsets = await self.org.container.orgs.clock_offsets()
        await self.org.container.provider_webhooks.run_once(offsets)
        await run_due(self.org)

    async def announce(self, body: bytes, *, secret: str = WEBHOOK_SECRET) -> int:
        """Send a webhook as the bank does; return the status of the answer."""
        signature = hmac.digest(secret.encode(), body, "sha256").hex()
        answer = await self.org.client.post(
            "/providers/acme/webhooks", content=body, headers={"X-Bank-Signature": signature}
        )
        return answer.status_code

    def order_keys(self) -> list[str]:
        """Return the keys of the orders that the bank has."""
        with sqlite3.connect(self.folder / "orders.db") as database:
            return [key for (key,) in database.execute("select key from orders")]

    def settle_orders(self) -> None:
        """Have the bank settle all orders, two hours after they were made."""
        with sqlite3.connect(self.folder / "orders.db") as database:
            database.execute("update orders set at = at - 7200")


# The made-up bank goes by real time, of which a busy machine may need any amount.
SETTLES_LATER = """
import made_up_bank
made_up_bank.SETTLES_AFTER_S = 3_600
class Adapter(MadeUpBank): ...
"""


@pytest.fixture
async def scenario(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[PackageScenario]:
    install_module(tmp_path, monkeypatch, SETTLES_LATER)
    settings = structs.replace(SETTINGS, providers_file=str(write_file(tmp_path, is_test=False)))
    container = wire(settings, own_database, Clock(await take_node(own_database)))
    assert container.providers is not None
    try:
        # As `landbridge worker` does: a call waits for the start of its process only `timeout_s`.
        await container.providers.start()
        async with served(container) as client:
            org = await make_tenant(container, client)
            ada = await make_payee(org)
            yield PackageScenario(org, ada, await make_account(org, ada), tmp_path)
    finally:
        await container.providers.close()


async def test_a_webhook_of_the_bank_settles_a_payout(scenario: PackageScenario) -> None:
    org = scenario.org
    offramp = await accept(org, await make_offramp(org, scenario.ada, scenario.account, 100))
    await run_due(org)
    assert (await shown(org, offramp))["status"] == "FIAT_PENDING"
    (key,) = scenario.order_keys()
    event = json.dumps({"type": "payout", "key": key}).encode()
    assert await scenario.announce(event, secret="another") == 401
    await scenario.run()
    assert (await shown(org, offramp))["status"] == "FIAT_PENDING"
    scenario.settle_orders()
    for _ in range(2):
        assert await scenario.announce(event) == 204
        await scenario.run()
    assert (await shown(org, offramp))["status"] == "COMPLETED"
    assert await held(org, scenario.ada) == "900"
    await check_books(org)


async def test_a_webhook_that_says_nothing_valid_does_nothing(scenario: PackageScenario) -> None:
    unknown = b'{"type": "payout", "key": "00000000-0000-0000-0000-000000000001"}'
    assert await scenario.announce(unknown) == 204
    assert await scenario.announce(b'{"type": "credit"}') == 204
    # Signed, but not what the package understands: it raises, and the bank sends it again.
    assert await scenario.announce(b"[]") == 503
    assert await scenario.announce(b" " * 70_000) == 413
    assert scenario.order_keys() == []


async def test_the_overview_names_the_package(scenario: PackageScenario) -> None:
    found = (await scenario.org.get("/v2/providers"))["providers"][0]
    assert (found["name"], found["kind"], found["health"]) == ("acme", "PACKAGE", "UNKNOWN")
    org = scenario.org
    await accept(org, await make_offramp(org, scenario.ada, scenario.account, 100))
    await run_due(org)
    found = (await org.get("/v2/providers"))["providers"][0]
    assert (found["health"], found["waitingCount"]) == ("HEALTHY", 1)


@pytest.mark.long
async def test_a_worker_killed_in_production_pays_once(
    own_dsn: str, own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_module(tmp_path, monkeypatch, STALLING)
    path = write_file(tmp_path, is_test=False)
    clock = Clock(await take_node(own_database))
    sandbox = wire(SETTINGS, own_database, clock)
    chains = sandbox_chains(own_database)
    production = wire(production_settings(str(path)), own_database, clock, chains=chains)
    async with served(sandbox) as client:
        _, org, ada, account = await make_production(sandbox, production, client)
    async with served(production) as client:
        org = Tenant(production, client, org.caller, org.key)
        offramp = await accept(org, await make_offramp(org, ada, account, 100))
        paid = tmp_path / "orders.db.paid"
        async with running_worker(own_dsn, path) as worker:
            await until_exists(paid)
            worker.kill()  # SIGKILL, while the bank has the payment and nobody has its answer
            await worker.wait()
        assert (await shown(org, offramp))["status"] == "FIAT_INITIATED"
        (tmp_path / "orders.db.answers").touch()
        async with running_worker(own_dsn, path):
            await until_completed(org, offramp)
        # Called again with the same key: the bank pays it once.
        assert len(set(paid.read_text().split())) == 1
        assert await held(org, ada) == "900"
        await check_books(org)


async def until_completed(org: Tenant, offramp: dict[str, Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (status := (await shown(org, offramp))["status"]) != "COMPLETED":
            assert status in {"FIAT_INITIATED", "FIAT_PENDING"}
            await asyncio.sleep(0.2)


async def until_exists(path: Path) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not path.exists():  # noqa: ASYNC110, ASYNC240  another process makes it
            await asyncio.sleep(0.05)
