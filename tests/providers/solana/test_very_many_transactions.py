"""Very many or unreadable transactions of one token account, which anybody can make."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.evm.following.model import ChainUnsettled, LoggedTransfer
from landbridge.providers.solana.following.model import AccountReading, FollowedAccount
from landbridge.providers.solana.following.reader import ListLimits, TokenAccountReader
from landbridge.providers.solana.programs import account_of
from tests.providers.solana.solana_orders import new_address
from tests.providers.solana.solana_payments import balance_of, new_user
from tests.solana_world import COIN, SolanaWorld, solana_world

# More than one run reads, and what it reads at most.
MANY, PAID, RUN_MAX = 130, "0.00013", 101


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


async def test_one_run_reads_a_part_of_each_account(world: SolanaWorld) -> None:
    (ada, at_ada), (bob, at_bob) = await new_user(world), await new_user(world)
    pay_often(world, at_ada, MANY)
    world.pay(world.outsider(5 * COIN), {at_bob: 5 * COIN})
    world.chain.finalize()
    world.node.methods.clear()
    await run_once(world)
    assert world.node.methods.count("getTransaction") <= RUN_MAX
    assert await balance_of(world, bob) == "5"
    await world.follow()
    assert await balance_of(world, ada) == PAID


async def test_an_account_that_can_not_be_read_delays_no_other(world: SolanaWorld) -> None:
    (ada, at_ada), (bob, at_bob) = await new_user(world), await new_user(world)
    unreadable = world.pay(world.outsider(COIN), {at_ada: COIN})
    world.pay(world.outsider(5 * COIN), {at_bob: 5 * COIN})
    world.chain.finalize()
    world.node.unreadable.add(unreadable)
    await run_once(world)
    assert [await balance_of(world, each) for each in (ada, bob)] == ["0", "5"]
    world.node.unreadable.clear()
    await world.follow()
    assert await balance_of(world, ada) == "1"


async def test_a_part_without_one_of_its_transactions_is_not_believed(world: SolanaWorld) -> None:
    ada, at_ada = await new_user(world)
    hidden = pay_often(world, at_ada, MANY)[3]
    world.chain.finalize()
    world.node.hidden.add(hidden)
    await world.follow()
    assert await balance_of(world, ada) == "0"
    world.node.hidden.clear()
    await world.follow()
    assert await balance_of(world, ada) == PAID


async def test_a_list_of_many_pages_is_read_from_its_oldest_transaction_on(
    world: SolanaWorld,
) -> None:
    owner = new_address()
    signatures = pay_often(world, owner, 13)
    reader = reader_of(world, ListLimits(page_size=3, pages=2))
    found, reading = await read_on(world, reader, owner, None, runs=5)
    # More of them arrive meanwhile, and another process goes on with the reading.
    signatures += pay_often(world, owner, 7)
    more, reading = await read_on(world, reader, owner, reading, runs=5)
    found += more
    other = reader_of(world, ListLimits(page_size=3, pages=2))
    more, reading = await read_on(world, other, owner, reading, runs=8)
    found += more
    more, reading = await read_on(world, reader, owner, reading, runs=25)
    assert [each.transaction_hash for each in (*found, *more)] == signatures
    assert reading is not None
    assert reading.units == world.units(owner)


def pay_often(world: SolanaWorld, address: str, count: int) -> list[str]:
    """Pay one unit as often; return the signatures."""
    sender = world.outsider(count)
    return [world.pay(sender, {address: 1}) for _ in range(count)]


async def run_once(world: SolanaWorld) -> None:
    """Follow deposits in one run."""
    steps = world.container.chain_deposit_steps
    assert steps is not None
    await steps.run_once({each.id: timedelta() for each in await world.container.orgs.all()})


def reader_of(world: SolanaWorld, limits: ListLimits) -> TokenAccountReader:
    """Return a reader of the world's chain."""
    assert world.container.evm is not None
    solana = world.container.evm.solana
    assert solana is not None
    return TokenAccountReader(solana.chain, solana.client, limits)


async def read_on(
    world: SolanaWorld,
    reader: TokenAccountReader,
    owner: str,
    reading: AccountReading | None,
    *,
    runs: int,
) -> tuple[list[LoggedTransfer], AccountReading | None]:
    """Read an account as often, two transactions each time; return what was found."""
    address = account_of(owner, world.tokens["usdc"])
    account = FollowedAccount(world.org.org_id, owner, "usdc", address)
    found: list[LoggedTransfer] = []
    world.chain.finalize()
    for _ in range(runs):
        try:
            part = await reader.read(
                account,
                reading,
                start_slot=0,
                slot=world.chain.final_slot,
                units=world.units(owner),
                transactions_max=2,
            )
        except ChainUnsettled:
            continue  # the list goes on further down
        found += part.transfers
        reading = part.reading
    return found, reading
