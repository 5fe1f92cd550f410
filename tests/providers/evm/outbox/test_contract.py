"""EVM chains fulfil the same contract as the sandbox's, with real coins on a local chain."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.outbox.adapter import EvmChains
from landbridge.providers.evm.outbox.model import FINAL_STATES
from tests.chain_world import NETWORK, ChainWorld, chain_world
from tests.make import make_org
from tests.providers.chains_contract import ChainsContract, ChainsUnderTest
from tests.providers.evm.outbox.chain_orders import (
    make_due,
    new_address,
    new_order,
    run,
    set_token,
    status,
    stored,
)
from tests.tenants import make_user

pytestmark = pytest.mark.long

_RUNS_MAX = 60


@dataclass
class _LocalChains:
    """Chains of a world, which mines a block after each run of the outbox."""

    world: ChainWorld
    other_org_id: UUID

    @property
    def chains(self) -> Chains:
        return self.world.container.chains

    def later(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=1)

    async def order(self, *units: int) -> ChainOrder:
        return await self._order({new_address(): each for each in units}, "usdc")

    async def impossible_order(self, *units: int) -> ChainOrder:
        legs = {new_address(): each for each in units}
        set_token(self.world, "setBlocked", list(legs)[-1], True)  # noqa: FBT003  its argument
        return await self._order(legs, "usdt")

    async def _order(self, legs: dict[str, int], currency: str) -> ChainOrder:
        user = await make_user(self.world.org)
        return await new_order(self.world, legs, currency=currency, user=user)

    async def follow(self, order: ChainOrder) -> list[ChainOrderStatus]:
        statuses = [await status(self.world, order)]
        for _ in range(_RUNS_MAX):
            if (await stored(self.world, order)).state in FINAL_STATES:
                return statuses
            await make_due(self.world)
            await run(self.world)
            self.world.mine()
            statuses.append(await status(self.world, order))
        raise AssertionError("the order does not become final")

    async def paid_units(self, order: ChainOrder) -> list[int]:
        return [
            await self.world.balance(leg.money.asset.currency, leg.address) for leg in order.legs
        ]


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database) as world:
        yield world


@pytest.fixture
async def system(world: ChainWorld, own_database: Database) -> ChainsUnderTest:
    return _LocalChains(world, await make_org(own_database))


class TestEvmChains(ChainsContract):
    async def test_a_chain_that_is_not_connected_is_simulated_in_the_sandbox(
        self, system: ChainsUnderTest
    ) -> None:
        assert system.chains.holds_coins("POLYGON")
        assert not system.chains.holds_coins("BASE")
        assert system.chains.carries("BASE", ChainAction.BURN)

    async def test_without_simulated_chains_nothing_else_is_carried(
        self, world: ChainWorld
    ) -> None:
        context = world.outbox.context
        chains = EvmChains(
            context.database,
            {NETWORK: context.chain},
            context.clock,
            bridges=ConnectedBridges({NETWORK: context.chain}, context.clock),
        )
        assert chains.carries("POLYGON", ChainAction.TRANSFER)
        # A bridge needs another chain.
        assert not chains.carries("POLYGON", ChainAction.BURN)
        assert not chains.carries("BASE", ChainAction.TRANSFER)
        usdc = [TOKENS[chain, "usdc"].asset for chain in (Chain.POLYGON, Chain.BASE)]
        assert chains.find_bridge_refusal(*usdc) == ("no bridge reaches BASE")
