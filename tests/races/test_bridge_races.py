"""Bridges moved by many at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Refused
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus, Chains
from tests.payments.bridges.bridge_scenario import BridgeScenario, open_scenario
from tests.providers.simulation.simulated_bridges import SimulatedBridges
from tests.tenants import BRIDGES, SETTINGS, SWAPS, bridge_body, refusal, swap_body

MANY = 20
BOTH = (True, False)


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[BridgeScenario]:
    async with open_scenario(database) as scenario:
        yield scenario


@pytest.fixture
async def second_container(
    dsn: str, database: Database, scenario: BridgeScenario
) -> AsyncIterator[Container]:
    """Another process: its own connections, the same chains."""
    connected = await Database.connect(dsn, name="tests b", size_max=8)
    clock = with_node(scenario, await take_node(database))
    yield wire(SETTINGS, connected, clock, chains=scenario.chains)
    await connected.close()


def with_node(scenario: BridgeScenario, node: int) -> Clock:
    """Return a clock with the same time, and its own clock node for timestamps."""

    class _Same(Clock):
        def _real_us(self) -> int:
            return scenario.clock._real_us()  # pyright: ignore[reportPrivateUsage]  a clock reads it

    return _Same(node)


async def test_many_creates_with_one_request_id_make_one_bridge(scenario: BridgeScenario) -> None:
    body = bridge_body(scenario.ada, 3, requireApproval=True)
    answers = await asyncio.gather(*(scenario.org.send("POST", BRIDGES, body) for _ in range(MANY)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert await scenario.holds() == ("7", "3", "0")
    await scenario.check_books(is_over=False)


async def test_many_accepts_hold_once(
    scenario: BridgeScenario, second_container: Container
) -> None:
    created = UUID(await scenario.make())
    houses = [scenario.container, second_container] * (MANY // 2)
    accepted = await asyncio.gather(
        *(container.bridges.accept(scenario.org.caller, created) for container in houses)
    )
    assert {each.status for each in accepted} == {"CREATED"}
    assert await scenario.holds() == ("7", "3", "0")
    await scenario.check_books(is_over=False)


async def test_two_workers_execute_each_bridge_once(
    scenario: BridgeScenario, second_container: Container
) -> None:
    created = [await scenario.accepted(1) for _ in range(8)]
    scenario.clock.at += timedelta(seconds=1)
    offsets = {scenario.org.org_id: timedelta()}
    for _ in range(3):
        await asyncio.gather(
            scenario.container.scheduler.run_all(offsets),
            second_container.scheduler.run_all(offsets),
        )
        scenario.clock.at += timedelta(seconds=1)
    assert {await scenario.status(each) for each in created} == {"COMPLETED"}
    assert Counter(action for action, _, _ in await scenario.carried()) == {
        "approve": 8,
        "burn": 8,
        "mint": 8,
    }
    assert await scenario.holds() == ("2", "0", "8")
    await scenario.check_books()


async def test_bridges_and_swaps_never_exceed_the_balance(
    scenario: BridgeScenario, second_container: Container
) -> None:
    bridges = [UUID(await scenario.make(3)) for _ in range(6)]
    swaps = [
        UUID(
            (await scenario.org.post(SWAPS, swap_body(scenario.ada, "3")))["transferDetails"]["id"]
        )
        for _ in range(6)
    ]

    async def tried(verb: Any) -> str:
        try:
            return str((await verb).status)
        except Refused as error:
            return error.name

    caller = scenario.org.caller
    outcomes = await asyncio.gather(
        *(tried(second_container.bridges.accept(caller, each)) for each in bridges),
        *(tried(scenario.container.swaps.accept(caller, each)) for each in swaps),
    )
    went = Counter(outcomes)
    assert went["CREATED"] + went["COMPLETED"] == 3
    assert went["INSUFFICIENT_BALANCE"] == 9
    await scenario.work()
    await scenario.work(after=timedelta(minutes=11))
    assert Counter([await scenario.status(str(each)) for each in bridges]) == {
        name: count
        for name, count in (
            ("COMPLETED", went["CREATED"]),
            ("QUOTE_FAILED", 6 - went["CREATED"]),
        )
        if count
    }
    await scenario.check_books()


async def test_bridge_at_the_deadline_is_either_accepted_or_expired(
    scenario: BridgeScenario, second_container: Container
) -> None:
    created = [
        UUID(await scenario.make(1, requireApproval=is_held)) for is_held in BOTH for _ in range(4)
    ]
    for each in created[:4]:
        await scenario.decide(str(each), yes=True)
    scenario.clock.at += timedelta(minutes=10, microseconds=-200)

    async def accept(each: UUID) -> str:
        answer = await scenario.org.send("POST", f"{BRIDGES}/{each}/accept")
        return "accepted" if answer.status_code == 200 else refusal(answer)

    async def pass_by() -> None:
        for _ in range(40):
            scenario.clock.at += timedelta(microseconds=100)
            await second_container.scheduler.run_once({scenario.org.org_id: timedelta()})

    *answers, _ = await asyncio.gather(*(accept(each) for each in created), pass_by())
    statuses = [await scenario.status(str(each)) for each in created]
    for answer, status in zip(answers, statuses, strict=True):
        assert (answer == "400 INVALID_QUOTE") == (status == "QUOTE_FAILED")
        assert answer in {"accepted", "400 INVALID_QUOTE"}
    await scenario.work()
    await scenario.work(after=timedelta(minutes=11))
    await scenario.check_books()


async def test_bridge_is_approved_or_rejected_or_expires(
    scenario: BridgeScenario, second_container: Container
) -> None:
    created = [await scenario.make(1, requireApproval=True) for _ in range(6)]
    approvals = [(await scenario.approval(each)).id for each in created]
    scenario.clock.at += timedelta(weeks=1, microseconds=-200)
    approver = replace(scenario.org.caller, can_approve=True)

    async def vote(verb: Any) -> bool:
        try:
            await verb
        except Refused:
            return False
        return True

    async def pass_by() -> None:
        for _ in range(40):
            scenario.clock.at += timedelta(microseconds=100)
            await second_container.scheduler.run_once({scenario.org.org_id: timedelta()})

    await asyncio.gather(
        *(vote(scenario.container.voting.approve(approver, each, None)) for each in approvals),
        *(vote(second_container.voting.reject(approver, each, None)) for each in approvals),
        pass_by(),
    )
    statuses = Counter([await scenario.status(each) for each in created])
    assert statuses.keys() <= {"OPEN_QUOTE", "REJECTED", "EXPIRED"}
    free, held, _ = await scenario.holds()
    assert int(held) == statuses["OPEN_QUOTE"]
    assert int(free) + int(held) == 10
    await scenario.work(after=timedelta(minutes=11))
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.check_books()


@dataclass
class _BlockingChains(SimulatedBridges):
    """Chains whose first burn blocks within the call until released."""

    inner: Chains
    is_burning: asyncio.Event
    may_go_on: asyncio.Event
    burns: int = 0

    @property
    def key_lifetime(self) -> timedelta | None:
        return self.inner.key_lifetime

    def carries(self, chain: str, action: ChainAction) -> bool:
        del chain, action
        return True

    def holds_coins(self, chain: str) -> bool:
        del chain
        return False

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        if order.action is ChainAction.BURN:
            self.burns += 1
            if self.burns == 1:
                self.is_burning.set()
                await self.may_go_on.wait()
        return await self.inner.send(order)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        return await self.inner.find_status(org_id, key, at)


async def test_freeze_during_a_burn_does_not_release_the_coins(
    scenario: BridgeScenario, database: Database, second_container: Container
) -> None:
    created = await scenario.accepted()
    chains = _BlockingChains(scenario.chains, asyncio.Event(), asyncio.Event())
    clock_a = with_node(scenario, await take_node(database))
    first = wire(SETTINGS, database, clock_a, chains=chains)
    second = wire(SETTINGS, second_container.database, second_container.clock, chains=chains)
    offsets = {scenario.org.org_id: timedelta()}
    scenario.clock.at += timedelta(seconds=1)
    burning = asyncio.create_task(first.scheduler.run_all(offsets))
    await chains.is_burning.wait()
    # The first worker has checked, and is in the call.
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {"reason": "a"})
    for _ in range(3):
        scenario.clock.at += timedelta(minutes=1)
        await second.scheduler.run_all(offsets)
        assert await scenario.status(created) == "SOURCE_PENDING"
        assert await scenario.holds() == ("7", "3", "0")
        await scenario.check_books(is_over=False)
    assert chains.burns == 1
    chains.may_go_on.set()
    await burning
    await second.scheduler.run_all(offsets)
    await scenario.org.post(f"/v2/users/{scenario.ada}/unfreeze", {})
    # Burned, and then returned, because the second leg is not claimed for a frozen user.
    assert await scenario.status(created) == "DESTINATION_FAILED"
    assert chains.burns == 1
    assert await scenario.holds() == ("10", "0", "0")
    await scenario.check_books()
