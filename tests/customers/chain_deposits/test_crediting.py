"""Deposits from outside on a real chain: found, shown, and credited once when final."""

from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
import pytest
from msgspec import structs

from landbridge.customers.chain_deposits.matching import STORED_MAX
from landbridge.platform.formats.evm_addresses import checked_evm_address
from landbridge.providers.chains.tokens import Chain, Network
from landbridge.providers.evm.configuration import FinalityTag
from landbridge.providers.evm.following.reader import ChainReader
from tests.chains.contracts import deploy_contract
from tests.change_log import placed
from tests.customers.chain_deposits.chain_world import (
    COIN,
    CONFIRMATIONS,
    FINALITY,
    FollowedChain,
    deposits,
    follower,
    statuses,
)
from tests.tenants import held, make_tenant, make_user

pytestmark = pytest.mark.long


async def test_a_transfer_from_outside_is_credited_once_when_it_is_final(
    world: FollowedChain,
) -> None:
    org = world.org
    user, address = await world.new_user()
    transaction = world.pay(address, 5)
    await world.follow()
    # One block deep: two are required.
    assert await statuses(org, user) == []
    world.mine(CONFIRMATIONS - 1)
    await world.follow()
    (found,) = await deposits(org, user)
    assert await org.get(f"/v2/users/{user}/wallets/deposits/{found['id']}") == found
    assert found["createdAt"] == found["updatedAt"]
    assert found["wallet"]["address"] == address
    assert found["transaction"] == {
        "transactionHash": transaction,
        "chain": "POLYGON",
        "currency": "usdc",
        "status": "CONFIRMED",
        "sourceAddress": checked_evm_address(world.outsider),
        "destinationAddress": address,
        "contractAddress": world.chain.tokens["usdc"].address,
        "amount": "5",
        "unitAmount": str(5 * COIN),
    }
    # A deposit can't be spent before its block is final.
    assert await held(org, user) == "0"
    world.mine(FINALITY - CONFIRMATIONS)
    await world.follow()
    assert await held(org, user) == "5"
    (final,) = await deposits(org, user)
    assert final["transaction"] == {**found["transaction"], "status": "COMPLETED"}
    assert (final["id"], final["createdAt"]) == (found["id"], found["createdAt"])
    assert final["updatedAt"] > found["updatedAt"]
    assert await org.get(f"/v2/users/{user}/wallets/deposits/{found['id']}") == final
    # No worker credits anything again.
    world.mine(10)
    await world.follow()
    await world.follow(follower(world.container, world.chain, world.client))
    assert await held(org, user) == "5"
    await world.check_ledger()


async def test_deposits_are_listed_by_status(world: FollowedChain) -> None:
    org = world.org
    user, address = await world.new_user()
    for coins in (1, 2, 3):
        world.pay(address, coins)
    await world.finalize()
    for coins in (4, 5):
        world.pay(address, coins)
    world.mine(CONFIRMATIONS - 1)
    await world.follow()
    completed = [(str(each), "COMPLETED") for each in (3, 2, 1)]
    confirmed = [(str(each), "CONFIRMED") for each in (5, 4)]
    assert sorted(await statuses(org, user)) == sorted(confirmed + completed)
    assert sorted(await statuses(org, user, status="CONFIRMED")) == sorted(confirmed)
    assert sorted(await statuses(org, user, status="COMPLETED")) == sorted(completed)
    assert await statuses(org, user, status="CONFIRMED", minAmount=5) == confirmed[:1]
    # Pages go on where the last one ended, over both kinds.
    path, seen, cursor = f"/v2/users/{user}/wallets/deposits", list[str](), dict[str, str]()
    while True:
        query = {"chain": "POLYGON", "currency": "usdc", "limit": "2", **cursor}
        page = await org.get(path, **query)
        if not page["count"]:
            break
        seen += [each["id"] for each in page["records"]]
        cursor = {"createdBefore": page["nextCursor"]}
    assert len(seen) == len(set(seen)) == len(confirmed + completed)


