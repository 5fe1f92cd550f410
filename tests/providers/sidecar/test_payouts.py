"""Payouts of offramps through a sidecar: webhooks, hostile answers, and kills in production."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.money import Rate
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.rates.port import Price
from landbridge.providers.sidecar import order_store
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.model import OrderProblem
from landbridge.providers.sidecar.signing import SigningSecret
from tests.payouts import accept, check_books, make_account, make_offramp, make_payee, shown
from tests.platform.http.listeners import listening
from tests.providers.sidecar.kit import KEY, answering, python_template, sidecar_process
from tests.providers.sidecar.payout_world import ScriptedSidecar, SidecarScenario, write_file
from tests.providers.sidecar.production import production_settings, sandbox_chains
from tests.resolution_team import resolve_by_clock
from tests.tenants import SETTINGS, Tenant, held, make_tenant, run_due, served

WRONG = SigningSecret(KEY.id, b"another secret, which nobody configured here")
PATIENCE_S = 180


@pytest.fixture
async def scenario(database: Database, tmp_path: Path) -> AsyncIterator[SidecarScenario]:
    sidecar = ScriptedSidecar()
    async with listening(answering(sidecar.answer)) as found:
        settings = structs.replace(SETTINGS, providers_file=str(write_file(tmp_path, found.port)))
        container = wire(settings, database, Clock(await take_node(database)))
        async with served(container) as client:
            org = await make_tenant(container, client)
            ada = await make_payee(org)
            yield SidecarScenario(org, sidecar, ada, await make_account(org, ada))
        assert container.providers is not None
        await container.providers.close()


async def test_a_payout_is_announced_by_a_webhook_and_settles(scenario: SidecarScenario) -> None:
    offramp = await scenario.accepted()
    await scenario.run()
    assert await scenario.status(offramp) == "FIAT_PENDING"
    (order,) = scenario.sidecar.orders.values()
    assert (order["amount"], order["currency"], order["rail"]) == ("100", "usd", "wire")
    assert order["payee"]["type"] == "us"
    scenario.sidecar.state = "settled"
    assert await scenario.announce(scenario.key) == 204
    await scenario.run()
    assert await scenario.status(offramp) == "COMPLETED"
    assert scenario.sidecar.calls.count("/v1/payouts") == 1
    assert await held(scenario.org, scenario.ada) == "900"
    await check_books(scenario.org)


async def test_a_repeated_webhook_queries_once(scenario: SidecarScenario) -> None:
    await scenario.accepted()
    await scenario.run()
    for _ in range(3):
        assert await scenario.announce(scenario.key) == 204
        await scenario.run()
    assert scenario.sidecar.calls.count("/v1/payouts/query") == 1
    assert await scenario.announce(scenario.key, "w2") == 204
    await scenario.run()
    assert scenario.sidecar.calls.count("/v1/payouts/query") == 2


@pytest.mark.parametrize("error", [Unavailable("no answer"), RuntimeError("unexpected")])
async def test_a_provider_without_an_answer_holds_up_announced_orders_once(
    scenario: SidecarScenario, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    for _ in range(2):
        await scenario.accepted()
    await scenario.run()
    for number, key in enumerate(scenario.sidecar.orders):
        assert await scenario.announce(key, f"w{number}") == 204
    queried: list[UUID] = []
    both = asyncio.Event()

    async def find(_client: SidecarClient, _org_id: UUID, key: UUID, *_of: Any) -> None:
        queried.append(key)
        if len(queried) == 2:
            both.set()
        await both.wait()
        raise error

    monkeypatch.setattr(SidecarClient, "find", find)
    offsets = await scenario.org.container.orgs.clock_offsets()
    async with asyncio.timeout(10):
        for _ in range(2):
            await scenario.org.container.provider_webhooks.run_once(offsets)
    # Once each: not again before a pause.
    assert sorted(map(str, queried)) == sorted(scenario.sidecar.orders)


async def test_a_webhook_that_is_not_ours_does_nothing(scenario: SidecarScenario) -> None:
    offramp = await scenario.accepted()
    await scenario.run()
    scenario.sidecar.state = "settled"
    assert await scenario.announce(scenario.key, signed_by=WRONG) == 401
    assert await scenario.announce(scenario.key, webhook_id="a b") == 401
    assert await scenario.announce(scenario.key, name="other") == 404
    assert await scenario.announce(str(offramp["id"])) == 404
    long = await scenario.org.client.post("/providers/acme/webhooks", content=b" " * 5000)
    assert long.status_code == 413
    await scenario.run()
    assert await scenario.status(offramp) == "FIAT_PENDING"


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": "1000"},
        {"currency": "eur"},
        {"providerReference": "Ada Example"},
        {"key": "00000000-0000-0000-0000-000000000001"},
    ],
)
async def test_an_answer_that_is_not_about_the_payout_waits(
    scenario: SidecarScenario, changes: dict[str, Any]
) -> None:
    scenario.sidecar.state, scenario.sidecar.changes = "settled", changes
    offramp = await scenario.accepted()
    await scenario.run()
    assert await scenario.status(offramp) == "FIAT_INITIATED"
    assert await held(scenario.org, scenario.ada) == "900"
    await check_books(scenario.org)
    # Once the sidecar is right, the same order settles.
    scenario.sidecar.changes = {}
    await scenario.run()
    assert await scenario.status(offramp) == "COMPLETED"
    assert len(scenario.sidecar.orders) == 1
    await check_books(scenario.org)


@pytest.mark.parametrize(
    ("action", "reported", "problem"),
    [
        ("FAIL", "settled", OrderProblem.CONTRADICTION),
        ("CONFIRM", "failed", OrderProblem.CONTRADICTION),
        ("CONFIRM", "returned", OrderProblem.RETURNED_LATE),
    ],
)
async def test_a_report_against_the_decision_of_people_is_a_problem(
    scenario: SidecarScenario, action: str, reported: str, problem: OrderProblem
) -> None:
    org, offramp = scenario.org, await scenario.accepted()
    await scenario.run()
    assert (await resolve_by_clock(org, offramp["id"], action))["status"] == "COMPLETED"
    scenario.sidecar.state = reported
    assert await scenario.announce(scenario.key) == 204
    await scenario.run()
    database = org.container.database
    found = await database.single(lambda tx: order_store.problems(tx, org.org_id, limit=9))
    assert [each.problem for each in found] == [problem]


async def test_a_failed_payout_returns_the_coins_once(scenario: SidecarScenario) -> None:
    scenario.sidecar.state = "failed"
    offramp = await scenario.accepted()
    await scenario.run()
    found = await shown(scenario.org, offramp)
    assert (found["status"], found["failedReason"]) == (
        "CRYPTO_RETURNED",
        "the provider refused it",
    )
    # It contradicts itself afterwards: nothing moves, and a person sees it.
    scenario.sidecar.state = "settled"
    assert await scenario.announce(scenario.key) == 204
    await scenario.run()
    assert await scenario.status(offramp) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    org_id = scenario.org.org_id
    (order,) = await scenario.org.container.database.single(
        lambda tx: order_store.problems(tx, org_id, limit=10)
    )
    assert order.problem is OrderProblem.CONTRADICTION
    await check_books(scenario.org)


async def test_nothing_is_refunded_for_a_failed_payout_that_is_reported_as_settled(
    scenario: SidecarScenario,
) -> None:
    org, offramp = scenario.org, await scenario.accepted()
    await run_due(org)
    offsets = await org.container.orgs.clock_offsets()
    for state in ("failed", "settled"):
        scenario.sidecar.state = state
        assert await scenario.announce(scenario.key, state) == 204
        await org.container.provider_webhooks.run_once(offsets)
    await scenario.run()
    assert await scenario.status(offramp) == "FIAT_FAILED"
    assert await held(org, scenario.ada) == "900"
    # A person has found out that it failed.
    await org.container.database.single(
        lambda tx: order_store.close(tx, "acme", UUID(scenario.key))
    )
    await scenario.run()
    assert await scenario.status(offramp) == "CRYPTO_RETURNED"
    assert await held(org, scenario.ada) == "1000"
    await check_books(org)


@asynccontextmanager
async def running_worker(dsn: str, path: Path) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.providers.sidecar.worker_process", dsn, str(path)
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@dataclass
class StallingSidecar(ScriptedSidecar):
    """Sidecar that pays, and then does not answer until its caller was killed."""

    has_paid: asyncio.Event = field(default_factory=asyncio.Event)


async def until_status(org: Tenant, offramp: dict[str, Any], status: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await shown(org, offramp))["status"] != status:  # noqa: ASYNC110  another process
            await asyncio.sleep(0.2)


async def make_production(
    sandbox: Container, production: Container, client: Any
) -> tuple[Tenant, Tenant, str, str]:
    """Return an organisation as the sandbox and as production see it, with Ada and her account."""
    org = await make_tenant(sandbox, client)
    ada = await make_payee(org)
    account = await make_account(org, ada)
    await production.prices.set_price(
        org.org_id,
        source_currency="usdc",
        destination_currency="usd",
        price=Price(Rate(Decimal(1)), Decimal(0), None),
        at=production.clock.now(),
    )
    return org, Tenant(production, client, org.caller, org.key), ada, account


@pytest.mark.long
@pytest.mark.parametrize("is_answered", [False, True], ids=["during the call", "at the answer"])
async def test_a_worker_killed_in_production_pays_once(
    own_dsn: str, own_database: Database, tmp_path: Path, *, is_answered: bool
) -> None:
    # The next worker queries soon, also if the first one has stored the answer before the kill.
    sidecar = StallingSidecar(changes={"expectedInSeconds": 1})
    script = answering(sidecar.answer)

    async def stall(self: Any, reader: Any, writer: Any) -> None:
        # The first connection is that of the worker which is killed.
        if self.connections == 1 and not is_answered:
            await self.read(reader)
            sidecar.answer("/v1/payouts", json.loads(self.requests[-1][1]))
            sidecar.has_paid.set()
            await asyncio.sleep(PATIENCE_S)
        else:
            serving = asyncio.ensure_future(script(self, reader, writer))
            while not sidecar.calls and not serving.done():  # noqa: ASYNC110  it is a list
                await asyncio.sleep(0)
            sidecar.has_paid.set()
            await serving

    async with listening(stall) as found:
        path = write_file(tmp_path, found.port)
        clock = Clock(await take_node(own_database))
        sandbox = wire(SETTINGS, own_database, clock)
        chains = sandbox_chains(own_database)
        production = wire(production_settings(str(path)), own_database, clock, chains=chains)
        async with served(sandbox) as client:
            _, org, ada, account = await make_production(sandbox, production, client)
        async with served(production) as client:
            org = Tenant(production, client, org.caller, org.key)
            assert (await org.send("POST", "/v2/sandbox/clock/advance", {"seconds": 1})).is_error
            offramp = await accept(org, await make_offramp(org, ada, account, 100))
            async with running_worker(own_dsn, path) as worker:
                await asyncio.wait_for(sidecar.has_paid.wait(), PATIENCE_S)
                worker.kill()  # SIGKILL
                await worker.wait()
            status = (await shown(org, offramp))["status"]
            assert status in {"FIAT_INITIATED", "FIAT_PENDING"}
            sidecar.state = "settled"
            async with running_worker(own_dsn, path):
                await until_status(org, offramp, "COMPLETED")
            assert len(sidecar.orders) == 1
            assert await held(org, ada) == "900"
            await check_books(org)


@pytest.mark.long
async def test_the_template_pays_in_production(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async with sidecar_process(python_template(tmp_path / "orders.db")) as port:
        path = write_file(tmp_path, port)
        clock = Clock(await take_node(own_database))
        sandbox = wire(SETTINGS, own_database, clock)
        chains = sandbox_chains(own_database)
        production = wire(production_settings(str(path)), own_database, clock, chains=chains)
        async with served(sandbox) as client:
            _, org, ada, account = await make_production(sandbox, production, client)
        async with served(production) as client:
            org = Tenant(production, client, org.caller, org.key)
            offramp = await accept(org, await make_offramp(org, ada, account, 100))
            async with running_worker(own_dsn, path):
                await until_status(org, offramp, "COMPLETED")
            await check_books(org)
