"""Runs a payment of each kind step by step, undisturbed or with lost connections in one step.

A step is one request of a caller, or one run of the worker. Runs are compared by their answers and
their effects: the changes and journals that they wrote.
"""

import re
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole, Transfer
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.orgs.clock_nodes import take_node
from tests.lost_commits.database import TO_THE_END, LostCommits, Plan
from tests.payouts import offramp_body
from tests.properties import request_bodies
from tests.properties.wallet_effects import accept_verb
from tests.scripted import APPROVALS, PATHS, Cast, force, make_cast
from tests.tenants import SETTINGS, fund, make_tenant, register, served

WORK = "work"
WAIT = "wait"
# Longer than any quote or approval lasts.
LONG = timedelta(days=8)
_STEPS_MAX = 40
# Actions that continue a waiting payment.
_NEXT = {
    "PENDING_APPROVAL": "approve",
    "OPEN_QUOTE": "accept",
    "AWAITING_FUNDS": "deposit",
    "IN_REVIEW": "close",
}
_UNAVAILABLE = 503

_CHANGES = """
select kind, change_type, status_before, status_after, count(*) as n
from changes
where org_id = $1
group by kind, change_type, status_before, status_after
"""
_ENTRIES = """
select coalesce(e.role, w.user_id::text) as whose, e.asset, e.available, e.held, count(*) as n
from entries e
left join accounts a on a.org_id = e.org_id and a.id = e.account_id
left join wallets w on w.org_id = a.org_id and w.id = a.wallet_id
where e.org_id = $1
group by 1, 2, 3, 4
"""
_NEWEST = "select id from transfers where org_id = $1 and created_at >= $2"
_HELD = "select wallet_id, asset, held from accounts where org_id = $1 and held <> 0"

Effects = Counter[tuple[Any, ...]]

# Values that differ between records: ids, times, hashes, references, amounts of time.
_OWN = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)?|0x[0-9a-fA-F]{40,}|\bLB[0-9A-Z]+\b"
)


@dataclass(frozen=True)
class Scenario:
    """Scenario: kind of payment, its request, and the actions where it waits.

    `verbs` are by status and consumed from the left; without any left, the payment continues.
    """

    name: str
    kind: str
    plan: str = ""
    needs_approval: bool = False
    # Coins from an external wallet, or fiat on a virtual account.
    is_from_outside: bool = False
    verbs: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True)
class Step:
    """Step of a payment, with its answer and effects."""

    verb: str
    before: str
    answer: Any
    effects: Effects
    after: str


@dataclass
class World:
    """Organisation with a fixed clock."""

    database: LostCommits
    clock: FrozenClock
    cast: Cast
    # A registered address of the payer, and the path that simulates virtual account deposits.
    outside: str
    virtual: str

    def body(self, scenario: Scenario) -> dict[str, Any]:
        """Return the request that creates a payment."""
        body: dict[str, Any] = self.cast.body(scenario.kind, scenario.plan)
        if scenario.is_from_outside and scenario.kind == "ONRAMP":
            return request_bodies.wire("10")
        if scenario.is_from_outside:
            source = {"externalWalletId": self.outside}
            body = offramp_body(None, self.cast.account, 10, source=source)
        return body | {"requireApproval": True} if scenario.needs_approval else body

    def pass_time(self, by: timedelta) -> None:
        """Move the clock."""
        self.clock.at += by

    async def work(self) -> None:
        """Run due steps, as one round of a worker."""
        org, offsets = self.cast.org, {self.cast.org.org_id: timedelta()}
        for _ in range(2):
            # With a stopped clock, follow-up work is due a moment later.
            self.clock.at += timedelta(seconds=1)
            await org.container.incoming_payment_steps.run_all(offsets)
            await org.container.scheduler.run_all(offsets)

    async def effects(self) -> Effects:
        """Return all changes and postings so far, without values unique to a record."""
        found: Effects = Counter()
        for sql in (_CHANGES, _ENTRIES):
            for row in await self.database.rows(sql, self.cast.org.org_id):
                values = cast("Mapping[str, Any]", dict(cast("Any", row)))
                found[tuple(str(value) for name, value in values.items() if name != "n")] = values[
                    "n"
                ]
        return found

    async def check_books(self) -> None:
        """Check that the ledger audit is clean, and that nothing is held or in transit."""
        org_id = self.cast.org.org_id
        audited = await audit(self.database, TRANSITIONS, AUDIT_RULES, org_id=org_id)
        assert audited.is_clean, table(audited)
        assert not await self.database.rows(_HELD, org_id)
        found = await house_balances(self.database, org_id)
        assert not {
            at: units for at, units in found.items() if at[0] is HouseRole.IN_TRANSIT and units
        }


