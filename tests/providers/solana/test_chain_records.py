"""What Solana records of addresses: units at a slot, and movements up to it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.records import AddressMovement, MovementPage, RecordedBlock
from landbridge.providers.solana.chain_records import SolanaChainRecords
from landbridge.providers.solana.programs import SYSTEM, account_of
from tests.providers.solana.solana_orders import new_address
from tests.solana_world import COIN, SolanaWorld, solana_world

CHAIN, ASSET = "SOLANA", "usdc:SOLANA"


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        world.chain.finalize()
        yield world


async def test_a_position_is_that_of_the_block(world: SolanaWorld) -> None:
    ada, bob, records = new_address(), new_address(), records_of(world)
    sender = world.outsider(100 * COIN)
    world.pay(sender, {ada: 3 * COIN, bob: 4 * COIN})
    block = await final_block(world)
    world.pay(sender, {ada: 10 * COIN})
    world.pay(sender, {ada: 20 * COIN})
    world.steal(bob, COIN)
    later = await final_block(world)
    assert [
        (await records.position(world.org.org_id, CHAIN, {ada, bob}, each))[ASSET]
        for each in (block, later)
    ] == [7 * COIN, 36 * COIN]


async def test_movements_come_in_pages_of_whole_slots(world: SolanaWorld) -> None:
    ada, bob = new_address(), new_address()
    sender = world.outsider(100 * COIN)
    start = await final_block(world)
    paid = [world.pay(sender, {ada: each, bob: each}) for each in (1, 2, 3)]
    end = await final_block(world)
    pages = await movements(world, {ada, bob}, after=start.number, until=end, size=2)
    assert [list(each.movements) for each in pages] == [
        [AddressMovement(signature, ASSET, 2 * units)] if signature else []
        for signature, units in [*zip(paid, (1, 2, 3), strict=True), ("", 0)]
    ]
    assert pages[-1].block == end
    # The run goes on after any page.
    rest = await movements(world, {ada, bob}, after=pages[0].block.number, until=end, size=2)
    assert rest == pages[1:]
    assert await records_of(world).has_block(world.org.org_id, CHAIN, pages[0].block)


async def test_movements_between_the_addresses_count_as_zero(world: SolanaWorld) -> None:
    sender = world.outsider(10 * COIN)
    ada, owner = new_address(), str(sender.pubkey())
    start = await final_block(world)
    world.pay(sender, {ada: COIN})
    end = await final_block(world)
    pages = await movements(world, {ada, owner}, after=start.number, until=end)
    assert [each for page in pages for each in page.movements] == []


async def test_blocks_of_another_chain_are_not_had(world: SolanaWorld) -> None:
    block = await final_block(world)
    other = RecordedBlock(block.number, world.chain.genesis)
    unknown = RecordedBlock(world.chain.slot + 1_000, block.hash)
    records = records_of(world)
    assert [
        await records.has_block(world.org.org_id, CHAIN, each) for each in (block, other, unknown)
    ] == [True, False, False]
    # Nodes have not kept it; what was final stays so.
    world.chain.first_slot = block.number + 1
    assert await records.has_block(world.org.org_id, CHAIN, block)


@pytest.mark.parametrize("place", [0, 1])
async def test_units_that_the_transactions_do_not_explain_are_refused(
    world: SolanaWorld, place: int
) -> None:
    ada, sender = new_address(), world.outsider(100 * COIN)
    block = await final_block(world)
    hidden = [world.pay(sender, {ada: COIN}) for _ in range(3)][place + 1]
    world.chain.finalize()
    world.node.hidden.add(hidden)
    with pytest.raises(Unavailable, match="missing"):
        await records_of(world).position(world.org.org_id, CHAIN, {ada}, block)


async def test_a_node_some_slots_behind_answers_nothing(world: SolanaWorld) -> None:
    ada, block = new_address(), await final_block(world)
    world.node.lag_slots = 1
    with pytest.raises(Unavailable, match="does not answer its balances"):
        await records_of(world).position(world.org.org_id, CHAIN, {ada}, block)
    with pytest.raises(Unavailable, match="does not answer its transactions"):
        await movements(world, {ada}, after=0, until=block)


async def test_an_account_with_too_few_bytes_is_no_balance(world: SolanaWorld) -> None:
    ada, block = new_address(), await final_block(world)
    account = Pubkey.from_string(account_of(ada, world.tokens["usdc"]))
    world.chain.svm.set_account(account, Account(1, b"x" * 66, SYSTEM, False, 0))  # noqa: FBT003
    with pytest.raises(Unavailable, match="does not answer its balances"):
        await records_of(world).position(world.org.org_id, CHAIN, {ada}, block)


def records_of(world: SolanaWorld, size: int = 500) -> SolanaChainRecords:
    assert world.container.evm is not None
    solana = world.container.evm.solana
    assert solana is not None
    return SolanaChainRecords(solana.chain, solana.client, page_transactions=size)


async def final_block(world: SolanaWorld) -> RecordedBlock:
    """Finalize what there is; return the last block."""
    world.chain.finalize()
    now = world.container.clock.now()
    return await records_of(world).final_block(world.org.org_id, CHAIN, now)


async def movements(
    world: SolanaWorld, addresses: set[str], *, after: int, until: RecordedBlock, size: int = 500
) -> list[MovementPage]:
    found = records_of(world, size).movements(
        world.org.org_id, CHAIN, addresses, after=after, until=until
    )
    return [each async for each in found]