async def test_a_credit_is_an_event_and_is_dated_in_organisation_time(world: FollowedChain) -> None:
    org = world.org
    await org.post("/v2/sandbox/clock/advance", {"seconds": 40 * 86_400})
    user, address = await world.new_user()
    world.pay(address, 7)
    await world.finalize()
    (found,) = await deposits(org, user)
    now = world.container.clock.now(timedelta(days=40))
    for name in ("createdAt", "updatedAt"):
        assert abs(datetime.fromisoformat(found[name]) - now) < timedelta(minutes=5)
    await placed(world.container.database)
    events = await org.get("/v2/events", eventType="WALLET.TOKEN.BALANCE.UPDATE")
    assert [each["data"] for each in events["records"]] == [found]


async def test_a_token_that_returns_nothing_is_credited(world: FollowedChain) -> None:
    user, address = await world.new_user()
    world.pay(address, 3, currency="usdt")
    await world.finalize()
    assert await held(world.org, user, "usdt") == "3"
    assert await held(world.org, user) == "0"


async def test_several_transfers_of_one_transaction_are_credited_each(world: FollowedChain) -> None:
    (ada, address), (bob, other) = await world.new_user(), await world.new_user()
    disperse = deploy_contract(world.rpc, world.outsider, "Disperse")
    world.token().send(world.outsider, "approve", disperse.address, 100 * COIN)
    amounts = [1 * COIN, 2 * COIN, 3 * COIN]
    disperse.send(
        world.outsider,
        "disperse",
        world.token().address,
        bytes(32),
        [address, other, address],
        amounts,
    )
    await world.finalize()
    assert (await held(world.org, ada), await held(world.org, bob)) == ("4", "2")


async def test_own_transfers_are_ignored_and_those_of_other_organisations_are_not(
    world: FollowedChain,
) -> None:
    (ada, ada_address), (bob, bob_address) = await world.new_user(), await world.new_user()
    other_org = await make_tenant(world.container, world.org.client, name="Other")
    eve = await make_user(other_org)
    holding = await world.container.wallets.holding(
        other_org.org_id, UUID(eve), Chain.POLYGON, "usdc"
    )
    eve_address = holding.wallet.address
    treasury = await world.container.wallets.treasury_address(world.org.org_id, Chain.POLYGON)
    for address in (ada_address, eve_address, treasury):
        world.impersonate(address)
    world.pay(bob_address, 1, sender=ada_address)
    world.pay(bob_address, 2, sender=treasury)
    world.pay(bob_address, 4, sender=eve_address)
    world.pay(eve_address, 8, sender=ada_address)
    world.pay(bob_address, 0)
    await world.finalize()
    assert await held(world.org, ada) == "100"
    assert await statuses(world.org, bob) == [("4", "COMPLETED")]
    assert await statuses(other_org, eve) == [("8", "COMPLETED"), ("100", "COMPLETED")]


async def test_unknown_tokens_and_addresses_are_ignored(world: FollowedChain) -> None:
    user, address = await world.new_user()
    stranger = deploy_contract(world.rpc, world.outsider, "TestDollar", "USD Coin", "USDC")
    stranger.send(world.outsider, "mint", world.outsider, 10 * COIN)
    stranger.send(world.outsider, "transfer", address, 10 * COIN)
    world.pay(world.rpc.accounts()[3], 5)
    await world.finalize()
    assert await statuses(world.org, user) == []


async def test_nothing_before_the_first_start_is_credited(world: FollowedChain) -> None:
    user, address = await world.new_user()
    world.pay(address, 1)
    world.mine(FINALITY)
    paid_at = world.height() - FINALITY
    await world.container.database.rows("delete from chain_blocks")
    await world.container.database.rows("delete from chain_cursors")
    steps = follower(world.container, world.chain, world.client)
    await world.follow(steps)
    world.pay(address, 2)
    world.mine(FINALITY)
    await world.follow(steps)
    assert await statuses(world.org, user) == [("2", "COMPLETED")]
    # Unless a block is configured to start at.
    await world.container.database.rows("delete from chain_blocks")
    await world.container.database.rows("delete from chain_cursors")
    start_blocks = {Network.POLYGON: paid_at}
    steps = follower(world.container, world.chain, world.client, start_blocks=start_blocks)
    await world.follow(steps)
    assert await statuses(world.org, user) == [("1", "COMPLETED"), ("2", "COMPLETED")]
    assert await held(world.org, user) == "3"


async def test_a_chain_that_was_not_followed_for_long_is_caught_up(world: FollowedChain) -> None:
    user, address = await world.new_user()
    for coins in (1, 2, 3):
        world.pay(address, coins)
        world.mine(130)
    await world.finalize()
    assert await held(world.org, user) == "6"
    # Few blocks are kept.
    world.mine(1_500)
    await world.follow()
    (row,) = await world.container.database.rows("select count(*) as blocks from chain_blocks")
    assert row["blocks"] < 1_300


