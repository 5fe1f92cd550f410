"""Reconciliation with a real chain, which answers from its own blocks and contracts."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.evm.chain_records import EvmChainRecords
from landbridge.reporting.reconciliation.connected_chains import ConnectedChain
from landbridge.reporting.reconciliation.model import (
    CHAIN_PATIENCE,
    Difference,
    DifferenceKind,
)
from landbridge.reporting.reconciliation.service import (
    LedgerReconciliation,
    ReconStatus,
)
from tests.customers.chain_deposits.chain_world import COIN, FINALITY, FollowedChain, chain_world
from tests.reporting.reconciliation.compared import compared, position

pytestmark = pytest.mark.long


@pytest.fixture
async def world(own_database: Database, tmp_path: Path) -> AsyncGenerator[FollowedChain]:
    async with chain_world(own_database, tmp_path) as world:
        world.mine(FINALITY)
        yield world


async def test_credited_deposits_agree_with_the_contracts(world: FollowedChain) -> None:
    first, later = await world.new_user(), await world.new_user()
    world.pay(first[1], 9)
    await world.finalize()
    # In total only: it was there before the first run.
    assert _usdc(await _compared(world)) == (9 * COIN, 9 * COIN)
    world.pay(first[1], 5)
    world.pay(later[1], 3, currency="usdt")
    await world.finalize()
    status = await _compared(world)
    assert not status.differences
    assert _usdc(status) == (14 * COIN, 14 * COIN)
    assert position(status, "usdt:POLYGON").outside_units == 3 * COIN


async def test_coins_that_the_ledger_does_not_have_are_named(world: FollowedChain) -> None:
    _, address = await world.new_user()
    await _compared(world)
    arrived = world.pay(address, 5)
    # Nothing is compared before it is final.
    assert not (await _compared(world)).differences
    world.mine(FINALITY)
    found = _only(await _compared(world))
    assert (found.kind, found.units) == (DifferenceKind.UNKNOWN_OUTSIDE, 5 * COIN)
    assert found.reference == arrived
    await world.follow()
    assert not (await _compared(world)).differences


async def test_a_spender_that_is_not_ours_is_named(world: FollowedChain) -> None:
    _, address = await world.new_user()
    world.impersonate(address)
    await world.finalize()
    await _compared(world)
    stolen = world.pay(world.outsider, 2, sender=address)
    world.mine(FINALITY)
    found = _only(await _compared(world))
    assert (found.kind, found.units) == (DifferenceKind.UNKNOWN_OUTSIDE, -2 * COIN)
    assert found.reference == stolen


async def test_movements_between_own_addresses_change_nothing(world: FollowedChain) -> None:
    (_, one), (_, other) = await world.new_user(), await world.new_user()
    world.impersonate(one)
    await world.finalize()
    await _compared(world)
    world.pay(other, 2, sender=one)
    world.mine(FINALITY)
    assert not (await _compared(world)).differences


async def test_a_chain_that_loses_final_blocks_is_named(world: FollowedChain) -> None:
    _, address = await world.new_user()
    await _compared(world)
    world.pay(address, 5)
    await world.finalize()
    assert not (await _compared(world)).differences
    world.reorganise(FINALITY + 2)
    world.mine(FINALITY + 2)
    found = {each.kind: each for each in (await _compared(world)).differences}
    assert found.keys() == {DifferenceKind.REORGED, DifferenceKind.POSITION}
    assert found[DifferenceKind.POSITION].units == -5 * COIN


async def _compared(world: FollowedChain) -> ReconStatus:
    connected = world.container.reconciliation
    records = EvmChainRecords(world.chain, world.client)
    chains = {Chain.POLYGON: ConnectedChain(records, CHAIN_PATIENCE)}
    reconciliation = LedgerReconciliation(
        connected.database,
        connected.ledger,
        connected.wallets,
        chains,
        connected.team,
        connected.time_zones,
        connected.clock,
        connected.reserves,
    )
    return await compared(world.org, reconciliation)


def _usdc(status: ReconStatus) -> tuple[int, int]:
    found = position(status, "usdc:POLYGON")
    return found.ledger_units, found.outside_units


def _only(status: ReconStatus) -> Difference:
    (found,) = status.differences
    return found
