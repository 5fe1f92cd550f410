"""The public contract suite against adapter and simulation, and money through an installation."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import structs

from landbridge.app.cli import commands
from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.sidecar import credit_store
from tests.adapters.increase.kit import (
    PAYEE,
    IncreaseWorld,
    increase_world,
    write_increase_file,
)
from tests.adapters.increase.test_webhooks import event, standard
from tests.onramps import make_onramp, make_payer, onramp_of
from tests.payments.virtual_accounts.virtual_account_setup import make_account as make_virtual
from tests.payments.virtual_accounts.virtual_account_setup import make_receiver
from tests.payouts import accept, check_books, make_account, make_offramp, make_payee, shown, way
from tests.providers.sidecar.production import production_settings, sandbox_chains
from tests.providers.sidecar.test_payouts import make_production, running_worker
from tests.tenants import SETTINGS, Tenant, held, make_tenant, run_due, served

PATIENCE_S = 240
DEPOSITS = """, deposits = { since = "2026-01-01T00:00:00Z", bank_name = "Example Bank", \
bank_address = "1 Bank Street", beneficiary_name = "Example Platform", \
beneficiary_address = "2 Example Street", networks = ["ach", "wire", "rtp"], delay_s = 1 }"""
ROUTE = """
[[deposits]]
provider = "increase"
currencies = ["usd"]
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("rail", "instant", "outcomes"),
    [
        ("ach", "rtp", ["settle", "return"]),
        ("wire", "rtp", ["settle", "return"]),
        ("rtp", "rtp", ["settle", "fail"]),
        ("rtp", "fednow", ["settle", "fail"]),
    ],
)
async def test_the_contract_suite_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rail: str, instant: str, outcomes: list[str]
) -> None:
    (tmp_path / "payee.json").write_bytes(msgspec.json.encode(PAYEE))
    more = f', sandbox = true, instant_network = "{instant}", test_outcomes = {outcomes}'
    async with increase_world() as world:
        path = write_increase_file(tmp_path, monkeypatch, world.url, more)
        arguments = ["adapters", "test", "increase", "--file", str(path), "--rail", rail]
        arguments += ["--payee", str(tmp_path / "payee.json")]
        result = await asyncio.to_thread(CliRunner().invoke, commands, arguments)
    assert result.exit_code == 0, result.output
    assert " 0 failed" in result.output
    assert "Increase: never run live, by its own description" in result.output


@asynccontextmanager
async def installation(database: Database, path: Path) -> AsyncGenerator[tuple[Container, Tenant]]:
    """Yield a sandbox that uses the adapter, and an organisation of it."""
    settings = structs.replace(SETTINGS, providers_file=str(path))
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        yield container, await make_tenant(container, client)
    assert container.providers is not None
    await container.providers.close()


@pytest.mark.parametrize("rail", ["ach", "wire", "rtp"])
async def test_a_payout_settles_once_a_webhook_announces_it(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rail: str
) -> None:
    case = way("us", rail)
    async with increase_world() as world:
        path = write_increase_file(tmp_path, monkeypatch, world.url)
        async with installation(own_database, path) as (_, org):
            ada = await make_payee(org, case.table.kyc)
            account = await make_account(org, ada, case)
            offramp = await accept(org, await make_offramp(org, ada, account, 100))
            await run_due(org)
            assert (await shown(org, offramp))["status"] == "FIAT_PENDING"
            transfer = world.increase.only()
            assert (transfer["amount"], transfer["currency"]) == (10_000, "USD")
            world.increase.complete(transfer)
            assert await announce(org, transfer, secret="another-webhook-secret") == 401
            for _ in range(3):
                assert await announce(org, transfer) == 204
            await process(org)
            assert (await shown(org, offramp))["status"] == "COMPLETED"
            assert await held(org, ada) == "900"
            await check_books(org)
            (provider,) = [
                each
                for each in (await org.get("/v2/providers"))["providers"]
                if each["name"] == "increase"
            ]
            assert (provider["kind"], provider["hasRunLive"]) == ("PACKAGE", False)
    assert len(world.increase.transfers) == 1


async def announce(org: Tenant, transfer: dict[str, Any], **changes: Any) -> int:
    """Send a webhook as Increase does; return the status of the answer."""
    webhook = standard(event(transfer["type"], transfer["id"]), **changes)
    answer = await org.client.post(
        "/providers/increase/webhooks", content=webhook.body, headers=dict(webhook.headers)
    )
    return answer.status_code