class ScenarioRun:
    """Run of a scenario."""

    def __init__(self, world: World, scenario: Scenario) -> None:
        self._world = world
        self._scenario = scenario
        self._org = world.cast.org
        self._verbs = {status: list(verbs) for status, verbs in scenario.verbs.items()}
        self._path = PATHS[scenario.kind]
        is_virtual = scenario.is_from_outside and scenario.kind == "ONRAMP"
        self._create = f"{world.virtual}/simulate-deposit" if is_virtual else self._path
        self._body = world.body(scenario) | {"requestId": str(uuid4())}
        self._since = world.clock.stamp()
        self._id: UUID | None = None
        self.status = ""

    async def steps(self) -> AsyncGenerator[str]:
        """Yield the actions until the payment is settled."""
        yield "create"
        for _ in range(_STEPS_MAX):
            if self._is_at_rest():
                return
            status = self.status
            if own := self._verbs.get(status):
                yield own.pop(0)
                continue
            yield _NEXT.get(status, WORK)
            # Too late for the verb, or not yet time for the worker.
            if self.status == status and not self._is_at_rest():
                yield WAIT
        raise AssertionError(f"{self._scenario.name} does not come to rest: {self.status}")

    async def do(self, verb: str) -> Any:
        """Run a step; return the answer without values unique to a payment, None for the worker."""
        if verb in {WORK, WAIT}:
            self._world.clock.at += LONG if verb == WAIT else timedelta(seconds=1)
            await self._world.work()
            return None
        self._world.clock.at += timedelta(milliseconds=10)
        return shown(await self._send_request(verb))

    async def again(self, verb: str) -> Any:
        """Repeat the step, as a caller does after a 503; a worker runs another round."""
        if verb in {WORK, WAIT}:
            await self._world.work()
            return None
        return shown(await self._send_request(verb))

    async def look(self) -> None:
        """Read the payment's status."""
        if self._id is None:
            rows = await self._world.database.rows(_NEWEST, self._org.org_id, self._since)
            assert len(rows) <= 1
            self._id = rows[0]["id"] if rows else None
        record = self._id and await self._org.container.ledger.find(self._org.org_id, self._id)
        self.status = record.status if isinstance(record, Transfer) else "REFUSED"

    async def shown(self) -> dict[str, Any]:
        """Return the payment as retrieved."""
        return (await self._org.get(f"{self._path}/{self._id}"))["transferDetails"]

    def _is_at_rest(self) -> bool:
        return self.status == "REFUSED" or TRANSITIONS[self._scenario.kind].is_terminal(self.status)

    async def _send_request(self, verb: str) -> httpx2.Response:
        org, path = self._org, f"{self._path}/{self._id}"
        kind = "onramps" if self._scenario.kind == "ONRAMP" else "offramps"
        sandbox = f"/v2/sandbox/{kind}/{self._id}/deposit"
        review = f"/v2/sandbox/transfers/{self._id}/rfi"
        request: tuple[str, dict[str, Any] | None]
        match verb:
            case "create" if self._scenario.plan:
                return await force(org, self._create, self._body, self._scenario.plan)
            case "create":
                request = (self._create, self._body)
            case "accept":
                request = (path + accept_verb(path), None)
            case "refresh":
                request = (f"{path}/quote/refresh", None)
            case "approve" | "reject":
                request = (f"{APPROVALS}/{await self._approval()}/{verb}", {})
            case "deposit":
                request = (sandbox, {})
            case "deposit less":
                request = (sandbox, {"amount": "3.21"})
            case "open" | "close":
                request = (review, {"action": verb})
            case _:
                request = (f"{path}/{verb}", None)
        return await org.send("POST", *request)

    async def _approval(self) -> str:
        rows = await self._world.database.rows(
            "select id from approvals where org_id = $1 and transfer_id = $2",
            self._org.org_id,
            self._id,
        )
        return str(rows[0]["id"])


