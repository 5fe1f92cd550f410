"""Nodes that lie or lag: nothing is credited on their word, and nothing is lost."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from landbridge.customers.chain_deposits.metrics import UNREAD
from landbridge.providers.evm.nodes import RpcLimits
from tests.customers.chain_deposits.chain_world import CONFIRMATIONS, FollowedChain, statuses
from tests.providers.evm.node_server import FakeNode, client_of, fake_node
from tests.tenants import held

pytestmark = pytest.mark.long

METHODS = (
    "eth_blockNumber",
    "eth_getBlockByNumber",
    "eth_getLogs",
    "eth_getTransactionReceipt",
)


@pytest.fixture
async def liar() -> AsyncGenerator[FakeNode]:
    async with fake_node() as node:
        yield node


def be_honest(world: FollowedChain, node: FakeNode) -> None:
    """Let the node answer as the real one does."""
    for method in METHODS:

        def answer(*params: Any, method: str = method) -> Any:
            return world.rpc.call(method, *params)

        node.methods[method] = answer


def unread_count() -> float:
    """Return how many transactions could not be read, on all chains."""
    samples = [each for metric in UNREAD.collect() for each in metric.samples]
    return sum(each.value for each in samples if each.name.endswith("_total"))


async def test_a_log_that_is_left_out_when_it_is_final_is_waited_for(
    world: FollowedChain, liar: FakeNode
) -> None:
    be_honest(world, liar)
    user, address = await world.new_user()
    world.pay(address, 5)
    world.mine(CONFIRMATIONS - 1)
    async with client_of(liar) as client:
        lied_to = world.on(world.rpc, client)
        await lied_to.follow()
        assert await statuses(world.org, user) == [("5", "CONFIRMED")]
        liar.set("eth_getLogs", [])
        await lied_to.finalize()
        assert await statuses(world.org, user) == [("5", "CONFIRMED")]
        be_honest(world, liar)
        await lied_to.finalize()
        assert await held(world.org, user) == "5"


async def test_a_log_that_was_left_out_when_it_was_confirmed_is_credited(
    world: FollowedChain, liar: FakeNode
) -> None:
    be_honest(world, liar)
    liar.set("eth_getLogs", [])
    user, address = await world.new_user()
    world.pay(address, 5)
    world.mine(CONFIRMATIONS - 1)
    async with client_of(liar) as client:
        lied_to = world.on(world.rpc, client)
        await lied_to.follow()
        assert await statuses(world.org, user) == []
        be_honest(world, liar)
        await lied_to.finalize()
        assert await held(world.org, user) == "5"


async def test_a_duplicated_log_is_not_credited_twice(world: FollowedChain, liar: FakeNode) -> None:
    be_honest(world, liar)

    def doubled(*params: Any) -> list[Any]:
        logs = world.rpc.call("eth_getLogs", *params)
        return [*logs, *({**each, "logIndex": "0x63"} for each in logs)]

    user, address = await world.new_user()
    world.pay(address, 5)
    async with client_of(liar) as client:
        lied_to = world.on(world.rpc, client)
        liar.methods["eth_getLogs"] = doubled
        await lied_to.finalize()
        assert await statuses(world.org, user) == []
        be_honest(world, liar)
        await lied_to.finalize()
        assert await held(world.org, user) == "5"


async def test_a_node_that_lags_changes_nothing(world: FollowedChain, liar: FakeNode) -> None:
    be_honest(world, liar)
    user, address = await world.new_user()
    world.pay(address, 5)
    await world.finalize()
    behind = hex(world.height() - 10)

    def block(number: str, is_full: bool) -> Any:  # noqa: FBT001  parameters of the method
        chosen = behind if number == "latest" else number
        return world.rpc.call("eth_getBlockByNumber", chosen, is_full)

    async with client_of(liar) as client:
        lagging = world.on(world.rpc, client)
        liar.methods["eth_getBlockByNumber"] = block
        liar.set("eth_blockNumber", behind)
        await lagging.follow()
        assert await statuses(world.org, user) == [("5", "COMPLETED")]
        world.pay(address, 2)
        be_honest(world, liar)
        await lagging.finalize()
        assert await held(world.org, user) == "7"


async def test_a_node_that_does_not_answer_is_waited_for(
    world: FollowedChain, liar: FakeNode
) -> None:
    be_honest(world, liar)
    user, address = await world.new_user()
    world.pay(address, 5)
    async with client_of(liar) as client:
        waiting = world.on(world.rpc, client)
        liar.refuse("eth_getTransactionReceipt", -32603, "internal error")
        await waiting.finalize()
        assert await statuses(world.org, user) == []
        be_honest(world, liar)
        await waiting.finalize()
        assert await held(world.org, user) == "5"


async def test_a_transaction_that_is_too_large_holds_up_no_other_deposit(
    world: FollowedChain, liar: FakeNode
) -> None:
    be_honest(world, liar)
    user, address = await world.new_user()
    huge = world.pay(address, 5)
    world.pay(address, 2)

    def mined(transaction_hash: str) -> Any:
        found = world.rpc.call("eth_getTransactionReceipt", transaction_hash)
        return {**found, "data": "0" * 200_000} if transaction_hash == huge else found

    liar.methods["eth_getTransactionReceipt"] = mined
    before = unread_count()
    async with client_of(liar, limits=RpcLimits(answer_bytes_max=100_000)) as client:
        await world.on(world.rpc, client).finalize()
        assert client.health()[0].set_aside_until is None
    assert unread_count() - before == 1
    assert await statuses(world.org, user) == [("2", "COMPLETED")]
    assert await held(world.org, user) == "2"


async def test_a_transaction_that_is_too_large_when_it_is_final_is_waited_for(
    world: FollowedChain, liar: FakeNode
) -> None:
    be_honest(world, liar)
    user, address = await world.new_user()
    world.pay(address, 5)
    world.mine(CONFIRMATIONS - 1)
    async with client_of(liar, limits=RpcLimits(answer_bytes_max=100_000)) as client:
        lied_to = world.on(world.rpc, client)
        await lied_to.follow()
        liar.set("eth_getTransactionReceipt", {"data": "0" * 200_000})
        await lied_to.finalize()
        assert await statuses(world.org, user) == [("5", "CONFIRMED")]
        be_honest(world, liar)
        await lied_to.finalize()
    assert await held(world.org, user) == "5"