async def test_a_tag_of_the_node_is_a_finality(world: FollowedChain) -> None:
    chain = structs.replace(world.chain, finality=FinalityTag.FINALIZED)
    steps = follower(world.container, chain, world.client)
    user, address = await world.new_user()
    world.pay(address, 1)
    final_at = world.height()
    while True:
        await world.follow(steps)
        reader = ChainReader(chain, world.client)
        heads = await reader.heads(await reader.latest())
        is_final = heads.final is not None and heads.final >= final_at
        assert await held(world.org, user) == ("1" if is_final else "0")
        if is_final:
            break
        world.mine()


async def test_a_frozen_user_is_credited(world: FollowedChain) -> None:
    user, address = await world.new_user()
    await world.container.users.freeze(world.org.caller, UUID(user), reason=None)
    world.pay(address, 1)
    await world.finalize()
    assert await held(world.org, user) == "1"


async def test_very_many_transfers_are_stored_block_by_block(world: FollowedChain) -> None:
    user, address = await world.new_user()
    token, in_a_block = world.token(), STORED_MAX // 2 + 1
    world.rpc.call("evm_setAutomine", False)  # noqa: FBT003  as the node has it
    for _ in range(2):
        for _ in range(in_a_block):
            world.rpc.send(world.outsider, token.data("transfer", address, COIN), to=token.address)
        world.mine()
    world.mine(FINALITY)
    await world.steps.run_once(await world.container.orgs.clock_offsets())
    rows = await world.container.database.rows("select id from chain_deposits")
    assert len(rows) == in_a_block
    await world.follow()
    assert await held(world.org, user) == str(2 * in_a_block)
    await world.check_ledger()


# Ends the transaction that stores or credits the 301st deposit.
_KILL = """
create function kill() returns trigger language plpgsql as $$ begin
    if (select count(*) from chain_deposits where status = '{status}') > 300 then
        raise exception 'killed';
    end if;
    return null;
end $$
"""
_KILL_AT_EACH = """
create trigger kill after insert or update on chain_deposits for each row execute function kill()
"""


async def test_a_block_with_very_many_transfers_is_stored_in_parts(world: FollowedChain) -> None:
    user, address = await world.new_user()
    token, count = world.token(), 2 * STORED_MAX + 1
    world.rpc.call("evm_setAutomine", False)  # noqa: FBT003  as the node has it
    for _ in range(count):
        world.rpc.send(world.outsider, token.data("transfer", address, COIN), to=token.address)
    world.mine(FINALITY)
    database = world.container.database
    for status in ("CONFIRMED", "COMPLETED"):
        await database.rows(_KILL.format(status=status))
        await database.rows(_KILL_AT_EACH)
        with pytest.raises(asyncpg.PostgresError, match="killed"):
            await world.follow()
        rows = await database.rows("select 1 from chain_deposits where status = $1", status)
        assert len(rows) == STORED_MAX
        await database.rows("drop function kill cascade")
    await world.follow()
    assert await held(world.org, user) == str(count)
    await world.check_ledger()


async def test_what_a_killed_worker_has_stored_of_a_lost_block_holds_up_nothing(
    world: FollowedChain,
) -> None:
    user, address = await world.new_user()
    database = world.container.database
    before = world.rpc.call("evm_snapshot")
    world.pay(address, 5)
    world.mine(CONFIRMATIONS - 1)
    cursors = "select confirmed_number, confirmed_hash from chain_cursors"
    (cursor,) = await database.rows(cursors)
    await world.follow()
    assert await statuses(world.org, user) == [("5", "CONFIRMED")]
    # As if it had been killed before the cursor moved.
    await database.rows(
        "update chain_cursors set confirmed_number = $1, confirmed_hash = $2",
        cursor["confirmed_number"],
        cursor["confirmed_hash"],
    )
    await database.rows("delete from chain_blocks where number > $1", cursor["confirmed_number"])
    world.rpc.call("evm_revert", before)
    world.mine(CONFIRMATIONS)
    await world.finalize()
    assert await statuses(world.org, user) == []
    world.pay(address, 2)
    await world.finalize()
    assert await held(world.org, user) == "2"