def shown(answer: httpx2.Response) -> Any:
    """Return an answer without values unique to a payment."""
    return answer.status_code, _OWN.sub("*", answer.text)


async def run_scenario(world: World, scenario: Scenario) -> list[Step]:
    """Run a scenario undisturbed."""
    run, done = ScenarioRun(world, scenario), list[Step]()
    async for verb in run.steps():
        before, status = await world.effects(), run.status
        answer = await run.do(verb)
        await run.look()
        done.append(Step(verb, status, answer, await world.effects() - before, run.status))
    await world.check_books()
    return done


@dataclass(frozen=True)
class DisturbedRun:
    """Result of a step with lost connections, and of the rest of the run."""

    answers: list[Any]
    effects: Effects
    after: str
    to_the_end: Effects


async def run_with_losses(
    world: World, scenario: Scenario, done: list[Step], at: int, plan: Plan, *, jump: timedelta
) -> DisturbedRun:
    """Run a scenario, lose connections in step `at`, and continue undisturbed to the end.

    After each loss the clock advances by `jump`, except in a step of the worker: there it would be
    late for the next action of the same step. A caller that gets a 503 repeats its request, and the
    worker runs another round, also after `jump`.
    """
    run = ScenarioRun(world, scenario)
    steps = run.steps()
    for step in done[:at]:
        assert await anext(steps) == step.verb
        await run.do(step.verb)
        await run.look()
    verb = await anext(steps)
    is_verb = verb not in {WORK, WAIT}
    is_heard = plan.losses != TO_THE_END
    if is_verb and is_heard:
        plan.after_loss = lambda: world.pass_time(jump)
    before = await world.effects()
    world.database.plan = plan
    answers = [await run.do(verb)]
    world.database.plan = None
    if not is_heard and (not is_verb or answers[0][0] == _UNAVAILABLE):
        world.pass_time(jump if is_verb else timedelta())
        answers.append(await run.again(verb))
    await run.look()
    effects, after = await world.effects() - before, run.status
    async for rest in steps:
        await run.do(rest)
        await run.look()
    # Duplicates, such as a repeated simulated deposit, are returned.
    await run.do(WAIT)
    await world.check_books()
    return DisturbedRun(answers, effects, after, await world.effects() - before)


@asynccontextmanager
async def make_world(dsn: str) -> AsyncGenerator[World]:
    """Yield a world with a rich payer with a bank account, and a recipient."""
    database = cast("LostCommits", await LostCommits.connect(dsn, name="tests", size_max=4))
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), node=await take_node(database))
    container = wire(SETTINGS, database, clock)
    async with served(container) as client:
        cast_ = await make_cast(await make_tenant(container, client))
        await fund(cast_.org, cast_.payer, "1000000")
        outside = await register(cast_.org, cast_.payer, request_bodies.OUTSIDE)
        path = f"/v2/users/{cast_.payer}/virtual-accounts"
        price = {"sourceCurrency": "usd", "destinationCurrency": "usdc"}
        account = await cast_.org.post(path, {**price, "destinationChain": "POLYGON"})
        virtual = f"{path}/{account['accountInfo']['id']}"
        yield World(database, clock, cast_, outside, virtual)
    await database.close()
