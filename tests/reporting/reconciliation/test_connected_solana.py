"""Reconciliation with a connected Solana, which answers from its own token accounts."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.model import Difference, DifferenceKind
from landbridge.reporting.reconciliation.service import ReconStatus
from tests.providers.solana.solana_orders import new_address
from tests.providers.solana.solana_payments import carried_out, new_user, transfer_to_address
from tests.reporting.reconciliation.compared import compared, position
from tests.solana_world import COIN, SolanaWorld, solana_world
from tests.tenants import TRANSFERS, transfer_body


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        world.chain.finalize()
        yield world


async def test_deposits_and_payments_agree_with_the_token_accounts(world: SolanaWorld) -> None:
    user, address = await new_user(world, coins=9)
    # In total only: it was there before the first run.
    assert _usdc(await compared(world.org)) == (9 * COIN, 9 * COIN)
    world.pay(world.outsider(5 * COIN), {address: 5 * COIN})
    world.pay(world.outsider(COIN, "usdg"), {address: COIN}, "usdg")
    world.chain.finalize()
    await world.follow()
    transfer = await transfer_to_address(world, user, new_address(), "2")
    assert (await carried_out(world, transfer))["status"] == "COMPLETED"
    status = await compared(world.org)
    assert not status.differences
    assert _usdc(status) == (12 * COIN, 12 * COIN)
    assert position(status, "usdg:SOLANA").outside_units == COIN


async def test_coins_that_the_ledger_does_not_have_are_named(world: SolanaWorld) -> None:
    _, address = await new_user(world)
    await compared(world.org)
    arrived = world.pay(world.outsider(5 * COIN), {address: 5 * COIN})
    # Nothing is compared before it is final.
    assert not (await compared(world.org)).differences
    world.chain.finalize()
    found = _only(await compared(world.org))
    assert (found.kind, found.units) == (DifferenceKind.UNKNOWN_OUTSIDE, 5 * COIN)
    assert found.reference == arrived
    await world.follow()
    assert not (await compared(world.org)).differences


async def test_coins_that_leave_without_an_order_are_named(world: SolanaWorld) -> None:
    _, address = await new_user(world, coins=5)
    await compared(world.org)
    stolen = world.steal(address, 2 * COIN)
    world.chain.finalize()
    found = _only(await compared(world.org))
    assert (found.kind, found.units) == (DifferenceKind.UNKNOWN_OUTSIDE, -2 * COIN)
    assert found.reference == stolen


async def test_transfers_between_users_change_nothing(world: SolanaWorld) -> None:
    (ada, _), (bob, _) = await new_user(world, coins=5), await new_user(world)
    await compared(world.org)
    created = await world.org.post(TRANSFERS, transfer_body(ada, bob, "2", chain="SOLANA"))
    assert (await carried_out(world, created["transferDetails"]["id"]))["status"] == "COMPLETED"
    status = await compared(world.org)
    assert (_usdc(status), status.differences) == ((5 * COIN, 5 * COIN), [])


async def test_a_node_that_leaves_out_a_transaction_is_not_believed(world: SolanaWorld) -> None:
    _, address = await new_user(world)
    await compared(world.org)
    sender = world.outsider(10 * COIN)
    _, hidden, _ = [world.pay(sender, {address: each * COIN}) for each in (1, 2, 4)]
    world.chain.finalize()
    await world.follow()
    world.node.hidden.add(hidden)
    assert _failure(await compared(world.org)) is not None
    world.node.hidden.clear()
    status = await compared(world.org)
    assert (_failure(status), status.differences) == (None, [])
    assert _usdc(status) == (7 * COIN, 7 * COIN)


def _usdc(status: ReconStatus) -> tuple[int, int]:
    found = position(status, "usdc:SOLANA")
    return found.ledger_units, found.outside_units


def _failure(status: ReconStatus) -> str | None:
    return next(each.failure for each in status.sources if each.source == Chain.SOLANA)


def _only(status: ReconStatus) -> Difference:
    (found,) = status.differences
    return found
