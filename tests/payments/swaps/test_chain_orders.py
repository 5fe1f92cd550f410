"""Swaps whose coins move on a chain: here, to an address outside of the platform."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import wire
from landbridge.ledger.model import HouseRole
from landbridge.payments.swaps.model import Swap, SwapLeg
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.core.retry_policy import key_of_attempt
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainOrder
from landbridge.providers.chains.tokens import ASSETS, Chain
from tests.change_log import placed
from tests.house_accounts import house_balance
from tests.matrices import each_value_once
from tests.order_keys import key_of
from tests.payouts import check_books
from tests.providers.simulation.faulty import FaultyChains
from tests.scripted import force
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    good,
    make_tenant,
    make_user,
    run_due,
    served,
    swap_body,
    swap_of,
)

MINUTE = timedelta(minutes=1)
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
COLLECT, DELIVER, RETURN = "collect", "send", "return"


@dataclass
class SwapScenario:
    """Ada with 10 usdc; swaps 5 of them into usdt for an outside address."""

    org: Tenant
    clock: FrozenClock
    chains: FaultyChains
    ada: str

    async def make(self, **destination: Any) -> str:
        destination = destination or {"walletAddress": OUTSIDE}
        body = swap_body(self.ada, "5", destination=destination)
        return (await self.org.post(SWAPS, body))["transferDetails"]["id"]

    async def accepted(self) -> str:
        created = await self.make()
        found = await self.org.post(f"{SWAPS}/{created}/accept")
        assert found["transferDetails"]["status"] == "CREATED"
        return created

    async def get(self, created: str) -> dict[str, Any]:
        return (await self.org.get(f"{SWAPS}/{created}"))["transferDetails"]

    async def swap(self, created: str) -> Swap:
        return await swap_of(self.org, created)

    async def work(self, *, after: timedelta = timedelta(seconds=1)) -> None:
        self.clock.at += after
        await run_due(self.org)

    async def coins(self) -> tuple[int, int, int]:
        """Return units: Ada's available usdc, her held usdc, and the usdt that have left."""
        path = f"/v2/users/{self.ada}/wallets/balance"
        found = await self.org.get(path, chain="POLYGON", currency="usdc")
        outside = await house_balance(
            self.org.container.database, self.org.org_id, HouseRole.OUTSIDE, ASSETS["usdt:POLYGON"]
        )
        held = int(found["balance"]) - int(found["availableBalance"])
        return int(found["availableBalance"]), held, outside.units

    async def key(self, created: str, name: str) -> UUID:
        return await key_of(self.org, created, name)

    async def only(self, created: str, name: str) -> None:
        """Let the next fault apply to this order alone."""
        key = await self.key(created, name)

        def check(order: ChainOrder) -> bool:
            return order.key == key

        self.chains.only = check


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[SwapScenario]:
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    chains = FaultyChains(wire(SETTINGS, database, clock).chains)
    container = wire(SETTINGS, database, clock, chains=chains)
    async with served(container) as client:
        org = await make_tenant(container, client)
        yield SwapScenario(org, clock, chains, await make_user(org, funds="10"))


async def test_the_treasury_collects_then_delivers(scenario: SwapScenario) -> None:
    created = await scenario.accepted()
    assert await scenario.coins() == (5_000_000, 5_000_000, 0)
    await scenario.work()
    done = await scenario.get(created)
    assert (done["status"], done["error"]) == ("COMPLETED", None)
    assert await scenario.coins() == (5_000_000, 0, 4_995_000)
    swap, org = await scenario.swap(created), scenario.org
    treasury = await org.container.wallets.treasury_address(org.org_id, Chain.POLYGON)
    collect, deliver = scenario.chains.orders
    assert (collect.source, collect.wallet_id) == (
        swap.details.source_address,
        swap.details.source_wallet_id,
    )
    assert [(each.address, str(each.money)) for each in collect.legs] == [(treasury, "5")]
    assert (deliver.source, deliver.wallet_id) == (treasury, None)
    assert [(each.address, str(each.money)) for each in deliver.legs] == [(OUTSIDE, "4.995")]
    facts = swap.record.facts
    assert facts["collect_transaction_hash"]
    assert facts["transaction_hash"]
    await check_books(scenario.org)


async def test_a_repeated_accept_sends_nothing_again(scenario: SwapScenario) -> None:
    created = await scenario.accepted()
    await scenario.org.post(f"{SWAPS}/{created}/accept")
    await scenario.work()
    found = await scenario.org.post(f"{SWAPS}/{created}/accept")
    assert found["transferDetails"]["status"] == "COMPLETED"
    assert len(scenario.chains.orders) == 2


async def test_each_status_is_one_event(scenario: SwapScenario) -> None:
    scenario.chains.late_by = 5 * MINUTE
    created = await scenario.accepted()
    for _ in range(3):
        await scenario.work(after=6 * MINUTE)
    await placed(scenario.org.container.database)
    events = await scenario.org.get("/v2/events", objectId=created)
    assert [each["eventType"].removeprefix("WALLET.SWAP.") for each in events["records"]] == [
        "TRANSACTION.CREATE",
        "STATUS.OPEN_QUOTE",
        "STATUS.CREATED",
        "STATUS.PENDING",
        "STATUS.COMPLETED",
    ]


