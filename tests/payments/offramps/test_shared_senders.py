"""Coins from an address from which several users have offramps: a person decides who gets them."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from landbridge.platform.db.pool import Database
from tests.payments.offramps.external_scenario import (
    ExternalScenario,
    external_scenario,
    pay_address,
)
from tests.payouts import accept, check_books, make_account, make_offramp, make_payee
from tests.tenants import register

pytestmark = pytest.mark.long


@pytest.fixture
async def scenario(own_database: Database, tmp_path: Path) -> AsyncGenerator[ExternalScenario]:
    async with external_scenario(own_database, tmp_path) as made:
        yield made


async def quoted_by_bob(scenario: ExternalScenario, **source: Any) -> dict[str, Any]:
    """Return an offramp of Bob, who has registered the address of Ada's wallet as his own."""
    org = scenario.world.org
    bob = await make_payee(org, funds=None)
    wallet = await register(org, bob, scenario.sender)
    parties = {"externalWalletId": wallet, **source}
    return await make_offramp(org, None, await make_account(org, bob), 100, source=parties)


async def test_nobody_is_paid_out_for_the_coins_of_another(scenario: ExternalScenario) -> None:
    org = scenario.world.org
    of_bob = await accept(org, await quoted_by_bob(scenario))
    offramp = await scenario.awaited(100)
    scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    assert [await scenario.status(each) for each in (of_bob, offramp)] == ["AWAITING_FUNDS"] * 2
    assert await scenario.deposits() == [("UNMATCHED", 100)]
    coins = scenario.world.container.external_coins
    (kept,) = await coins.kept(org.org_id)
    await coins.assign(org.org_id, kept.id, UUID(offramp["id"]))
    await scenario.finalize()
    assert [await scenario.status(each) for each in (of_bob, offramp)] == [
        "AWAITING_FUNDS",
        "COMPLETED",
    ]
    await check_books(org)


async def test_nobody_gets_back_the_coins_of_another(scenario: ExternalScenario) -> None:
    offramp = await scenario.awaited(100)
    scenario.send(pay_address(offramp), 100)
    await scenario.finalize()
    assert await scenario.status(offramp) == "COMPLETED"
    # A quote is enough: the latest offramp of a sender returns the coins that none awaits.
    elsewhere = scenario.world.rpc.accounts()[5]
    bob = await make_payee(scenario.world.org, funds=None)
    await register(scenario.world.org, bob, elsewhere)
    await quoted_by_bob(scenario, returnAddress=elsewhere)
    scenario.send(pay_address(offramp), 70)
    await scenario.finalize()
    assert await scenario.deposits() == [("SETTLED", 100), ("UNMATCHED", 70)]
    assert await scenario.world.balance("usdc", elsewhere) == 0
