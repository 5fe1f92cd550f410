"""Reorganisations: shallower and deeper than the depths, re-included or not; lost chains."""

from pathlib import Path
from uuid import UUID

import pytest

from landbridge.customers.chain_deposits.commands import write_off
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.providers.chains.tokens import TOKENS, Chain
from tests.customers.chain_deposits.chain_world import (
    COIN,
    CONFIRMATIONS,
    FINALITY,
    PAYS_ONE_UNIT,
    FollowedChain,
    configured,
    correct_all,
    deposits,
    statuses,
)
from tests.house_accounts import house_balance
from tests.providers.evm.anvil import running_anvil
from tests.tenants import fund, held, make_transfer, make_user, run_due

pytestmark = pytest.mark.long

USDC = TOKENS[Chain.POLYGON, "usdc"].asset


async def is_frozen(world: FollowedChain, user: str) -> bool:
    state = await world.container.users.freeze_of(world.org.org_id, UUID(user))
    return state.user.is_frozen


async def house_units(world: FollowedChain, role: HouseRole) -> int:
    found = await house_balance(world.container.database, world.org.org_id, role, USDC)
    return found.units


async def stuck(world: FollowedChain) -> list[tuple[str, str]]:
    """Return kind and status of the records that need attention."""
    found = await world.container.timelines.stuck(
        await world.container.orgs.clock_offsets(), limit=10
    )
    return [(each.kind, each.status) for each in found]


async def send_again(world: FollowedChain, raw: str) -> None:
    """Mine a transaction that a reorganisation has dropped."""
    world.rpc.call("eth_sendRawTransaction", raw)
    assert world.rpc.call("eth_blockNumber")


async def lose_final_blocks(world: FollowedChain) -> None:
    """Replace the last final block, and let it be final that the old one does not return."""
    world.reorganise(FINALITY + 1)
    await world.follow()
    await world.finalize()


def raw_of(world: FollowedChain, transaction: str) -> str:
    return str(world.rpc.call("eth_getRawTransactionByHash", transaction))


async def test_a_reorganisation_above_the_confirmed_block_changes_nothing(
    world: FollowedChain,
) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.follow()
    world.reorganise(CONFIRMATIONS - 1)
    await world.finalize()
    assert await statuses(world.org, user) == []


async def test_a_confirmed_deposit_goes_with_its_block_and_returns_with_another(
    world: FollowedChain,
) -> None:
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, 5))
    world.mine(CONFIRMATIONS - 1)
    await world.follow()
    (before,) = await deposits(world.org, user)
    world.reorganise(CONFIRMATIONS)
    await world.follow()
    assert await statuses(world.org, user) == []
    await send_again(world, raw)
    world.mine(CONFIRMATIONS - 1)
    await world.follow()
    (after,) = await deposits(world.org, user)
    assert (after["id"], after["transaction"]) == (before["id"], before["transaction"])
    await world.finalize()
    assert await statuses(world.org, user) == [("5", "COMPLETED")]
    assert await held(world.org, user) == "5"
    assert not await is_frozen(world, user)


async def test_a_credited_deposit_that_returns_is_not_credited_again(world: FollowedChain) -> None:
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, 5))
    await world.finalize()
    assert await held(world.org, user) == "5"
    world.reorganise(FINALITY + 2)
    await world.follow()
    # Credited still: it may return.
    assert await held(world.org, user) == "5"
    world.mine()
    await send_again(world, raw)
    await world.finalize()
    await world.finalize()
    assert await statuses(world.org, user) == [("5", "COMPLETED")]
    assert await held(world.org, user) == "5"
    assert not await is_frozen(world, user)
    await world.check_ledger()


@pytest.mark.parametrize("is_reversed_before", [False, True])
async def test_a_deposit_that_returns_with_another_amount_is_credited_with_that(
    world: FollowedChain, *, is_reversed_before: bool
) -> None:
    """The result of a transaction may depend on its block, as its sender wishes."""
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, 5))
    await world.finalize()
    assert await held(world.org, user) == "5"
    world.reorganise(FINALITY + 2)
    await world.follow()
    world.rpc.call("anvil_setCode", world.token().address, PAYS_ONE_UNIT)
    if is_reversed_before:
        await world.finalize()
        await world.finalize()
        assert await held(world.org, user) == "0"
    await send_again(world, raw)
    await world.finalize()
    await world.finalize()
    assert await statuses(world.org, user, minAmount="0") == [("0.000001", "COMPLETED")]
    assert await held(world.org, user) == "0.000001"
    assert await is_frozen(world, user)
    await world.check_ledger()


