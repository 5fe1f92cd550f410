"""Random sequences of payments of every kind, over HTTP, with time, approvals, reviews and crashes.

There is no model of each flow: the expected wallet balances are derived from the records alone, as
a reconciling customer would do. In the end every record is settled, nothing is held or in transit,
the ledger audit is clean, and every unit is where the records say. HYPOTHESIS_PROFILE=long runs it
for longer.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Coroutine
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

import httpx2
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.customers.kyc.model import Rail
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.customers.bank_accounts.verified import make_verified
from tests.properties import accounts
from tests.properties import request_bodies as bodies
from tests.properties import wallet_effects as effects
from tests.properties.machines import run_machine
from tests.properties.outcome_plans import plans
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.returned_payments import undo
from tests.scripted import force, needs_chain
from tests.tenants import SETTINGS, Tenant, fund, make_tenant, served, swap_body

T = TypeVar("T")

RUNS = {"default": (5, 40), "medium": (20, 40), "long": (600, 60)}  # sequences, steps of each
FAULTS = ("fails", "dies", "unclear", "is away", "is late", "is well")
PASSES = tuple(timedelta(seconds=each) for each in (7, 11 * 60, 25 * 3600, 8 * 86_400))

_ACCOUNTS = """
select w.user_id::text as user_id, a.asset, a.available, a.held
from accounts a
join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where a.org_id = $1
"""


class FlowMachine(RuleBasedStateMachine):
    """State machine of a sandbox organisation with two users."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    people = st.integers(0, 1)
    # How far its owner advances a payment at once; other rules do the rest.
    some_steps = st.integers(0, 3)
    amounts = st.sampled_from(["1", "2.5", "10", "19.999999", "40"])
    dollars = st.sampled_from(["1", "10", "25.5", "100"])

    @initialize()
    def begin(self) -> None:
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        start = datetime(2026, 5, 1, tzinfo=UTC)
        self.clock = FrozenClock(start, node=await take_node(self.database))
        self.running = AsyncExitStack()
        await self._open(None)
        self.users = [await make_verified(self.org, Rail.USD) for _ in range(2)]
        self.funded: Counter[tuple[str, str]] = Counter()
        for user in self.users:
            await self.org.post(f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})
            await self._fund(user, "60")
        self.bank = [await accounts.bank_account(self.org, user) for user in self.users]
        self.virtual = await accounts.virtual_account(self.org, *self.users)
        outside = {
            "address": bodies.OUTSIDE,
            "chain": "POLYGON",
            "name": "a",
            "referenceId": "b",
        }
        path = f"/v2/users/{self.users[0]}/wallets/external"
        self.external = (await self.org.post(path, outside))["id"]
        found = await self.org.get(f"/v2/users/{self.users[1]}")
        self.beneficiary = found["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]

    async def _open(self, org: Tenant | None) -> None:
        plain = wire(SETTINGS, self.database, self.clock)
        if org is None:
            self.chains, self.rails = FaultyChains(plain.chains), FaultyRails(plain.rails)
        container = wire(SETTINGS, self.database, self.clock, chains=self.chains, rails=self.rails)
        client = await self.running.enter_async_context(served(container))
        if org is None:
            self.org = await make_tenant(container, client)
        else:
            self.org = Tenant(container, client, org.caller, org.key)

    async def _fund(self, user: str, amount: str) -> None:
        await fund(self.org, user, amount)
        self.funded[user, "usdc:POLYGON"] += effects.units(amount)

    @rule(person=people, amount=amounts)
    def receive_external_deposit(self, person: int, amount: str) -> None:
        self.wait_for(self._fund(self.users[person], amount))

    @rule(
        plan=plans("WALLET.TRANSFER"),
        person=people,
        amount=amounts,
        leaves=st.booleans(),
        approval=st.booleans(),
    )
    def transfer(
        self, person: int, amount: str, *, leaves: bool, approval: bool, plan: str | None
    ) -> None:
        payee = self._payee(person, leaves=leaves)
        body = bodies.transfer(self.users[person], payee, amount, approval=approval)
        self._send_request("/v2/wallets/transfers", body, plan=plan)

    @rule(
        plan=plans("WALLET.TRANSFER.BATCH"), person=people, amount=amounts, approval=st.booleans()
    )
    def batch(self, person: int, amount: str, *, approval: bool, plan: str | None) -> None:
        payee = self._payee(person, leaves=False)
        body = bodies.batch(self.users[person], payee, [amount, "0.5"], approval=approval)
        self._send_request("/v2/wallets/transfers/batches", body, plan=plan)

    @rule(
        plan=plans("WALLET.BRIDGE"),
        steps=some_steps,
        person=people,
        amount=amounts,
        approval=st.booleans(),
    )
    def bridge(
        self, person: int, amount: str, *, approval: bool, steps: int, plan: str | None
    ) -> None:
        body = bodies.bridge(self.users[person], self.users[1], amount, approval=approval)
        self._send_request("/v2/wallets/bridges", body, steps=steps, plan=plan)

    @rule(plan=plans("WALLET.SWAP"), steps=some_steps, person=people, amount=amounts)
    def swap(self, person: int, amount: str, *, steps: int, plan: str | None) -> None:
        # The second user swaps into coins that leave the platform.
        to = {"walletAddress": bodies.OUTSIDE} if person or needs_chain(plan) else {}
        body = swap_body(self.users[person], amount, destination=to)
        self._send_request("/v2/wallets/swaps", body, steps=steps, plan=plan)

    @rule(
        plan=plans("OFFRAMP"),
        steps=some_steps,
        person=people,
        amount=amounts,
        approval=st.booleans(),
        fee=st.booleans(),
    )
    def offramp(
        self, person: int, amount: str, *, approval: bool, fee: bool, steps: int, plan: str | None
    ) -> None:
        beneficiary = bodies.OUTSIDE if fee else None
        user, account = self.users[person], self.bank[person]
        body = bodies.offramp(user, account, amount, approval=approval, beneficiary=beneficiary)
        self._send_request("/v2/offramps", body, steps=steps, plan=plan)

    @rule(
        plan=plans("OFFRAMP"),
        steps=some_steps,
        amount=amounts,
        fee=st.sampled_from(["none", "to a user", "outside"]),
    )
    def offramp_from_outside(self, amount: str, *, fee: str, steps: int, plan: str | None) -> None:
        beneficiary = {"to a user": self.beneficiary, "outside": bodies.OUTSIDE}.get(fee)
        user, account = self.users[0], self.bank[0]
        body = bodies.offramp_from_outside(
            self.external, user, account, amount, beneficiary=beneficiary
        )
        self._send_request("/v2/offramps", body, steps=steps, plan=plan)

    @rule(data=st.data(), amount=st.sampled_from([None, "3.21"]))
    def receive_external_coins(self, data: st.DataObject, amount: str | None) -> None:
        record = self._any(data, None, kinds=("OFFRAMP",))
        if record is not None:
            self._send_coins(record, amount)

    @rule(plan=plans("ONRAMP"), steps=some_steps, person=people, amount=dollars, fee=st.booleans())
    def onramp(self, person: int, amount: str, *, fee: bool, steps: int, plan: str | None) -> None:
        body = bodies.onramp(self.users[person], amount, fee="0.5" if fee else None)
        self._send_request("/v2/onramps", body, steps=steps, plan=plan)

    @rule(amount=dollars)
    def deposit_on_virtual_account(self, amount: str) -> None:
        self._send_request(f"{self.virtual}/simulate-deposit", bodies.wire(amount))

    @rule(data=st.data(), otherwise=st.booleans())
    def continue_payment(self, data: st.DataObject, *, otherwise: bool) -> None:
        record = self._any(data, effects.WAITING)
        if record is not None:
            self._continue_payment(record, otherwise=otherwise)

    def _continue_payment(self, record: dict[str, Any], *, otherwise: bool = False) -> None:
        """Return the owner's next action for a waiting payment, or another possible action."""
        at = effects.path_of(record)
        match record["status"]:
            case "OPEN_QUOTE":
                self._send("POST", at + effects.accept_verb(at))
            case "AWAITING_FUNDS" if record["kind"] == "OFFRAMP":
                self._send_coins(record, "3.21" if otherwise else None)
            case "AWAITING_FUNDS":
                path = f"/v2/sandbox/onramps/{record['id']}/deposit"
                self._send("POST", path, {"amount": "3.21"} if otherwise else {})
            case "IN_REVIEW" if otherwise:
                self._send("POST", f"{at}/cancel")
            case "IN_REVIEW":
                self._review(record, "close")
            case "PENDING_APPROVAL":
                self._decide(record, "reject" if otherwise else "approve")
            case _:
                pass

    def _send_coins(self, record: dict[str, Any], amount: str | None) -> None:
        """Send external coins for an offramp, whether or not it waits for them."""
        path = f"/v2/sandbox/offramps/{record['id']}/deposit"
        self._send("POST", path, {} if amount is None else {"amount": amount})

    @rule(data=st.data())
    def review(self, data: st.DataObject) -> None:
        record = self._any(data, None, kinds=("ONRAMP", "OFFRAMP"))
        if record is not None:
            self._review(record, "open")

    @rule(data=st.data(), verb=st.sampled_from(["quote/accept", "quote/refresh", "cancel"]))
    def try_anything(self, data: st.DataObject, verb: str) -> None:
        record = self._any(data, None, kinds=("ONRAMP", "OFFRAMP"))
        if record is not None:
            self._send("POST", f"{effects.path_of(record)}/{verb}")

    @rule(data=st.data(), part=st.sampled_from(["1", "0.9", "1.1"]))
    def reverse_at_the_bank(self, data: st.DataObject, part: str) -> None:
        self.clock.at += PASSES[-1]  # until banks have settled
        self.work()
        record = self._any(data, effects.UNDONE, kinds=("ONRAMP", "OFFRAMP"))
        if record is not None:
            self.wait_for(undo(self.org, record, part))

    @rule(fault=st.sampled_from(FAULTS), is_bank=st.booleans())
    def break_something(self, fault: str, *, is_bank: bool) -> None:
        outside = self.rails if is_bank else self.chains
        match fault:
            case "fails":
                outside.fail_next = "refused by the other side"
            case "dies":
                outside.raise_after_next = RuntimeError("the process dies here")
            case "unclear":
                outside.raise_after_next = Unclear("the line broke")
            case "is away":
                outside.raise_before_next = Unavailable("nobody answers")
            case "is late":
                outside.late_by = timedelta(hours=2)
            case _:
                outside.late_by = None

    @rule(by=st.sampled_from(PASSES))
    def pass_time(self, by: timedelta) -> None:
        self.clock.at += by

    @rule()
    def work(self) -> None:
        self.wait_for(self._work())

    async def _work(self) -> None:
        """Run the worker until nothing advances any more."""
        offsets = {self.org.org_id: timedelta()}
        for _ in range(4):
            await self.org.container.incoming_payment_steps.run_once(offsets)
            await self.org.container.scheduler.run_all(offsets)

    @precondition(lambda self: self.clock.at > datetime(2026, 5, 1, 1, tzinfo=UTC))
    @rule()
    def restart(self) -> None:
        self.wait_for(self.running.aclose())
        self.wait_for(self._open(self.org))

    def teardown(self) -> None:
        self.wait_for(self._end())

    async def _end(self) -> None:
        """Remove all faults, close reviews and advance time: then every record settles."""
        for outside in (self.chains, self.rails):
            outside.fail_next = outside.raise_before_next = outside.raise_after_next = None
            outside.late_by = None
        for _ in range(5):
            for record in await effects.records(self.org):
                if record["status"] == "IN_REVIEW":
                    path = f"/v2/sandbox/transfers/{record['id']}/rfi"
                    await self.org.post(path, {"action": "close"})
            await self._work()
            self.clock.at += timedelta(days=8)
        records = await effects.records(self.org)
        moving = [
            each for each in records if not TRANSITIONS[each["kind"]].is_terminal(each["status"])
        ]
        assert not moving
        await self._check_books(records)
        await self.running.aclose()

    async def _check_books(self, records: list[dict[str, Any]]) -> None:
        org_id = self.org.org_id
        audited = await audit(self.database, TRANSITIONS, AUDIT_RULES, org_id=org_id)
        assert audited.is_clean, table(audited)
        rows = await self.database.rows(_ACCOUNTS, org_id)
        assert not [row for row in rows if row["held"]]
        has = {(row["user_id"], row["asset"]): int(row["available"]) for row in rows}
        expected = Counter(self.funded)
        for record in records:
            expected.update(
                effects.effect(record, outside=bodies.OUTSIDE, shares_with=self.users[0])
            )
        assert {key: units for key, units in has.items() if units} == {
            key: units for key, units in expected.items() if units and key[0] in self.users
        }
        container = await house_balances(self.database, org_id)
        passed_on = {HouseRole.IN_TRANSIT, HouseRole.PAYABLE}
        left = {key: units for key, units in container.items() if key[0] in passed_on and units}
        assert not left

    def _any(
        self,
        data: st.DataObject,
        statuses: Collection[str] | None,
        *,
        kinds: Collection[str] = tuple(effects.PATH_OF),
    ) -> dict[str, Any] | None:
        """Return one of the existing records, if any."""
        records = [
            each
            for each in self.wait_for(effects.records(self.org))
            if each["kind"] in kinds and (statuses is None or each["status"] in statuses)
        ]
        return records[data.draw(st.integers(0, len(records) - 1))] if records else None

    def _review(self, record: dict[str, Any], action: str) -> None:
        self._send("POST", f"/v2/sandbox/transfers/{record['id']}/rfi", {"action": action})

    def _decide(self, record: dict[str, Any], verb: str) -> None:
        pending = self.wait_for(self.org.get("/v2/transfer-approvals", limit=100))["approvals"]
        for each in pending:
            if each["transferId"] == record["id"]:
                self._send("POST", f"/v2/transfer-approvals/{each['id']}/{verb}")

    def _payee(self, person: int, *, leaves: bool) -> dict[str, str]:
        if leaves and person == 0:
            return {"walletAddress": bodies.OUTSIDE}
        return {"userId": self.users[1 - person]}

    def _send_request(
        self, path: str, body: dict[str, Any], *, steps: int = 0, plan: str | None = None
    ) -> None:
        params = {name: value for name, value in body.items() if value is not None}
        request = {"requestId": str(uuid4()), **params}
        if plan is None:
            answer = self._send("POST", path, request)
        else:
            answer = self.wait_for(force(self.org, path, request, plan))
            assert answer.status_code < 500, answer.text
            # Every requested value is a valid one.
            assert "Landbridge-Sandbox" not in answer.text or "after its approval" in answer.text
        for _ in range(steps if answer.is_success else 0):
            created = answer.json()
            found = self.wait_for(self.org.get(f"{path}/{created['transferDetails']['id']}"))
            self._continue_payment({"kind": created["transferType"], **found["transferDetails"]})
            self.work()

    def _send(self, method: str, path: str, body: Any = None) -> httpx2.Response:
        """Return the reply, which may be a refusal but never a 5xx."""
        answer = self.wait_for(self.org.send(method, path, body))
        assert answer.status_code < 500, answer.text
        return answer

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)


@pytest.mark.machine
def test_no_sequence_of_payments_loses_a_unit(dsn: str) -> None:
    run_machine(FlowMachine, dsn, RUNS)
