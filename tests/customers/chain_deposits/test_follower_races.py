"""Several workers on one chain, and workers that are killed: every deposit is credited once."""

import asyncio
import random
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.customers.chain_deposits.steps import ChainDepositSteps
from tests.customers.chain_deposits.chain_world import (
    FINALITY,
    FollowedChain,
    deposits,
    end_leases,
    follower,
    statuses,
)
from tests.customers.chain_deposits.following_process import AFTER_COMMIT, BEFORE_COMMIT, follow
from tests.long import few_of
from tests.races.racing_processes import start_process
from tests.tenants import held

pytestmark = pytest.mark.long


async def check_once(world: FollowedChain, user: str, coins: int) -> None:
    """Check that each of as many transfers of one coin is credited once."""
    rows = await world.container.database.rows(
        "select details ->> 'transaction_hash' as hash from transfers where kind = $1",
        "WALLET.DEPOSIT",
    )
    counts = Counter(row["hash"] for row in rows)
    assert (len(counts), set(counts.values())) == (coins, {1})
    assert await held(world.org, user) == str(coins)
    await world.check_ledger()


async def test_of_two_workers_one_follows_a_chain(world: FollowedChain) -> None:
    user, address = await world.new_user()
    world.pay(address, 1)
    world.mine(FINALITY)
    offsets = await world.container.orgs.clock_offsets()
    second = follower(world.container, world.chain, world.client)
    # The first one has the lease.
    assert not await second.run_once(offsets)
    assert await statuses(world.org, user) == []
    assert await world.steps.run_once(offsets)
    assert await held(world.org, user) == "1"


async def test_a_lease_is_written_once_half_of_it_has_passed(world: FollowedChain) -> None:
    database = world.container.database
    await world.follow()
    offsets = await world.container.orgs.clock_offsets()

    async def until() -> object:
        (row,) = await database.rows("select leased_until, xmin::text from chain_cursors")
        return row["leased_until"], row["xmin"]

    taken = await until()
    for _ in range(3):
        await world.steps.run_once(offsets)
    assert await until() == taken
    # Half of it has passed.
    await database.rows("update chain_cursors set leased_until = leased_until - interval '8 s'")
    shortened = await until()
    await world.steps.run_once(offsets)
    assert await until() != shortened


async def test_workers_without_leases_credit_each_deposit_once(world: FollowedChain) -> None:
    user, address = await world.new_user()
    offsets = await world.container.orgs.clock_offsets()
    workers = [follower(world.container, world.chain, world.client) for _ in range(4)]
    coins = 0
    for _ in range(10):
        for _ in range(3):
            world.pay(address, 1)
            coins += 1
        world.mine(FINALITY)
        for _ in range(3):
            # As if each lease had ended while its worker was still at work.
            await asyncio.gather(*(_run_unleased(world, each, offsets) for each in workers))
    await world.finalize()
    await check_once(world, user, coins)


async def _run_unleased(
    world: FollowedChain, steps: ChainDepositSteps, offsets: Mapping[UUID, timedelta]
) -> None:
    """Run one step of a worker whose predecessor's lease has ended."""
    await end_leases(world.container.database)
    await steps.run_once(offsets)


async def test_a_worker_killed_around_the_commit_credits_each_deposit_once(
    world: FollowedChain, own_dsn: str
) -> None:
    user, address = await world.new_user()
    world.pay(address, 1)
    world.mine(FINALITY)
    for place, credited in ((BEFORE_COMMIT, "0"), (AFTER_COMMIT, "1")):
        await end_leases(world.container.database)
        worker = start_process(follow, own_dsn, world.chain, place)
        await asyncio.to_thread(worker.wait_until_started)
        worker.kill()
        assert await held(world.org, user) == credited
    world.mine()
    await world.follow()
    await check_once(world, user, 1)


@pytest.mark.parametrize("rounds", few_of([3, 12]))
async def test_repeatedly_killed_workers_credit_each_deposit_once(
    world: FollowedChain, own_dsn: str, rounds: int
) -> None:
    user, address = await world.new_user()
    dice = random.Random(0)  # noqa: S311  a repeatable sequence
    coins = 0
    for _ in range(rounds):
        await end_leases(world.container.database)
        workers = [start_process(follow, own_dsn, world.chain, None) for _ in range(2)]
        for worker in workers:
            await asyncio.to_thread(worker.wait_until_started)
        for _ in range(5):
            world.pay(address, 1)
            coins += 1
            if dice.random() < 0.5:
                world.mine(dice.randrange(1, FINALITY))
            if dice.random() < 0.3:
                # Not as deep as the latest transfer.
                world.mine(2)
                world.reorganise(dice.randrange(1, 3))
            await asyncio.sleep(dice.uniform(0, 0.1))
        for worker in workers:
            worker.kill()
    await world.finalize()
    await check_once(world, user, coins)
    assert {each["transaction"]["status"] for each in await deposits(world.org, user)} == {
        "COMPLETED"
    }
