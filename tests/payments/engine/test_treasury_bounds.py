"""Quotes on a connected chain, bounded by what the treasury has and owes."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import Chain
from tests.chain_world import ChainWorld, chain_world
from tests.onramps import ONRAMPS, make_payer, onramp_body
from tests.payments.swaps.test_real_coins import COIN, swapper
from tests.tenants import SWAPS, Tenant, served, swap_body

pytestmark = pytest.mark.long
NOT_READY = "409 QUOTE_NOT_READY"


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[ChainWorld]:
    async with chain_world(tmp_path, own_database) as world:
        yield world


@pytest.fixture
async def org(world: ChainWorld, tmp_path: Path) -> AsyncGenerator[Tenant]:
    """The same organisation on an installation whose chain has no faucet, as in production."""
    path = _without_faucet(world, tmp_path)
    settings = msgspec.structs.replace(world.settings, chains_file=str(path))
    database = world.container.database
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        yield Tenant(container, client, world.org.caller, world.org.key)
    assert container.evm is not None
    await container.evm.close()


def _without_faucet(world: ChainWorld, folder: Path) -> Path:
    assert world.settings.chains_file is not None
    text = Path(world.settings.chains_file).read_text(encoding="utf-8")
    path = folder / "bounded.toml"
    path.write_text(re.sub(r"(?m)^faucet = .*$", "", text), encoding="utf-8")
    return path


async def _treasury(world: ChainWorld, currency: str, coins: int) -> None:
    address = await world.container.wallets.treasury_address(world.org.org_id, Chain.POLYGON)
    await world.mint(currency, address, coins * COIN)


async def test_a_swap_is_quoted_within_the_treasury(world: ChainWorld, org: Tenant) -> None:
    user = await swapper(world)
    assert await org.refused("POST", SWAPS, swap_body(user, "5")) == NOT_READY
    await _treasury(world, "usdt", 6)
    created = (await org.post(SWAPS, swap_body(user, "5")))["transferDetails"]
    # An open quote reserves nothing; an accepted one does, until it is delivered.
    await org.post(SWAPS, swap_body(user, "2"))
    await org.post(f"{SWAPS}/{created['id']}/accept")
    assert await org.refused("POST", SWAPS, swap_body(user, "2")) == NOT_READY
    await org.post(SWAPS, swap_body(user, "1"))


async def test_an_onramp_is_quoted_within_the_treasury(world: ChainWorld, org: Tenant) -> None:
    user = await make_payer(org)
    assert await org.refused("POST", ONRAMPS, onramp_body(user, 100)) == NOT_READY
    await _treasury(world, "usdc", 150)
    created = (await org.post(ONRAMPS, onramp_body(user, 100)))["transferDetails"]
    await org.post(f"{ONRAMPS}/{created['id']}/quote/accept")
    assert await org.refused("POST", ONRAMPS, onramp_body(user, 100)) == NOT_READY