async def test_on_a_slow_chain_each_order_waits(scenario: SwapScenario) -> None:
    scenario.chains.late_by = 5 * MINUTE
    created = await scenario.accepted()
    await scenario.work()
    assert (await scenario.swap(created)).details.leg is SwapLeg.COLLECT
    assert await scenario.coins() == (5_000_000, 5_000_000, 0)
    await check_books(scenario.org)
    await scenario.work(after=6 * MINUTE)
    assert (await scenario.swap(created)).details.leg is SwapLeg.DELIVER
    assert await scenario.coins() == (5_000_000, 0, 0)
    await check_books(scenario.org)
    await scenario.work(after=6 * MINUTE)
    assert (await scenario.get(created))["status"] == "COMPLETED"
    await check_books(scenario.org)


@pytest.mark.parametrize(
    ("order", "faults"),
    each_value_once(
        product(
            [COLLECT, DELIVER],
            [
                (Unavailable("not now"), None),
                (None, Unclear("who knows")),
                (RuntimeError("killed"), None),
                (None, RuntimeError("killed")),
            ],
        )
    ),
)
async def test_a_lost_answer_loses_and_repeats_nothing(
    scenario: SwapScenario, order: str, faults: tuple[Exception | None, Exception | None]
) -> None:
    created = await scenario.accepted()
    await scenario.only(created, order)
    scenario.chains.raise_before_next, scenario.chains.raise_after_next = faults
    await scenario.work()
    assert (await scenario.get(created))["status"] == "PENDING"
    await check_books(scenario.org)
    await scenario.work()
    assert (await scenario.get(created))["status"] == "COMPLETED"
    assert await scenario.coins() == (5_000_000, 0, 4_995_000)
    keys = {key for _, key in scenario.chains.calls}
    assert keys == {await scenario.key(created, each) for each in (COLLECT, DELIVER)}
    await check_books(scenario.org)


@pytest.mark.parametrize("late", [None, 5 * MINUTE])
async def test_uncollected_coins_are_released(
    scenario: SwapScenario, late: timedelta | None
) -> None:
    created = await scenario.accepted()
    scenario.chains.fail_next, scenario.chains.late_by = "paused", late
    await scenario.work()
    if late:
        await scenario.work(after=6 * MINUTE)
    failed = await scenario.get(created)
    assert (failed["status"], failed["error"]) == ("FAILED", "TRANSACTION_INITIATION_FAILED")
    assert failed["errorDetails"] == {"code": 400403, "message": "paused"}
    assert await scenario.coins() == (10_000_000, 0, 0)
    await check_books(scenario.org)


async def test_undelivered_coins_are_returned_with_their_fee(scenario: SwapScenario) -> None:
    created = await scenario.accepted()
    scenario.chains.failing = {await scenario.key(created, DELIVER): "blocked by the issuer"}
    first = await scenario.key(created, RETURN)
    scenario.chains.failing[first] = "not yet"
    await scenario.work()
    assert (await scenario.swap(created)).details.leg is SwapLeg.RETURN
    assert await scenario.coins() == (5_000_000, 0, 0)
    await check_books(scenario.org)
    await scenario.work(after=MINUTE)
    failed = await scenario.get(created)
    assert (failed["status"], failed["errorDetails"]["message"]) == (
        "FAILED",
        "blocked by the issuer",
    )
    back = scenario.chains.orders[-1]
    swap = await scenario.swap(created)
    assert (back.key, back.is_refund) == (key_of_attempt(first, 1), True)
    assert [(each.address, str(each.money)) for each in back.legs] == [
        (swap.details.source_address, "5")
    ]
    assert await scenario.coins() == (10_000_000, 0, 0)
    # Neither the refund nor its own coins are deposits.
    path = f"/v2/users/{scenario.ada}/wallets/deposits"
    deposits = await scenario.org.get(path, chain="POLYGON", currency="usdc")
    assert deposits["count"] == 1
    await check_books(scenario.org)


async def test_a_freeze_before_the_collection_releases(scenario: SwapScenario) -> None:
    created = await scenario.accepted()
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    await scenario.work()
    failed = await scenario.get(created)
    assert failed["status"] == "FAILED"
    assert "frozen" in failed["errorDetails"]["message"]
    assert scenario.chains.orders == []
    assert await scenario.coins() == (10_000_000, 0, 0)
    await check_books(scenario.org)


async def test_a_freeze_before_the_delivery_returns(scenario: SwapScenario) -> None:
    scenario.chains.late_by = 5 * MINUTE
    created = await scenario.accepted()
    await scenario.work()
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    await scenario.work(after=6 * MINUTE)
    await scenario.work(after=6 * MINUTE)
    failed = await scenario.get(created)
    assert failed["status"] == "FAILED"
    keys = [each.key for each in scenario.chains.orders]
    assert await scenario.key(created, DELIVER) not in keys
    assert await scenario.coins() == (10_000_000, 0, 0)
    await check_books(scenario.org)


async def test_a_script_lets_the_chain_refuse(scenario: SwapScenario) -> None:
    body = swap_body(scenario.ada, "5", destination={"walletAddress": OUTSIDE})
    made = good(await force(scenario.org, SWAPS, body, "chain_send=reject"))
    created = made["transferDetails"]["id"]
    accepted = await scenario.org.post(f"{SWAPS}/{created}/accept")
    assert accepted["transferDetails"]["status"] == "CREATED"
    await scenario.work()
    assert (await scenario.get(created))["status"] == "FAILED"
    assert await scenario.coins() == (10_000_000, 0, 0)
    await check_books(scenario.org)
