"""A transaction that no node accepts: its nonce is cancelled, so that later ones go on."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest

from landbridge.platform.db.pool import Database
from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.node_errors import SendResult
from landbridge.providers.evm.outbox.model import AttemptKind, OutboxState
from landbridge.providers.evm.raw_transactions import SendOutcome
from landbridge.providers.evm.rpc import ChainClient
from tests.chain_world import ChainWorld, chain_world
from tests.providers.evm.outbox.chain_orders import (
    COIN,
    another_outbox,
    attempts_of,
    check_paid_once,
    new_address,
    run,
    run_until,
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

    async def send_raw(self, raw: bytes) -> SendOutcome:
        self._refused = self._refused or raw
        if raw != self._refused:
            return await self._client.send_raw(raw)
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
