"""Any sequence of requests, votes, reviews and changes of roles, policies and time.

Against a model. Roles change between asking and voting, policies between two requests. After every
step the books hold exactly what waits, and in the log each approval has at most one end.
HYPOTHESIS_PROFILE=long runs it for as long as a coffee takes.
"""

import asyncio
import os
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from landbridge.approvals.model import (
    OFFRAMP_LIFETIME,
    ON_CHAIN_LIFETIME,
    Approval,
    Choice,
    Policy,
)
from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Refused, ResourceConflict, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.db.pool import Database
from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import InsufficientBalance
from landbridge.orgs.service import take_lane
from landbridge.web.caller import Caller, Member, Role
from landbridge.wiring import wire
from tests.approvals.flow import KIND, MOVES, World, make_world
from tests.make import MOVES_BY_KIND, make_org
from tests.tenants import SETTINGS

T = TypeVar("T")

# (sequences, steps of each); a step takes about 10 ms.
RUNS = {"default": (25, 30), "long": (2_000, 40)}
FUNDS = 1_000
MEMBERS, KEYS = 3, 2
# Never lands on a deadline: those are days after moments that have no such fraction.
STEP = timedelta(hours=7, seconds=1.7)

ENDS = """
select c.object_id, count(*) as ends
from changes c
where c.org_id = $1 and c.kind = 'APPROVAL' and c.what in ('approve', 'reject', 'expire')
group by c.object_id
"""
SELF_VOTES = """
select v.approver_id
from votes v
join approvals a on a.org_id = v.org_id and a.id = v.approval_id
where v.org_id = $1 and v.approver_id = a.initiator_id and (a.is_from_dashboard or a.needs_second)
"""


@dataclass
class Known:
    """What the model knows of an approval."""

    approval: Approval
    units: int
    maker: int
    policy: Policy
    votes: dict[int, Choice] = field(default_factory=dict[int, Choice])
    status: str = "PENDING"
    in_review: bool = False


