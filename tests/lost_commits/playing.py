"""A payment of each kind played step by step, undisturbed or with connections lost in one step.

A step is one request of a caller, or one round of the worker. What it did is compared by its answer
and by its effects: the changes that it wrote, and what it posted.
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

from landbridge.core.clock import FrozenClock
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balances
from landbridge.ledger.model import Role, Transfer
from landbridge.orgs.service import take_lane
from landbridge.wiring import AUDIT_RULES, MOVES, wire
from tests.forced import APPROVALS, PATHS, Cast, force, make_cast
from tests.lost_commits.database import TO_THE_END, LostCommits, Plan
from tests.payouts import offramp_body
from tests.properties import asks
from tests.properties.tale import accept_verb
from tests.tenants import SETTINGS, fund, make_tenant, register, served

WORK = "work"
WAIT = "wait"
# Longer than any quote or approval lasts.
LONG = timedelta(days=8)
_STEPS_MAX = 40
# What takes a payment further where it waits for somebody.
_NEXT = {
    "PENDING_APPROVAL": "approve",
    "OPEN_QUOTE": "accept",
    "AWAITING_FUNDS": "deposit",
    "IN_REVIEW": "close",
}
_UNAVAILABLE = 503

_CHANGES = """
select kind, what, status_before, status_after, count(*) as n
from changes
where org_id = $1
group by kind, what, status_before, status_after
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

# What is another in each record: ids, moments, hashes, references, amounts of time.
_OWN = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)?|0x[0-9a-fA-F]{40,}|\bLB[0-9A-Z]+\b"
)


@dataclass(frozen=True)
class Story:
    """A payment: its kind, how it was asked for, and which verbs come where it waits.

    `verbs` are by status, used up from the left; where none is left, the payment goes on.
    """

    name: str
    kind: str
    plan: str = ""
    asks: bool = False
    # Coins from a wallet outside, or fiat on a virtual account.
    is_from_outside: bool = False
    verbs: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True)
class Step:
    """What was done to a payment, and what came of it."""

    verb: str
    before: str
    answer: Any
    effects: Effects
    after: str


@dataclass
class World:
    """One organisation in a house whose clock stands still until it is moved."""

    database: LostCommits
    clock: FrozenClock
    cast: Cast
    # A registered address of the payer, and where fiat of a virtual account is simulated.
    outside: str
    virtual: str

    def body(self, story: Story) -> dict[str, Any]:
        """The request that makes a payment."""
        body: dict[str, Any] = self.cast.body(story.kind)
        if story.is_from_outside and story.kind == "ONRAMP":
            return asks.wire("10")
        if story.is_from_outside:
            source = {"externalWalletId": self.outside}
            body = offramp_body(None, self.cast.account, 10, source=source)
        return body | {"requireApproval": True} if story.asks else body

    def pass_time(self, by: timedelta) -> None:
        """Move the clock."""
        self.clock.at += by

    async def work(self) -> None:
        """Do what is due, as a worker does in one round."""
        org, offsets = self.cast.org, {self.cast.org.org_id: timedelta()}
        for _ in range(2):
            # What the first made due is so a moment later, by a clock that stands still.
            self.clock.at += timedelta(seconds=1)
            await org.house.receipt_steps.run_all(offsets)
            await org.house.due.run_all(offsets)

    async def effects(self) -> Effects:
        """All changes and postings so far, without what is each record's own."""
        found: Effects = Counter()
        for sql in (_CHANGES, _ENTRIES):
            for row in await self.database.rows(sql, self.cast.org.org_id):
                values = cast("Mapping[str, Any]", dict(cast("Any", row)))
                found[tuple(str(value) for name, value in values.items() if name != "n")] = values[
                    "n"
                ]
        return found

    async def check_books(self) -> None:
        """The books are proven; nothing is held, and nothing is in transit."""
        org_id = self.cast.org.org_id
        audited = await audit(self.database, MOVES, AUDIT_RULES, org_id=org_id)
        assert audited.is_clean, table(audited)
        assert not await self.database.rows(_HELD, org_id)
        found = await house_balances(self.database, org_id)
        assert not {at: units for at, units in found.items() if at[0] is Role.IN_TRANSIT and units}


