"""The public contract suite against adapter and simulation; payments and deposits through both."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import structs

from landbridge.app.cli import commands
from landbridge.app.container import Container
from landbridge.platform.db.pool import Database
from tests.adapters.elliptic.kit import EllipticWorld, elliptic_world, write_elliptic_file
from tests.customers.chain_deposits.chain_world import chain_world
from tests.customers.deposit_screening.screening_world import SCREENINGS, run_worker
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld, payment_world
from tests.tenants import SETTINGS, held


@pytest.mark.long
async def test_the_contract_suite_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with elliptic_world() as world:
        path = write_elliptic_file(tmp_path, monkeypatch, world.url, is_tested=True)
        arguments = ["adapters", "test", "elliptic", "--file", str(path)]
        result = await asyncio.to_thread(CliRunner().invoke, commands, arguments)
    assert result.exit_code == 0, result.output
    assert "6 passed, 0 failed, 3 skipped" in result.output
    assert "the package reads no webhooks" in result.output
    assert "passed   coins: screened in both directions" in result.output
    assert "Elliptic: never run live, by its own description" in result.output


@dataclass(frozen=True)
class PaymentsByElliptic:
    """An organisation with payments that the simulation screens."""

    payments: PaymentWorld
    elliptic: EllipticWorld

    async def later(self, **passed: int) -> None:
        """Advance the organisation's clock, and run the worker; calls are signed in real time."""
        await self.payments.org.post("/v2/sandbox/clock/advance", passed)
        await self.payments.work()


@pytest.fixture
async def world(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[PaymentsByElliptic]:
    async with _paying(own_database, tmp_path, monkeypatch) as found:
        yield found


async def test_a_payment_is_sent_once_its_address_is_clear(world: PaymentsByElliptic) -> None:
    payments, simulated = world.payments, world.elliptic.elliptic
    await payments.transfer("10")
    # Elliptic does not know the address, and the settings say to wait.
    assert payments.sent_to() == 0
    (screening,) = await payments.screenings()
    assert (screening["status"], simulated.calls["analyse"]) == ("IN_SCREENING", 1)
    simulated.scores[OUTSIDE] = 4.9
    await world.later(seconds=7_200)
    assert payments.sent_to() == 1
    (screening,) = await payments.screenings(status="RELEASED")
    assert (screening["provider"], screening["reference"]) == ("elliptic", simulated.only().id)
    assert simulated.only().order["customer_reference"].startswith(screening["id"])
    await payments.check()


async def test_a_hit_is_held_and_a_lost_answer_is_found(world: PaymentsByElliptic) -> None:
    payments, simulated = world.payments, world.elliptic.elliptic
    simulated.scores[OUTSIDE], simulated.sanctioned, simulated.silent = 9, {OUTSIDE}, {"analyse"}
    await payments.transfer("10")
    assert [each["status"] for each in await payments.screenings()] == ["IN_SCREENING"]
    assert simulated.calls["analyse"] == 1
    simulated.silent = set()
    await world.later(seconds=7_200)
    (screening,) = await payments.screenings(status="HELD")
    assert screening["categories"] == ["sanctions"]
    assert (payments.sent_to(), simulated.calls["analyse"]) == (0, 1)
    await payments.check()


@pytest.mark.long
async def test_coins_of_a_chain_are_credited_or_held(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with elliptic_world() as elliptic:
        path = write_elliptic_file(tmp_path, monkeypatch, elliptic.url, is_tested=False)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        async with chain_world(own_database, tmp_path, settings) as chain:
            await _start(chain.container)
            user, address = await chain.new_user()
            clear, hit = chain.pay(address, 5), chain.pay(address, 7)
            elliptic.elliptic.scores |= {clear: None, hit: 9.5}
            await chain.finalize()
            assert await held(chain.org, user) == "0"
            await run_worker(chain.org)
            assert await held(chain.org, user) == "5"
            (screening,) = (await chain.org.get(SCREENINGS))["reviews"]
            assert (screening["status"], screening["transactionHash"]) == ("HELD", hit)
            subjects = [each.order["subject"] for each in elliptic.elliptic.analyses]
            assert {each["hash"] for each in subjects} == {clear, hit}
            assert {each["output_address"] for each in subjects} == {address}
            await chain.check_ledger()
            assert chain.container.providers is not None
            await chain.container.providers.close()


@asynccontextmanager
async def _paying(
    database: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[PaymentsByElliptic]:
    async with elliptic_world() as elliptic:
        path = write_elliptic_file(folder, monkeypatch, elliptic.url, is_tested=False)
        settings = structs.replace(SETTINGS, providers_file=str(path))
        async with payment_world(database, settings) as payments:
            await _start(payments.container)
            yield PaymentsByElliptic(payments, elliptic)


async def _start(container: Container) -> None:
    """Start the package's process, as a worker does."""
    assert container.providers is not None
    await container.providers.start()
