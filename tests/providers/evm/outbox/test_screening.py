"""Destinations that are listed after their order was created."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainOrderState
from tests.chain_world import ChainWorld, chain_world
from tests.providers.evm.outbox.test_orders import (
    BOB,
    CAROL,
    COIN,
    order_of,
    run_until_final,
    state,
)
from tests.providers.screening.lists import person, sanctions_list
from tests.tenants import make_user

pytestmark = pytest.mark.long


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    """A chain."""
    async with chain_world(tmp_path, own_database) as world:
        yield world


async def list_bob(world: ChainWorld) -> None:
    listed = replace(person(1, "LAST, First"), addresses=(BOB.lower(),))
    await world.container.screening.load(sanctions_list([listed]))


def signature_count(folder: Path) -> int:
    """Return the number of signatures in the signer's own log."""
    return len((folder / "signatures.jsonl").read_text("utf-8").splitlines())


async def attempts(world: ChainWorld, key: object) -> int:
    (row,) = await world.container.database.rows(
        "select count(*) as count from chain_attempts where org_id = $1 and key = $2",
        world.org.org_id,
        key,
    )
    return row["count"]


async def test_nothing_is_signed_for_an_address_listed_meanwhile(
    world: ChainWorld, tmp_path: Path
) -> None:
    user = await make_user(world.org)
    order = await order_of(world, "usdc", {BOB: COIN}, user)
    await world.container.chains.send(order)
    await list_bob(world)
    before = signature_count(tmp_path)
    await run_until_final(world, order)
    assert await state(world, order) is ChainOrderState.FAILED
    found = await world.container.chains.find_status(order.org_id, order.key, order.at)
    assert found is not None
    assert found.reason == "the destination is on a sanctions list"
    assert await attempts(world, order.key) == 0
    assert signature_count(tmp_path) == before
    assert await world.balance("usdc", BOB) == 0
    other = await order_of(world, "usdc", {CAROL: COIN}, user)
    await world.container.chains.send(other)
    await run_until_final(world, other)
    assert await state(world, other) is ChainOrderState.CONFIRMED


async def test_a_block_list_set_meanwhile_rejects_a_batch(world: ChainWorld) -> None:
    order = await order_of(world, "usdc", {CAROL: COIN, BOB: COIN}, await make_user(world.org))
    await world.container.chains.send(order)
    answer = await world.org.send(
        "PUT", "/v2/organization/address-policy", {"blockedAddresses": [BOB]}
    )
    assert answer.status_code == 200
    await run_until_final(world, order)
    assert await state(world, order) is ChainOrderState.FAILED
    assert await world.balance("usdc", CAROL) == 0


async def test_a_refund_to_a_listed_address_waits_for_a_person(world: ChainWorld) -> None:
    order = replace(await order_of(world, "usdc", {BOB: COIN}, None), is_refund=True)
    await world.container.chains.send(order)
    await list_bob(world)
    for _ in range(3):
        await world.outbox.run_once()
        world.mine()
    assert await state(world, order) is ChainOrderState.PENDING
    assert await attempts(world, order.key) == 0
    (row,) = await world.container.database.rows(
        "select reason from chain_orders where org_id = $1 and key = $2", order.org_id, order.key
    )
    assert row["reason"] == "waits for a person: the destination is on a sanctions list"
