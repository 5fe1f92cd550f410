"""Random sequences of screened deposits, decisions of two people, time, and workers at once.

After each step, what is in suspense is what waits, and nobody holds more than was released. In the
end what was released is held, what was rejected went back, and the ledger audit is clean.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from landbridge.platform.db.pool import Database
from tests.customers.deposit_screening.screening_world import (
    ScreenedOrg,
    run_worker,
    screened_org,
)
from tests.properties.machines import run_machine
from tests.resolution_team import RESOLUTIONS, body
from tests.tenants import held

T = TypeVar("T")

RUNS = {"default": (4, 25), "medium": (20, 30), "long": (300, 40)}  # sequences, steps of each
# A hit (the most often), clear, silence, and an answer that comes late.
CENTS = ("66", "66", "25", "67", "68")
_OPEN = ("IN_SCREENING", "HELD")


class ScreeningMachine(RuleBasedStateMachine):
    """State machine of an organisation with one receiver, whose deposits are screened."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    @initialize()
    def begin(self) -> None:
        self.deposited = 0
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        self.running = AsyncExitStack()
        self.world: ScreenedOrg = await self.running.enter_async_context(
            screened_org(self.database)
        )
        # Each sequence has a hit with each decision.
        for actions in ("RELEASE", "REJECT", "BOTH"):
            self.deposited += 1066
            await self.world.deposit("10.66")
            await self._decide(-1, actions)

    @rule(dollars=st.integers(1, 50), cents=st.sampled_from(CENTS))
    def deposit(self, dollars: int, cents: str) -> None:
        self.deposited += dollars * 100 + int(cents)
        self.wait_for(self.world.deposit(f"{dollars}.{cents}"))

    @rule(place=st.integers(0, 5), actions=st.sampled_from(["RELEASE", "REJECT", "BOTH", "TWICE"]))
    def decide(self, place: int, actions: str) -> None:
        self.wait_for(self._decide(place, actions))

    async def _decide(self, place: int, actions: str) -> None:
        waiting = await self.world.screenings(status="HELD")
        if not waiting:
            return
        chosen = waiting[place % len(waiting)]
        wanted = {"BOTH": ["RELEASE", "REJECT"], "TWICE": ["RELEASE"] * 2}.get(actions, [actions])
        team = self.world.team
        sent = await asyncio.gather(
            *(team.reviewer.send("POST", RESOLUTIONS, body(chosen["id"], each)) for each in wanted)
        )
        for each in sent:
            if each.is_success:
                await team.approve(each.json())

    @rule(count=st.integers(1, 3), passed=st.sampled_from([1, 150, 700, 90_000]))
    def work(self, count: int, passed: int) -> None:
        self.wait_for(self._work(count, passed))

    async def _work(self, count: int, passed: int) -> None:
        self.world.team.clock.at += timedelta(seconds=passed)
        await asyncio.gather(*(run_worker(self.world.org) for _ in range(count)))

    @invariant()
    def suspense_is_what_waits(self) -> None:
        if hasattr(self, "world"):
            self.wait_for(self._check())

    async def _check(self) -> None:
        waiting = await self._units(*_OPEN)
        assert await self.world.suspended() == ({"usd:BANK": waiting} if waiting else {})
        held_units = int(Decimal(await held(self.world.org, self.world.user)) * 100)
        assert held_units <= await self._units("RELEASED")

    def teardown(self) -> None:
        """Check that all that was decided has ended, and the ledger audit is clean."""
        self.wait_for(self._end())

    async def _end(self) -> None:
        for _ in range(4):
            await self._work(1, 400_000)
        await self._check()
        released, rejected = await self._units("RELEASED"), await self._units("REJECTED")
        assert released + rejected + await self._units(*_OPEN) == self.deposited
        assert int(Decimal(await held(self.world.org, self.world.user)) * 100) == released
        statuses = await self.world.deposit_statuses()
        assert set(statuses) <= {"MATCHED", "RETURNED", "SCREENING"}
        returned = len(await self.world.screenings(status="REJECTED", limit=100))
        assert statuses.count("RETURNED") == returned
        await self.world.check()
        await self.running.aclose()

    async def _units(self, *statuses: str) -> int:
        found = await self.world.screenings(status=list(statuses), limit=100)
        return sum(int(Decimal(each["amount"]) * 100) for each in found)

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)


@pytest.mark.machine
def test_no_sequence_of_decisions_spends_what_is_not_released(own_dsn: str) -> None:
    run_machine(ScreeningMachine, own_dsn, RUNS)