async def process(org: Tenant) -> None:
    """Process announced changes, and the steps that are due."""
    offsets = await org.container.orgs.clock_offsets()
    await org.container.provider_webhooks.run_once(offsets)
    await run_due(org)


async def test_money_to_a_virtual_account_is_delivered_once(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with increase_world() as world:
        path = write_increase_file(tmp_path, monkeypatch, world.url, DEPOSITS, ROUTE)
        async with installation(own_database, path) as (container, org):
            user = await make_receiver(org)
            await make_virtual(org, user)
            # One account for deposits by reference, and one for this user.
            _, number = world.increase.inbound.numbers.values()
            world.increase.inbound.pay_in("wire", 10_000, number)
            for _ in range(3):
                await poll(container, org)
            rows = await container.database.rows(
                "select units, rail from incoming_payments where org_id = $1", org.org_id
            )
            assert [(row["units"], row["rail"]) for row in rows] == [(10_000, "wire")]
            assert await held(org, user) == "100"
            await check_books(org)


async def test_unmatched_money_is_returned_by_its_network(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with increase_world() as world:
        inbound = world.increase.inbound
        path = write_increase_file(tmp_path, monkeypatch, world.url, DEPOSITS, ROUTE)
        async with installation(own_database, path) as (container, org):
            user = await make_payer(org)
            onramp = await make_onramp(org, user, 100)
            number = (await onramp_of(org, onramp["id"])).details.account_number
            (opened,) = inbound.numbers.values()
            assert opened["account_number"] == number
            identifier = inbound.pay_in(
                "wire", 1_234, opened, unstructured_remittance_information="nothing of ours"
            )
            for _ in range(2):
                await poll(container, org)
            assert inbound.transfers[identifier]["status"] == "reversed"
            assert world.increase.calls["act"] == 1
            assert not world.increase.transfers
            rows = await container.database.rows(
                "select status from incoming_payments where org_id = $1", org.org_id
            )
            assert [row["status"] for row in rows] == ["RETURNED"]
            await check_books(org)


async def poll(container: Container, org: Tenant) -> None:
    """Have Increase polled for credits now, and process what came of it."""
    assert container.provider_credits is not None
    at = container.clock.now()
    offsets = await container.orgs.clock_offsets()
    await container.provider_credits.run_once("increase", offsets)
    await container.database.single(lambda tx: credit_store.poll_soon(tx, "increase", at))
    for _ in range(20):
        await container.provider_credits.run_once("increase", offsets)
        await container.database.single(lambda tx: credit_store.poll_soon(tx, "increase", at))
    await container.incoming_payment_steps.run_all({org.org_id: offsets[org.org_id]})
    await run_due(org)


@pytest.mark.long
async def test_a_worker_killed_in_production_pays_once(
    own_dsn: str, own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with increase_world() as world:
        increase = world.increase
        increase.answers = asyncio.Event()
        path = write_increase_file(tmp_path, monkeypatch, world.url)
        clock = Clock(await take_node(own_database))
        sandbox = wire(SETTINGS, own_database, clock)
        chains = sandbox_chains(own_database)
        production = wire(production_settings(str(path)), own_database, clock, chains=chains)
        async with served(sandbox) as client:
            _, org, ada, account = await make_production(sandbox, production, client)
        async with served(production) as client:
            org = Tenant(production, client, org.caller, org.key)
            offramp = await accept(org, await make_offramp(org, ada, account, 100))
            async with running_worker(own_dsn, path) as worker:
                await until_ordered(world)
                worker.kill()  # SIGKILL, while Increase has the order and nobody has its answer
                await worker.wait()
            assert (await shown(org, offramp))["status"] == "FIAT_INITIATED"
            increase.answers.set()
            increase.complete(increase.only())
            async with running_worker(own_dsn, path):
                await until_completed(org, offramp)
            assert len(increase.transfers) == 1
            assert await held(org, ada) == "900"
            await check_books(org)
            provider = (await org.get("/v2/providers"))["providers"][0]
            assert provider["hasRunLive"]


async def until_ordered(world: IncreaseWorld) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not world.increase.transfers:  # noqa: ASYNC110  another process makes it
            await asyncio.sleep(0.05)


async def until_completed(org: Tenant, offramp: dict[str, Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (status := (await shown(org, offramp))["status"]) != "COMPLETED":
            assert status in {"FIAT_INITIATED", "FIAT_PENDING"}
            await asyncio.sleep(0.2)
