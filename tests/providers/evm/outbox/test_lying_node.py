"""Nodes that lie: nothing is paid twice, and no account is stopped for it."""

import random
from pathlib import Path

import pytest

from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.db.pool import Database
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.nodes import RpcLimits
from landbridge.providers.evm.outbox.model import OutboxState
from landbridge.providers.evm.rpc import ChainClient
from tests.chain_world import FINAL_DEPTH, ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_paid_once,
    free_lease,
    make_due,
    make_late,
    new_address,
    relayers,
    run_until_final,
    sent_order,
    stored,
)
from tests.providers.evm.outbox.lying_node import lying_node

pytestmark = pytest.mark.long

_LIMITS = RpcLimits(call_timeout_s=5, attempt_timeout_s=2)


def _chance() -> random.Random:
    return random.Random(7)  # noqa: S311  the same run each time


def client_of(*urls: str) -> ChainClient:
    return ChainClient(
        [NodeUrl.parse(url) for url in urls], chain_id=137, clock=ReadingClock(), limits=_LIMITS
    )


async def is_stopped(world: ChainWorld) -> bool:
    return any(each.stopped_at is not None for each in await relayers(world))


@pytest.mark.parametrize("lies", [0.1, 0.4])
async def test_lies_delay_payments_and_repeat_none(
    tmp_path: Path, own_database: Database, lies: float
) -> None:
    async with (
        chain_world(tmp_path, own_database, relayers=2) as world,
        lying_node(world.rpc.url, _chance()) as node,
        client_of(node.url) as client,
    ):
        world.mine(FINAL_DEPTH)
        orders = [await sent_order(world, {new_address(): COIN + n}) for n in range(20)]
        outbox = another_outbox(world, client=client)
        node.lies = lies
        for count in range(40):
            await make_due(world)
            if count % 5 == 0:
                await make_late(world)
            await outbox.run_once()
            world.mine()
        assert {"receipt", "head"} <= node.counts.keys()
        node.lies = 0.0
        await free_lease(world)
        for order in orders:
            assert (await run_until_final(world, order)).state is OutboxState.FINAL
            await check_paid_once(world, order)
        assert not await is_stopped(world)


async def test_a_missing_answer_takes_no_payment_back(
    tmp_path: Path, own_database: Database
) -> None:
    async with (
        chain_world(tmp_path, own_database) as world,
        lying_node(world.rpc.url, _chance()) as node,
        client_of(node.url) as client,
    ):
        order = await sent_order(world, {new_address(): COIN})
        outbox = another_outbox(world, client=client)
        await outbox.run_once()
        world.mine()
        await outbox.run_once()
        assert (await stored(world, order)).state is OutboxState.MINED
        node.lies = 1.0
        for _ in range(FINAL_DEPTH + 2):
            world.mine()
            await outbox.run_once()
        (attempt,) = await attempts_of(world, order)
        assert attempt.block_number is not None
        assert not await is_stopped(world)


async def test_a_node_of_another_chain_is_never_used(
    tmp_path: Path, own_database: Database
) -> None:
    """After a fail-over to it, nothing is sent, followed or paid there."""
    async with (
        chain_world(tmp_path, own_database) as world,
        lying_node(world.rpc.url, _chance()) as other,
        client_of("http://127.0.0.1:9", other.url) as client,
    ):
        other.chain_id = "0x1"
        order = await sent_order(world, {new_address(): COIN})
        outbox = another_outbox(world, client=client)
        for _ in range(3):
            await make_due(world)
            await outbox.run_once()
            world.mine()
        assert await attempts_of(world, order) == []
        await free_lease(world)
        assert (await run_until_final(world, order)).state is OutboxState.FINAL
        await check_paid_once(world, order)