class ApprovalMachine(RuleBasedStateMachine):
    """An organisation beside its model. Actors 0 to 2 are members, 3 and 4 are keys."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    actors = st.integers(0, MEMBERS + KEYS - 1)

    @initialize()
    def begin(self) -> None:
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        start = datetime(2026, 5, 1, tzinfo=UTC)
        self.clock = FrozenClock(start, lane=await take_lane(self.database))
        house = wire(SETTINGS, self.database, self.clock)
        org_id = await make_org(self.database)
        self.world: World = await make_world(
            house, self.database, org_id, units=FUNDS, clock=self.clock
        )
        self.ids: list[UUID] = [new_id() for _ in range(MEMBERS + KEYS)]
        self.roles: list[Role] = [Role.ADMIN, Role.ADMIN, Role.MEMBER]
        self.may_approve: list[bool] = [True, True]
        self.policy = Policy()
        self.known: list[Known] = []
        self.spent = 0

    def caller(self, actor: int) -> Caller:
        """Somebody, with the role of now."""
        if actor < MEMBERS:
            caller = Caller(self.world.org_id, None, timedelta())
            return replace(caller, member=Member(self.ids[actor], self.roles[actor]))
        may = self.may_approve[actor - MEMBERS]
        return Caller(self.world.org_id, self.ids[actor], timedelta(), can_approve=may)

    @rule(actor=actors, units=st.integers(1, 400), is_short=st.booleans())
    def ask(self, actor: int, units: int, *, is_short: bool) -> None:
        lifetime = OFFRAMP_LIFETIME if is_short else ON_CHAIN_LIFETIME
        work = self.world.ask(self.caller(actor), units=units, lifetime=lifetime)
        if units > FUNDS - self.spent - self._held():
            assert isinstance(self.outcome(work), InsufficientBalance)
            return
        self.known.append(Known(self.wait_for(work), units, actor, self.policy))

    @precondition(lambda self: self.known)
    @rule(data=st.data(), actor=actors, choice=st.sampled_from(Choice))
    def vote(self, data: st.DataObject, actor: int, choice: Choice) -> None:
        known = data.draw(st.sampled_from(self.known))
        verb = self.world.voting.approve
        if choice is Choice.REJECT:
            verb = self.world.voting.reject
        came = self.outcome(verb(self.caller(actor), known.approval.id, "said"))
        expected = self._why_not(known, actor)
        if expected is not None:
            assert isinstance(came, expected), came
            return
        assert isinstance(came, Approval), came
        known.votes[actor] = choice
        for_it = list(known.votes.values()).count(Choice.APPROVE)
        if choice is Choice.REJECT:
            known.status = "REJECTED"
        elif for_it == known.policy.threshold:
            known.status = "APPROVED"
            self.spent += known.units
        assert came.status == known.status
        assert came.for_it == for_it

    def _why_not(self, known: Known, actor: int) -> type[Refused] | None:
        is_member = actor < MEMBERS
        may = self.roles[actor] is Role.ADMIN if is_member else self.may_approve[actor - MEMBERS]
        is_own = actor == known.maker and (is_member or known.policy.needs_second)
        if not may or is_own:
            return RoleNotAllowed
        is_over = known.status != "PENDING" or self.clock.at >= known.approval.expires_at
        if is_over or actor in known.votes or known.in_review:
            return ResourceConflict
        return None

    @rule(member=st.integers(0, MEMBERS - 1), role=st.sampled_from(Role))
    def change_role(self, member: int, role: Role) -> None:
        self.roles[member] = role

    @rule(key=st.integers(0, KEYS - 1), may=st.booleans())
    def change_key(self, key: int, *, may: bool) -> None:
        self.may_approve[key] = may

    @rule(threshold=st.integers(1, 3), needs_second=st.booleans())
    def change_policy(self, threshold: int, *, needs_second: bool) -> None:
        self.policy = Policy(threshold=threshold, needs_second=needs_second)
        at = self.clock.stamp()
        approvals = self.world.approvals
        self.wait_for(approvals.set_policy(self.world.org_id, self.policy, actor="test", at=at))

    @precondition(lambda self: any(each.status == "PENDING" for each in self.known))
    @rule(data=st.data())
    def review(self, data: st.DataObject) -> None:
        waiting = [each for each in self.known if each.status == "PENDING"]
        known = data.draw(st.sampled_from(waiting))
        self.wait_for(self.world.review(known.approval, back=known.in_review))
        known.in_review = not known.in_review

    @rule(steps=st.integers(1, 30))
    def pass_time(self, steps: int) -> None:
        self.clock.at += steps * STEP

    @rule()
    def work(self) -> None:
        for known in self.known:
            lapsed = self.wait_for(self.world.lapse(known.approval, self.clock.stamp()))
            is_due = self.clock.at >= known.approval.expires_at
            assert lapsed == (known.status == "PENDING" and is_due)
            if lapsed:
                known.status = "EXPIRED"

    @invariant()
    def the_wallet_holds_exactly_what_waits(self) -> None:
        held = self._held()
        assert self.wait_for(self.world.balance()) == (FUNDS - self.spent - held, held)

    @invariant()
    def approvals_are_the_models(self) -> None:
        ids = [each.approval.transfer_id for each in self.known]
        found = self.wait_for(self.world.approvals.of(self.world.org_id, ids))
        for known in self.known:
            approval = found[known.approval.transfer_id]
            votes = {vote.approver_id: vote.choice for vote in approval.votes}
            assert votes == {self.ids[actor]: choice for actor, choice in known.votes.items()}
            assert approval.status == known.status
            status = self.wait_for(self.world.status(known.approval))
            waiting = "IN_REVIEW" if known.in_review else "PENDING_APPROVAL"
            ends = {"PENDING": waiting, "APPROVED": "CREATED"}
            assert status == ends.get(known.status, known.status)

    def teardown(self) -> None:
        """Once time runs on, nothing waits, each has one end, and nobody voted for themselves."""
        if not hasattr(self, "world"):
            return
        self.pass_time(30)
        self.work()
        self.the_wallet_holds_exactly_what_waits()
        assert not self._held()
        self.wait_for(self._check_end())

    async def _check_end(self) -> None:
        org_id = self.world.org_id
        ends = {row["object_id"]: row["ends"] for row in await self.database.rows(ENDS, org_id)}
        assert ends == {each.approval.id: 1 for each in self.known}
        assert not await self.database.rows(SELF_VOTES, org_id)
        audited = await audit(self.database, {**MOVES_BY_KIND, KIND: MOVES}, {}, org_id=org_id)
        assert audited.is_clean, table(audited)

    def _held(self) -> int:
        return sum(each.units for each in self.known if each.status == "PENDING")

    def outcome(self, work: Coroutine[Any, Any, T]) -> T | Refused:
        """What it answers, or why it is refused."""
        try:
            return self.wait_for(work)
        except Refused as refused:
            return refused

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)


def test_no_sequence_decides_a_payment_twice_or_by_its_maker(dsn: str) -> None:
    examples, steps = RUNS[os.environ.get("HYPOTHESIS_PROFILE", "default")]
    with asyncio.Runner() as runner:
        database = runner.run(Database.connect(dsn, name="approval machine", size_max=4))
        ApprovalMachine.runner = runner
        ApprovalMachine.database = database
        run_state_machine_as_test(
            ApprovalMachine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
        runner.run(database.close())