class Play:
    """One run of a story."""

    def __init__(self, world: World, story: Story) -> None:
        self._world = world
        self._story = story
        self._org = world.cast.org
        self._verbs = {status: list(verbs) for status, verbs in story.verbs.items()}
        self._path = PATHS[story.kind]
        is_virtual = story.is_from_outside and story.kind == "ONRAMP"
        self._create = f"{world.virtual}/simulate-deposit" if is_virtual else self._path
        self._body = world.body(story) | {"requestId": str(uuid4())}
        self._since = world.clock.stamp()
        self._id: UUID | None = None
        self.status = ""

    async def steps(self) -> AsyncGenerator[str]:
        """Give the verbs until the payment rests."""
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
        raise AssertionError(f"{self._story.name} does not come to rest: {self.status}")

    async def do(self, verb: str) -> Any:
        """Do a step; the answer without what is each payment's own, None for the worker."""
        if verb in {WORK, WAIT}:
            self._world.clock.at += LONG if verb == WAIT else timedelta(seconds=1)
            await self._world.work()
            return None
        self._world.clock.at += timedelta(milliseconds=10)
        return shown(await self._ask(verb))

    async def again(self, verb: str) -> Any:
        """Do the step once more, as who was answered 503 does; a worker's next round."""
        if verb in {WORK, WAIT}:
            await self._world.work()
            return None
        return shown(await self._ask(verb))

    async def look(self) -> None:
        """Read where the payment stands."""
        if self._id is None:
            rows = await self._world.database.rows(_NEWEST, self._org.org_id, self._since)
            assert len(rows) <= 1
            self._id = rows[0]["id"] if rows else None
        record = self._id and await self._org.house.ledger.find(self._org.org_id, self._id)
        self.status = record.status if isinstance(record, Transfer) else "REFUSED"

    async def shown(self) -> dict[str, Any]:
        """The payment as it is retrieved."""
        return (await self._org.get(f"{self._path}/{self._id}"))["transferDetails"]

    def _is_at_rest(self) -> bool:
        return self.status == "REFUSED" or MOVES[self._story.kind].is_terminal(self.status)

    async def _ask(self, verb: str) -> httpx2.Response:
        org, path = self._org, f"{self._path}/{self._id}"
        kind = "onramps" if self._story.kind == "ONRAMP" else "offramps"
        sandbox = f"/v2/sandbox/{kind}/{self._id}/deposit"
        review = f"/v2/sandbox/transfers/{self._id}/rfi"
        asked: tuple[str, dict[str, Any] | None]
        match verb:
            case "create" if self._story.plan:
                return await force(org, self._create, self._body, self._story.plan)
            case "create":
                asked = (self._create, self._body)
            case "accept":
                asked = (path + accept_verb(path), None)
            case "refresh":
                asked = (f"{path}/quote/refresh", None)
            case "approve" | "reject":
                asked = (f"{APPROVALS}/{await self._approval()}/{verb}", {})
            case "deposit":
                asked = (sandbox, {})
            case "deposit less":
                asked = (sandbox, {"amount": "3.21"})
            case "open" | "close":
                asked = (review, {"action": verb})
            case _:
                asked = (f"{path}/{verb}", None)
        return await org.send("POST", *asked)

    async def _approval(self) -> str:
        rows = await self._world.database.rows(
            "select id from approvals where org_id = $1 and transfer_id = $2",
            self._org.org_id,
            self._id,
        )
        return str(rows[0]["id"])


def shown(answer: httpx2.Response) -> Any:
    """An answer without what is each payment's own."""
    return answer.status_code, _OWN.sub("*", answer.text)


async def play(world: World, story: Story) -> list[Step]:
    """Play a story undisturbed."""
    playing, done = Play(world, story), list[Step]()
    async for verb in playing.steps():
        before, status = await world.effects(), playing.status
        answer = await playing.do(verb)
        await playing.look()
        done.append(Step(verb, status, answer, await world.effects() - before, playing.status))
    await world.check_books()
    return done


@dataclass(frozen=True)
class Disturbed:
    """What came of a step in which connections were lost, and of all from there to the end."""

    answers: list[Any]
    effects: Effects
    after: str
    to_the_end: Effects


async def disturb(
    world: World, story: Story, done: list[Step], at: int, plan: Plan, *, jump: timedelta
) -> Disturbed:
    """Play a story up to step `at`, lose connections in it, and go on undisturbed to the end.

    After each loss time goes on by `jump`, but for a step of the worker: there it would be late for
    what comes next in the same step. Who is answered 503 asks again, and the worker has another
    round, also after `jump`.
    """
    playing = Play(world, story)
    steps = playing.steps()
    for step in done[:at]:
        assert await anext(steps) == step.verb
        await playing.do(step.verb)
        await playing.look()
    verb = await anext(steps)
    is_verb = verb not in {WORK, WAIT}
    is_heard = plan.losses != TO_THE_END
    if is_verb and is_heard:
        plan.after_loss = lambda: world.pass_time(jump)
    before = await world.effects()
    world.database.plan = plan
    answers = [await playing.do(verb)]
    world.database.plan = None
    if not is_heard and (not is_verb or answers[0][0] == _UNAVAILABLE):
        world.pass_time(jump if is_verb else timedelta())
        answers.append(await playing.again(verb))
    await playing.look()
    effects, after = await world.effects() - before, playing.status
    async for rest in steps:
        await playing.do(rest)
        await playing.look()
    # What was sent twice, such as a simulated deposit, goes back.
    await playing.do(WAIT)
    await world.check_books()
    return Disturbed(answers, effects, after, await world.effects() - before)


@asynccontextmanager
async def make_world(dsn: str) -> AsyncGenerator[World]:
    """A payer with a bank account and much money, and who is paid."""
    database = cast("LostCommits", await LostCommits.connect(dsn, name="tests", size_max=4))
    clock = FrozenClock(datetime(2026, 3, 2, 12, tzinfo=UTC), lane=await take_lane(database))
    house = wire(SETTINGS, database, clock)
    async with served(house) as client:
        cast_ = await make_cast(await make_tenant(house, client))
        await fund(cast_.org, cast_.payer, "1000000")
        outside = await register(cast_.org, cast_.payer, asks.OUTSIDE)
        path = f"/v2/users/{cast_.payer}/virtual-accounts"
        wanted = {"sourceCurrency": "usd", "destinationCurrency": "usdc"}
        account = await cast_.org.post(path, {**wanted, "destinationChain": "POLYGON"})
        virtual = f"{path}/{account['accountInfo']['id']}"
        yield World(database, clock, cast_, outside, virtual)
    await database.close()
