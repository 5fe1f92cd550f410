"""A transaction that no node accepts: its nonce is cancelled, so that later ones go on."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from landbridge.platform.db.pool import Database
from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.node_errors import SendResult
from landbridge.providers.evm.outbox.model import AttemptKind, OutboxState
from landbridge.providers.evm.outbox.plans import VALIDITY_S
from landbridge.providers.evm.raw_transactions import SendOutcome
from landbridge.providers.evm.rpc import ChainClient
from tests.chain_world import ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_paid_once,
    make_late,
    new_address,
    run,
    run_until,
    run_until_final,
    sent_order,
)

pytestmark = pytest.mark.long


class RefusingNodes:
    """The chain's nodes, which refuse the first transaction that they are sent, for good."""

    def __init__(self, client: ChainClient) -> None:
        self._client = client
        self._refused: bytes | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def send_raw(self, raws: Sequence[bytes]) -> list[SendOutcome]:
        return [await self._send(each) for each in raws]

    async def _send(self, raw: bytes) -> SendOutcome:
        self._refused = self._refused or raw
        if raw != self._refused:
            (outcome,) = await self._client.send_raw([raw])
            return outcome
        return SendOutcome(
            result=SendResult.REJECTED,
            transaction_hash=f"0x{keccak256(raw).hex()}",
            problem="exceeds block gas limit",
        )


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database) as world:
        yield world


async def test_a_rejected_transaction_holds_up_no_other(world: ChainWorld) -> None:
    outbox = another_outbox(world, client=cast("Any", RefusingNodes(world.client)))
    refused_to, paid_to = new_address(), new_address()
    refused = await sent_order(world, {refused_to: COIN})
    await run(world, outbox=outbox)
    paid = await sent_order(world, {paid_to: COIN})
    await run_until(world, paid, OutboxState.FINAL, outbox=outbox)
    await check_paid_once(world, paid)
    first, second = await attempts_of(world, refused)
    assert (first.kind, second.kind) == (AttemptKind.ORIGINAL, AttemptKind.CANCELLATION)
    assert first.nonce == second.nonce
    assert second.block_number is not None
    assert await world.balance("usdc", refused_to) == 0


async def test_a_cancellation_that_waits_too_long_still_pays_nothing(world: ChainWorld) -> None:
    """It is replaced with higher fees, and what replaces it is no payment either."""
    outbox = another_outbox(world, client=cast("Any", RefusingNodes(world.client)))
    order = await sent_order(world, {new_address(): COIN})
    for _ in range(4):
        # The node drops it each time.
        for each in await attempts_of(world, order):
            world.rpc.call("anvil_dropTransaction", each.hash)
        await make_late(world)
        await run(world, outbox=outbox)
    world.rpc.call("evm_increaseTime", VALIDITY_S + 60)
    assert (await run_until_final(world, order, outbox=outbox)).state is OutboxState.REVERTED
    first, *others = await attempts_of(world, order)
    assert first.kind is AttemptKind.ORIGINAL
    assert len(others) > 1
    assert {each.kind for each in others} == {AttemptKind.CANCELLATION}
    assert await world.balance("usdc", order.legs[0].address) == 0
