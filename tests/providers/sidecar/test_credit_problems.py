"""Problems of credits: closed, read again, measured, and listed by the commands."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from prometheus_client import REGISTRY

from landbridge.app.cli import commands
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import credit_store
from landbridge.providers.sidecar.credits import CreditProblem
from landbridge.providers.sidecar.monitoring import watch_providers
from landbridge.providers.sidecar.protocol import CREDITS_MAX
from tests.providers.sidecar.deposit_world import DepositScenario, account_of, deposit_scenario
from tests.tenants import SETTINGS, held


@pytest.fixture
async def world(database: Database, tmp_path: Path) -> AsyncIterator[DepositScenario]:
    async with deposit_scenario(database, tmp_path) as scenario:
        yield scenario


async def test_a_problem_is_closed_until_there_is_another(world: DepositScenario) -> None:
    _, number = await account_of(world)
    world.bank.add("1", id="C1")
    await world.poll()
    database = world.org.container.database
    assert await database.single(lambda tx: credit_store.close(tx, world.name, "C1"))
    assert await world.problems() == []
    assert not await database.single(lambda tx: credit_store.close(tx, world.name, "C1"))
    # The same problem stays closed, another one does not.
    world.bank.add("1", id="C1")
    await world.poll()
    assert await world.problems() == []
    world.bank.add(number, id="C1", currency="eur")
    await world.poll()
    assert [each.problem for each in await world.problems()] == [CreditProblem.UNKNOWN_CURRENCY]


async def test_what_is_read_again_is_credited_once(world: DepositScenario) -> None:
    user, number = await account_of(world)
    world.bank.add(number)
    world.bank.add("1", "5")
    await world.poll()
    # The sidecar is corrected.
    world.bank.log[1]["accountNumber"] = number
    at = world.org.container.clock.now()
    database = world.org.container.database
    assert await database.single(lambda tx: credit_store.reread(tx, world.name, at))
    await world.poll()
    assert await world.problems() == []
    assert await held(world.org, user) == "105"


@pytest.mark.parametrize(
    "text", ["cut \ud83d", "\ude00 cut", "\\ud83d whole", "\ud83d\ude00 whole"]
)
async def test_a_text_cut_within_a_character_holds_up_no_credit(
    world: DepositScenario, text: str
) -> None:
    user, number = await account_of(world)
    world.bank.add(number, "5", reference=text, sender={"name": text})
    world.bank.add(number, "7")
    await world.poll()
    assert await world.problems() == []
    assert await held(world.org, user) == "12"


async def test_long_texts_of_payers_hold_up_no_credit(world: DepositScenario) -> None:
    user, number = await account_of(world)
    for _ in range(CREDITS_MAX):
        world.bank.add(number, "5", reference="x" * 40_000)
    world.bank.add(number, "7")
    for _ in range(6):
        await world.poll()
    assert {each.problem for each in await world.problems()} == {CreditProblem.MALFORMED}
    assert len(await world.problems()) == CREDITS_MAX
    assert await held(world.org, user) == "7"


async def test_problems_and_polls_are_measured(world: DepositScenario) -> None:
    _, number = await account_of(world)
    world.bank.add("1")
    world.bank.add(number)
    await world.poll()
    container = world.org.container
    await watch_providers(container.database, container.clock, [world.name])
    for kind, count in (("credit", 1), ("order", 0)):
        labels = {"provider": world.name, "kind": kind}
        assert REGISTRY.get_sample_value("landbridge_provider_problems", labels) == count
    age_s = REGISTRY.get_sample_value(
        "landbridge_provider_poll_age_seconds", {"provider": world.name}
    )
    assert age_s is not None
    assert 0 <= age_s < 60


async def test_commands_list_and_close_problems(world: DepositScenario, dsn: str) -> None:
    world.bank.add("1")
    await account_of(world)
    await world.poll()

    async def run(*arguments: str) -> tuple[int, str]:
        env = {"LANDBRIDGE_DATABASE_URL": dsn, "LANDBRIDGE_MASTER_KEY": SETTINGS.master_key}
        found = await asyncio.to_thread(
            CliRunner().invoke, commands, ["adapters", *arguments], env=env
        )
        return found.exit_code, found.output

    org = str(world.org.org_id)
    code, output = await run("problems", "--org", org)
    (line,) = [each for each in output.splitlines() if world.name in each]
    assert code == 1
    assert line.startswith(f"UNKNOWN_ACCOUNT  provider {world.name}  credit C1  deposit none  ")
    assert "not credited" in line
    assert (await run("reread", world.name))[0] == 0
    assert (await run("reread", "nobody"))[0] == 2
    assert (await run("close", world.name, "C1"))[0] == 0
    assert (await run("close", world.name, "C1"))[0] == 2
    assert world.name not in (await run("problems", "--org", org))[1]
