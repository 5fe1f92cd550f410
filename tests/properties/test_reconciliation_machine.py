"""Random histories of a position: runs, decisions of two people, and closes, beside a model.

The chain's balance is shifted behind the ledger's back. HYPOTHESIS_PROFILE=long runs it for
minutes.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from landbridge.app.container import wire
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.make import USDC
from tests.properties.machines import run_machine
from tests.reporting.reconciliation.compared import (
    DIFFERENCES,
    compared,
    make_reviewers,
    opened_user,
    shift_balance,
)
from tests.tenants import SETTINGS, good, make_tenant, refusal, served

T = TypeVar("T")

# (sequences, steps of each); a step takes about 50 ms.
RUNS = {"default": (3, 12), "medium": (10, 20), "long": (400, 40)}
CLOSES = "/v2/reconciliation/closes"
_ENTRIES = "select count(*) as count from entries where org_id = $1"


@dataclass
class OpenDifference:
    """Difference as the model knows it; `proposer` is the person who has explained it."""

    id: str
    units: int
    proposer: int | None = None
    adjusts_ledger: bool = False


class ReconciliationMachine(RuleBasedStateMachine):
    """State machine of one position of a sandbox organisation, and its model."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    people = st.integers(0, 1)

    @initialize()
    def begin(self) -> None:
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        start = datetime(2026, 5, 1, 8, tzinfo=UTC)
        self.clock = FrozenClock(start, node=await take_node(self.database))
        self.running = AsyncExitStack()
        container = wire(SETTINGS, self.database, self.clock)
        client = await self.running.enter_async_context(served(container))
        self.org = await make_tenant(container, client)
        self.persons = await make_reviewers(self.org)
        self.user = await opened_user(self.org)
        self.clock.at += timedelta(minutes=2)  # the chain has the funds by then
        await compared(self.org)
        self.shifted = self.accepted = 0
        self.current: OpenDifference | None = None
        self.closed: dict[str, str] = {}
        self.entries = await self._count_entries()

    @rule(units=st.integers(-3, 3))
    def shift(self, units: int) -> None:
        self.wait_for(shift_balance(self.org, self.user, units))
        self._see(self.shifted)  # it compares first
        self.shifted += units

    @rule()
    def run(self) -> None:
        self.wait_for(compared(self.org))
        self._see(self.shifted)

    @precondition(lambda self: self.current)
    @rule(person=people, adjusts_ledger=st.booleans())
    def resolve(self, person: int, *, adjusts_ledger: bool) -> None:
        found = self._found()
        body = {"reason": "dust", "adjustLedger": adjusts_ledger}
        answer = self._decide(person, "resolve", body)
        if found.proposer is not None:
            assert refusal(answer) == "409 RESOURCE_CONFLICT"
        else:
            assert good(answer)["status"] == "PROPOSED"
            found.proposer, found.adjusts_ledger = person, adjusts_ledger

    @precondition(lambda self: self.current)
    @rule(person=people)
    def accept(self, person: int) -> None:
        found = self._found()
        answer = self._decide(person, "accept", {"amount": str(Money(found.units, USDC))})
        if found.proposer is None:
            assert refusal(answer) == "409 RESOURCE_CONFLICT"
        elif found.proposer == person:
            assert refusal(answer) == "403 USER_ROLE_NOT_ALLOWED"
        else:
            resolution = "ADJUSTED" if found.adjusts_ledger else "ACCEPTED"
            assert good(answer)["resolution"] == resolution
            self.accepted += found.units
            self.entries += 2 if found.adjusts_ledger else 0
            self.current = None

    @precondition(lambda self: self.current)
    @rule(person=people)
    def reject(self, person: int) -> None:
        found = self._found()
        answer = self._decide(person, "reject", {"reason": "no dust"})
        if found.proposer is None:
            assert refusal(answer) == "409 RESOURCE_CONFLICT"
        else:
            assert good(answer)["status"] == "OPEN"
            found.proposer = None

    @rule(person=people, is_on_purpose=st.booleans())
    def close(self, person: int, *, is_on_purpose: bool) -> None:
        day = str(self.clock.at.date())
        self.clock.at += timedelta(days=1)
        self.run()
        signer, second = self.persons[person], self.persons[1 - person]
        body = {"day": day, **({"reason": "investigated"} if is_on_purpose else {})}
        answer = self.wait_for(signer.send("POST", CLOSES, body))
        if self.current is not None and not is_on_purpose:
            assert refusal(answer) == "409 RESOURCE_CONFLICT"
            return
        signed = good(answer)
        carried = [] if self.current is None else [self.current.id]
        assert [each["id"] for each in signed["carried"]] == carried
        path = f"{CLOSES}/{signed['close']['id']}/confirm"
        digest = {"digest": signed["close"]["digest"]}
        own = self.wait_for(signer.send("POST", path, digest))
        assert refusal(own) == "403 USER_ROLE_NOT_ALLOWED"
        assert good(self.wait_for(second.send("POST", path, digest)))["status"] == "COMPLETED"
        previous = list(self.closed)[-1:] or [None]
        assert signed["previousDigest"] == previous[0]
        self.closed[signed["close"]["digest"]] = signed["content"]

    @invariant()
    def the_difference_is_the_models(self) -> None:
        listed = self.wait_for(self.org.get(DIFFERENCES, status="OPEN,PROPOSED"))["differences"]
        expected = [] if self.current is None else [str(Money(self.current.units, USDC))]
        assert [each["amount"] for each in listed] == expected
        if self.current is not None:
            proposed = self.current.proposer is not None
            assert listed[0]["status"] == ("PROPOSED" if proposed else "OPEN")

    @invariant()
    def closes_never_change_and_only_adjustments_are_booked(self) -> None:
        self.wait_for(self._check_closes())

    async def _check_closes(self) -> None:
        page = await self.org.get(CLOSES, limit=100)
        assert [each["digest"] for each in page["closes"]] == list(self.closed)[::-1]
        for each in page["closes"][:2]:
            found = await self.org.get(f"{CLOSES}/{each['id']}")
            assert (found["isIntact"], found["content"]) == (True, self.closed[each["digest"]])
        assert await self._count_entries() == self.entries

    def teardown(self) -> None:
        """Stop the application."""
        self.wait_for(self.running.aclose())

    def _see(self, units: int) -> None:
        """Let the model's run find the chain shifted by these units."""
        open_units = units - self.accepted
        if not open_units:
            self.current = None
        elif self.current is None:
            listed = self.wait_for(self.org.get(DIFFERENCES, status="OPEN"))["differences"]
            self.current = OpenDifference(listed[0]["id"], open_units)
        elif self.current.units != open_units:
            self.current = OpenDifference(self.current.id, open_units)

    def _found(self) -> OpenDifference:
        assert self.current is not None
        return self.current

    def _decide(self, person: int, verb: str, body: dict[str, Any]) -> Any:
        path = f"{DIFFERENCES}/{self._found().id}/{verb}"
        return self.wait_for(self.persons[person].send("POST", path, body))

    async def _count_entries(self) -> int:
        return (await self.database.rows(_ENTRIES, self.org.org_id))[0]["count"]

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self.runner.run(work)


@pytest.mark.machine
def test_no_history_ends_a_difference_by_one_person_or_changes_a_close(dsn: str) -> None:
    run_machine(ReconciliationMachine, dsn, RUNS)
