"""Random sequences of swap requests, over HTTP, compared with a simple model.

The clock only moves by the machine's steps, which never end on a deadline. HYPOTHESIS_PROFILE=long
runs it for minutes.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.chains.tokens import ASSETS
from tests.house_accounts import house_balance
from tests.make import USDC
from tests.properties.machines import run_machine
from tests.providers.simulation.external_state import carried
from tests.scripted import OUTSIDE
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    fund,
    good,
    make_tenant,
    make_user,
    refusal,
    served,
    swap_body,
)

T = TypeVar("T")

# (sequences, steps of each); a step takes about 10 ms.
RUNS = {"default": (7, 20), "medium": (20, 20), "long": (2_000, 40)}
# Two of these are shorter than a quote's thirty seconds, three are longer.
STEP_S = 11.1

BALANCES = """
select w.user_id::text as user_id, split_part(a.asset, ':', 1) as currency, a.available, a.held
from accounts a
join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where a.org_id = $1 and w.chain = 'POLYGON' and a.asset not like 'usdHifi%'
"""


@dataclass
class Known:
    """Swap as the model knows it."""

    body: dict[str, Any]
    id: str
    source: str
    # None for an address outside of the platform.
    destination: str | None
    sent: int
    received: int
    deadline: datetime
    status: str = "OPEN_QUOTE"


class SwapMachine(RuleBasedStateMachine):
    """State machine of a sandbox organisation and its model."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    people = st.integers(0, 1)
    # The third is an address outside of the platform: the chain carries the swap.
    receivers = st.integers(0, 2)
    some_units = st.integers(2, 12_000)

    @initialize()
    def begin(self) -> None:
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        start = datetime(2026, 5, 1, tzinfo=UTC)
        self.clock = FrozenClock(start, node=await take_node(self.database))
        self.running = AsyncExitStack()
        container = wire(SETTINGS, self.database, self.clock)
        client = await self.running.enter_async_context(served(container))
        self.org = await make_tenant(container, client)
        self.users = [await make_user(self.org) for _ in range(2)]
        self.holds = {(user, currency): 0 for user in self.users for currency in ("usdc", "usdt")}
        self.waiting = dict.fromkeys(self.users, 0)
        self.left = 0
        self.known: list[Known] = []

    @rule(person=people, units=st.integers(1, 20_000))
    def fund(self, person: int, units: int) -> None:
        self.wait_for(fund(self.org, self.users[person], str(Money(units, USDC))))
        self.holds[self.users[person], "usdc"] += units

    @rule(person=people, receiver=receivers, units=some_units, is_exact_out=st.booleans())
    def create(self, person: int, receiver: int, units: int, *, is_exact_out: bool) -> None:
        source, destination = self.users[person], dict(enumerate(self.users)).get(receiver)
        sent, received = (_needed(units), units) if is_exact_out else (units, _left(units))
        body = swap_body(source, None if is_exact_out else str(Money(units, USDC)))
        body["destination"] |= (
            {"userId": destination} if destination else {"walletAddress": OUTSIDE}
        )
        if is_exact_out:
            body["destination"]["amount"] = str(Money(units, USDC))
        answer = self.wait_for(self.org.send("POST", SWAPS, body))
        if self.holds[source, "usdc"] < sent:
            assert refusal(answer) == "400 INSUFFICIENT_BALANCE"
            return
        details = good(answer)["transferDetails"]
        quote = details["quoteInformation"]
        assert quote["sendGross"]["amount"] == str(Money(sent, USDC))
        assert quote["receiveNet"]["amount"] == str(Money(received, USDC))
        deadline = datetime.fromisoformat(quote["expiresAt"])
        self.known.append(Known(body, details["id"], source, destination, sent, received, deadline))

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def accept(self, data: st.DataObject) -> None:
        swap = data.draw(st.sampled_from(self.known))
        answer = self.wait_for(self.org.send("POST", f"{SWAPS}/{swap.id}/accept"))
        if swap.status == "OPEN_QUOTE" and swap.deadline <= self.clock.at:
            swap.status = "QUOTE_FAILED"
        if swap.status == "QUOTE_FAILED":
            assert refusal(answer) == "400 INVALID_QUOTE"
        elif swap.status == "OPEN_QUOTE" and self.holds[swap.source, "usdc"] < swap.sent:
            assert refusal(answer) == "400 INSUFFICIENT_BALANCE"
        else:
            self._settle(swap)
            assert good(answer)["transferDetails"]["status"] == swap.status

    def _settle(self, swap: Known) -> None:
        if swap.status == "OPEN_QUOTE":
            self.holds[swap.source, "usdc"] -= swap.sent
            if swap.destination is None:
                swap.status = "CREATED"
                self.waiting[swap.source] += swap.sent
            else:
                swap.status = "COMPLETED"
                self.holds[swap.destination, "usdt"] += swap.received

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        swap = data.draw(st.sampled_from(self.known))
        record = self.wait_for(self.org.get(f"{SWAPS}/{swap.id}"))
        assert self.wait_for(self.org.post(SWAPS, swap.body)) == record
        assert record["transferDetails"]["status"] == swap.status

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def replay_with_another_body(self, data: st.DataObject) -> None:
        swap = data.draw(st.sampled_from(self.known))
        other = swap_body(self.users[0], "77", request_id=swap.body["requestId"])
        answer = self.wait_for(self.org.send("POST", SWAPS, other))
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"

    @rule(steps=st.integers(1, 3))
    def pass_time(self, steps: int) -> None:
        self.clock.at += timedelta(seconds=steps * STEP_S)

    @rule()
    def work(self) -> None:
        # The next step of a record is due at a stamp, and stamps run ahead of a clock that stands
        # still by a tenth of a millisecond each.
        self.clock.at += timedelta(milliseconds=100)
        self.wait_for(self.org.container.scheduler.run_all({self.org.org_id: timedelta()}))
        for swap in self.known:
            if swap.status == "OPEN_QUOTE" and swap.deadline <= self.clock.at:
                swap.status = "QUOTE_FAILED"
            if swap.status == "CREATED":
                swap.status = "COMPLETED"
                self.waiting[swap.source] -= swap.sent
                self.left += swap.received

    @rule()
    def restart(self) -> None:
        self.wait_for(self._restart())

    async def _restart(self) -> None:
        await self.running.aclose()
        container = wire(SETTINGS, self.database, self.clock)
        client = await self.running.enter_async_context(served(container))
        self.org = Tenant(container, client, self.org.caller, self.org.key)

    @invariant()
    def balances_equal_the_model(self) -> None:
        rows = self.wait_for(self.database.rows(BALANCES, self.org.org_id))
        found = {(row["user_id"], row["currency"]): int(row["available"]) for row in rows}
        assert found == self.holds
        held = {row["user_id"]: int(row["held"]) for row in rows if row["currency"] == "usdc"}
        assert held == self.waiting
        assert not any(row["held"] for row in rows if row["currency"] != "usdc")

    def teardown(self) -> None:
        """Check that everything settles with time and the ledger audit is clean."""
        self.pass_time(3)
        self.work()
        self.wait_for(self._check_end())

    async def _check_end(self) -> None:
        page = await self.org.get(SWAPS, limit=100)
        found = {
            each["transferDetails"]["id"]: each["transferDetails"]["status"]
            for each in page["data"]
        }
        assert found == {swap.id: swap.status for swap in self.known}
        assert set(found.values()) <= {"COMPLETED", "QUOTE_FAILED"}
        outside = await house_balance(
            self.database, self.org.org_id, HouseRole.OUTSIDE, ASSETS["usdt:POLYGON"]
        )
        assert outside.units == self.left
        assert await carried(self.database, self.org.org_id, "transfer") == Counter(
            {
                "usdc:POLYGON": sum(each.sent for each in self._left_by()),
                "usdt:POLYGON": self.left,
            }
        )
        audited = await audit(self.database, TRANSITIONS, AUDIT_RULES, org_id=self.org.org_id)
        assert audited.is_clean, table(audited)
        await self.running.aclose()

    def _left_by(self) -> list[Known]:
        """Return the completed swaps to an address outside of the platform."""
        return [
            each for each in self.known if each.destination is None and each.status == "COMPLETED"
        ]

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)


def _left(sent: int) -> int:
    """Units that arrive for `sent`: a thousandth is the fee, rounded up."""
    return sent - -(-sent // 1000)


def _needed(received: int) -> int:
    sent = received
    while _left(sent) < received:
        sent += 1
    return sent


@pytest.mark.machine
def test_no_sequence_of_requests_corrupts_a_swap_or_the_ledger(dsn: str) -> None:
    run_machine(SwapMachine, dsn, RUNS)
