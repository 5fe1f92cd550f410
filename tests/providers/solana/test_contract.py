"""Solana fulfils the same contract as the sandbox's chains, with real coins on a local chain."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from landbridge.platform.core.errors import Rejected
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains
from landbridge.providers.evm.outbox.model import FINAL_STATES
from tests.make import make_org
from tests.providers.chains_contract import COIN, ChainsContract, ChainsUnderTest
from tests.providers.solana.solana_orders import (
    make_due,
    new_address,
    new_order,
    run,
    status,
    stored,
)
from tests.solana_world import SolanaWorld, solana_world
from tests.tenants import make_user

_RUNS_MAX = 60


@dataclass
class _LocalSolana:
    """Chain of a world, which makes a block after each run of the outbox."""

    world: SolanaWorld
    other_org_id: UUID

    @property
    def chains(self) -> Chains:
        return self.world.container.chains

    def later(self) -> datetime:
        return datetime.now(UTC) + timedelta(days=1)

    async def order(self, *units: int) -> ChainOrder:
        return await self._order({new_address(): each for each in units})

    async def impossible_order(self, *units: int) -> ChainOrder:
        legs = {new_address(): each for each in units}
        self.world.mint(list(legs)[-1], 1)
        self.world.freeze(list(legs)[-1])
        return await self._order(legs)

    async def _order(self, legs: dict[str, int]) -> ChainOrder:
        return await new_order(
            self.world, legs, user=await make_user(self.world.org, chains=["SOLANA"])
        )

    async def follow(self, order: ChainOrder) -> list[ChainOrderStatus]:
        statuses = [await status(self.world, order)]
        for _ in range(_RUNS_MAX):
            if (await stored(self.world, order)).state in FINAL_STATES:
                return statuses
            await make_due(self.world)
            await run(self.world)
            statuses.append(await status(self.world, order))
        raise AssertionError("the order does not become final")

    async def paid_units(self, order: ChainOrder) -> list[int]:
        # A frozen account has got one unit before.
        return [self.world.units(leg.address) // COIN * COIN for leg in order.legs]


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database) as world:
        yield world


@pytest.fixture
async def system(world: SolanaWorld, own_database: Database) -> ChainsUnderTest:
    return _LocalSolana(world, await make_org(own_database))


class TestSolana(ChainsContract):
    hash_form = r"[1-9A-HJ-NP-Za-km-z]{80,90}"

    async def test_bridges_and_other_chains_are_simulated_in_the_sandbox_only(
        self, system: ChainsUnderTest
    ) -> None:
        assert system.chains.holds_coins("SOLANA")
        assert not system.chains.carries("SOLANA", ChainAction.BURN)
        assert system.chains.carries("POLYGON", ChainAction.BURN)
        assert not system.chains.holds_coins("POLYGON")

    async def test_more_recipients_than_fit_are_refused_in_words(
        self, system: ChainsUnderTest
    ) -> None:
        with pytest.raises(Rejected, match="pays at most 8 recipients"):
            await system.chains.send(await system.order(*[COIN] * 9))

    async def test_the_largest_batch_is_paid_at_once(self, system: ChainsUnderTest) -> None:
        order = await system.order(*[COIN] * 8)
        await system.chains.send(order)
        await system.follow(order)
        assert await system.paid_units(order) == [COIN] * 8