async def test_a_credited_deposit_that_is_lost_is_taken_back(world: FollowedChain) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    world.mine(FINALITY)
    await world.follow()
    (before,) = await deposits(world.org, user)
    await lose_final_blocks(world)
    assert await held(world.org, user) == "0"
    assert await statuses(world.org, user) == []
    path = f"/v2/users/{user}/wallets/deposits/{before['id']}"
    assert await world.org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert await is_frozen(world, user)
    # Nothing is owed, so nobody has to decide anything.
    assert await stuck(world) == []
    assert await house_units(world, HouseRole.RECEIVABLE) == 0
    assert await house_units(world, HouseRole.OUTSIDE) == 0
    await world.check_ledger()


async def test_what_was_spent_of_a_lost_deposit_is_owed_and_recovered(world: FollowedChain) -> None:
    org = world.org
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    await make_transfer(org, user, await make_user(org), 3)
    await run_due(org)
    await lose_final_blocks(world)
    assert await held(org, user) == "0"
    assert await house_units(world, HouseRole.RECEIVABLE) == -3 * COIN
    assert await stuck(world) == [("WALLET.DEPOSIT.REVERSAL", "OPEN")]
    await world.check_ledger()
    # Less than is owed stays; the rest is taken once it is there.
    world.pay(address, 1)
    await world.finalize()
    assert await held(org, user) == "1"
    world.pay(address, 4)
    await world.finalize()
    await world.follow()
    assert await held(org, user) == "2"
    assert await house_units(world, HouseRole.RECEIVABLE) == 0
    assert await stuck(world) == []
    await world.check_ledger()


async def test_what_is_owed_can_be_written_off(world: FollowedChain) -> None:
    org = world.org
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    await make_transfer(org, user, await make_user(org), 5)
    await run_due(org)
    await lose_final_blocks(world)
    (row,) = await world.container.database.rows(
        "select id from transfers where kind = 'WALLET.DEPOSIT.REVERSAL'"
    )
    at = world.container.clock.stamp()
    ledger = world.container.ledger
    await write_off(ledger, org.org_id, row["id"], actor="cli", at=at)
    with pytest.raises(ResourceConflict):
        await write_off(ledger, org.org_id, row["id"], actor="cli", at=at)
    with pytest.raises(ResourceNotFound):
        await write_off(ledger, org.org_id, UUID(int=0), actor="cli", at=at)
    assert await house_units(world, HouseRole.RECEIVABLE) == 0
    assert await house_units(world, HouseRole.WRITE_OFFS) == -5 * COIN
    await fund(org, user, "9")
    await world.follow()
    assert await held(org, user) == "9"
    await world.check_ledger()


async def test_a_lost_deposit_that_was_corrected_is_not_taken_back_again(
    world: FollowedChain,
) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    (deposit,) = await deposits(world.org, user)
    await fund(world.org, user, "5")
    await correct_all(world.org, UUID(deposit["id"]))
    await lose_final_blocks(world)
    assert await held(world.org, user) == "5"
    assert await house_units(world, HouseRole.RECEIVABLE) == 0
    await world.check_ledger()


async def test_a_deposit_that_was_taken_back_is_not_corrected(world: FollowedChain) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    (deposit,) = await deposits(world.org, user)
    await lose_final_blocks(world)
    await fund(world.org, user, "5")
    with pytest.raises(ResourceConflict, match="belongs to"):
        await correct_all(world.org, UUID(deposit["id"]))
    assert await held(world.org, user) == "5"
    await world.check_ledger()


async def test_a_deposit_that_returns_after_it_was_taken_back_is_credited_again(
    world: FollowedChain,
) -> None:
    user, address = await world.new_user()
    raw = raw_of(world, world.pay(address, 5))
    await world.finalize()
    for _ in range(2):
        await lose_final_blocks(world)
        assert await held(world.org, user) == "0"
        await send_again(world, raw)
        await world.finalize()
        assert await held(world.org, user) == "5"
        assert await statuses(world.org, user) == [("5", "COMPLETED")]
    await world.check_ledger()


async def test_a_restarted_chain_is_a_deep_reorganisation(
    world: FollowedChain, tmp_path: Path
) -> None:
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    # Killed, and started from nothing: much shorter, with other blocks.
    logs = tmp_path / "second"
    logs.mkdir()
    async with running_anvil(logs) as (rpc, client):
        again = world.on(rpc, client)
        await again.follow()
        rpc.call("anvil_mine", "0x3")
        await again.follow()
        assert await held(world.org, user) == "5"
        # The tokens are deployed again, at the same addresses.
        assert configured(rpc).tokens == world.chain.tokens
        again.pay(address, 2)
        await again.finalize()
        # The old deposit is taken back where the new chain is final as well.
        again.mine(world.height())
        await again.follow()
        assert await statuses(world.org, user) == [("2", "COMPLETED")]
        assert await held(world.org, user) == "2"
        assert await is_frozen(world, user)
    await world.check_ledger()
