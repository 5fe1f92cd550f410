"""Processes that are killed with -9 in the middle of their work, again and again."""

import asyncio
import random

import pytest

from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances, roll_up
from landbridge.ledger.model import HouseRole
from landbridge.platform.db.pool import Database
from tests import make
from tests.long import few_of
from tests.make import MOVES_BY_KIND, USDC
from tests.races import racing_processes

pytestmark = pytest.mark.long

# Number of kills; the second in `make test-long`.
ROUNDS = few_of([3, 25])
FUNDS = 10_000
PATIENCE_S = 60


@pytest.mark.parametrize("rounds", ROUNDS)
async def test_killed_processes_execute_every_request_once(
    own_dsn: str, own_database: Database, rounds: int
) -> None:
    org_id = await make.make_org(own_database)
    accounts = [await make.make_account(own_database, org_id, units=FUNDS) for _ in range(16)]
    dice = random.Random(0)  # noqa: S311  a repeatable story
    died_at: list[int] = [0]
    for _ in range(rounds):
        # Repeats the last requests before the kill, and continues from there.
        numbers = range(max(0, died_at[-1] - 40), 100_000)
        payer = racing_processes.start_process(
            racing_processes.pay_in_order, own_dsn, org_id, accounts, numbers
        )
        folder = racing_processes.start_process(racing_processes.roll_up, own_dsn, org_id)
        folder.wait_until_started()
        payer.wait_until_started()
        await get_on(own_database, died_at[-1])
        await asyncio.sleep(dice.uniform(0, 0.1))
        payer.kill()
        folder.kill()
        audited = await audit(own_database, MOVES_BY_KIND, {})
        assert audited.is_clean, table(audited)
        died_at.append(await count(own_database, SETTLED))
    # Every worker was killed at work: each round made progress.
    assert len(set(died_at)) == rounds + 1, died_at

    # At most 32 were in progress at a kill, so these include all that were ever created.
    numbers = range(await count(own_database, OPENED) + 32)
    payer = racing_processes.start_process(
        racing_processes.pay_in_order, own_dsn, org_id, accounts, numbers
    )
    payer.wait_until_started()
    report = payer.report()
    assert report.outcomes["opened"] + report.outcomes["replayed"] == len(numbers)
    assert set(report.outcomes) <= {"opened", "replayed", "moved"}
    assert await count(own_database, OPENED) == len(numbers)
    assert await count(own_database, SETTLED) == len(numbers)
    for index, account_id in enumerate(accounts):
        left = FUNDS - len(numbers[index::16])
        assert await make.balance(own_database, account_id) == (left, 0)
    outside = {(HouseRole.OUTSIDE, USDC.code): len(numbers) - 16 * FUNDS}
    assert await house_balances(own_database, org_id) == outside
    while await roll_up(own_database, [org_id]):
        pass
    assert await house_balances(own_database, org_id) == outside
    assert (await audit(own_database, MOVES_BY_KIND, {})).is_clean


async def get_on(database: Database, before: int) -> None:
    """Wait until one more is settled; the time depends on the machine."""
    async with asyncio.timeout(PATIENCE_S):
        while await count(database, SETTLED) <= before:  # noqa: ASYNC110  another process
            await asyncio.sleep(0.002)


OPENED = "select count(*) as n from transfers where status <> 'FUNDED'"
SETTLED = "select count(*) as n from transfers where status = 'SETTLED'"


async def count(database: Database, statement: str) -> int:
    return (await database.rows(statement))[0]["n"]
