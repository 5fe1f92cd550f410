"""State machine of requests, votes, reviews and changes of roles, policies and time.

It compares the services with a model. Roles change between request and vote, policies between two
requests. After every step the ledger holds exactly the pending amounts, and each approval has at
most one end in the change log. HYPOTHESIS_PROFILE=long runs it for several minutes.
"""

import asyncio
import os
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypeVar
from uuid import UUID

import pytest
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

from landbridge.app.container import wire
from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import InsufficientBalance
from landbridge.payments.approvals.model import (
    OFFRAMP_LIFETIME,
    ON_CHAIN_LIFETIME,
    Approval,
    ApprovalPolicy,
    VoteChoice,
)
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Refused, ResourceConflict, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from landbridge.platform.orgs.clock_nodes import take_node
from tests.make import MOVES_BY_KIND, make_org
from tests.payments.approvals.flow import KIND, TRANSITIONS, World, make_world
from tests.tenants import SETTINGS

T = TypeVar("T")

# (sequences, steps of each); a step takes about 10 ms.
RUNS = {"default": (8, 30), "medium": (25, 30), "long": (2_000, 40)}
FUNDS = 1_000
MEMBERS, KEYS = 3, 2
# The fraction keeps every moment off the deadlines, which are days after moments without it.
STEP = timedelta(hours=7, seconds=1.7)

ENDS = """
select c.object_id, count(*) as ends
from changes c
where c.org_id = $1 and c.kind = 'APPROVAL' and c.change_type in ('approve', 'reject', 'expire')
group by c.object_id
"""
SELF_VOTES = """
select v.approver_id
from approval_votes v
join approvals a on a.org_id = v.org_id and a.id = v.approval_id
where v.org_id = $1 and v.approver_id = a.initiator_id and (a.is_from_dashboard or a.needs_second)
"""


@dataclass
class Known:
    """Approval as the model knows it."""

    approval: Approval
    units: int
    maker: int
    policy: ApprovalPolicy
    votes: dict[int, VoteChoice] = field(default_factory=dict[int, VoteChoice])
    status: str = "PENDING"
    in_review: bool = False


class ApprovalMachine(RuleBasedStateMachine):
    """Organisation and its model. Actors 0 to 2 are members, 3 and 4 are keys."""

    runner: ClassVar[asyncio.Runner]
    database: ClassVar[Database]

    actors = st.integers(0, MEMBERS + KEYS - 1)

    @initialize()
    def begin(self) -> None:
        self.wait_for(self._begin())

    async def _begin(self) -> None:
        start = datetime(2026, 5, 1, tzinfo=UTC)
        self.clock = FrozenClock(start, node=await take_node(self.database))
        container = wire(SETTINGS, self.database, self.clock)
        org_id = await make_org(self.database)
        self.world: World = await make_world(
            container, self.database, org_id, units=FUNDS, clock=self.clock
        )
        self.ids: list[UUID] = [new_id() for _ in range(MEMBERS + KEYS)]
        self.roles: list[MemberRole] = [MemberRole.ADMIN, MemberRole.ADMIN, MemberRole.MEMBER]
        self.may_approve: list[bool] = [True, True]
        self.policy = ApprovalPolicy()
        self.known: list[Known] = []
        self.spent = 0

    def caller(self, actor: int) -> Caller:
        """Return an actor as caller, with the current role."""
        if actor < MEMBERS:
            caller = Caller(self.world.org_id, None, timedelta())
            return replace(caller, member=SignedInMember(self.ids[actor], self.roles[actor]))
        may = self.may_approve[actor - MEMBERS]
        return Caller(self.world.org_id, self.ids[actor], timedelta(), can_approve=may)

    @rule(actor=actors, units=st.integers(1, 400), is_short=st.booleans())
    def request_payment(self, actor: int, units: int, *, is_short: bool) -> None:
        lifetime = OFFRAMP_LIFETIME if is_short else ON_CHAIN_LIFETIME
        work = self.world.request_payment(self.caller(actor), units=units, lifetime=lifetime)
        if units > FUNDS - self.spent - self._held():
            assert isinstance(self.outcome(work), InsufficientBalance)
            return
        self.known.append(Known(self.wait_for(work), units, actor, self.policy))

    @precondition(lambda self: self.known)
    @rule(data=st.data(), actor=actors, choice=st.sampled_from(VoteChoice))
    def vote(self, data: st.DataObject, actor: int, choice: VoteChoice) -> None:
        known = data.draw(st.sampled_from(self.known))
        verb = self.world.voting.approve
        if choice is VoteChoice.REJECT:
            verb = self.world.voting.reject
        outcomes = self.outcome(verb(self.caller(actor), known.approval.id, "said"))
        expected = self._why_not(known, actor)
        if expected is not None:
            assert isinstance(outcomes, expected), outcomes
            return
        assert isinstance(outcomes, Approval), outcomes
        known.votes[actor] = choice
        votes_for = list(known.votes.values()).count(VoteChoice.APPROVE)
        if choice is VoteChoice.REJECT:
            known.status = "REJECTED"
        elif votes_for == known.policy.threshold:
            known.status = "APPROVED"
            self.spent += known.units
        assert outcomes.status == known.status
        assert outcomes.votes_for == votes_for

    def _why_not(self, known: Known, actor: int) -> type[Refused] | None:
        is_member = actor < MEMBERS
        may = (
            self.roles[actor] is MemberRole.ADMIN
            if is_member
            else self.may_approve[actor - MEMBERS]
        )
        is_own = actor == known.maker and (is_member or known.policy.needs_second)
        if not may or is_own:
            return RoleNotAllowed
        is_over = known.status != "PENDING" or self.clock.at >= known.approval.expires_at
        if is_over or actor in known.votes or known.in_review:
            return ResourceConflict
        return None

    @rule(member=st.integers(0, MEMBERS - 1), role=st.sampled_from(MemberRole))
    def change_role(self, member: int, role: MemberRole) -> None:
        self.roles[member] = role

    @rule(key=st.integers(0, KEYS - 1), may=st.booleans())
    def change_key(self, key: int, *, may: bool) -> None:
        self.may_approve[key] = may

    @rule(threshold=st.integers(1, 3), needs_second=st.booleans())
    def change_policy(self, threshold: int, *, needs_second: bool) -> None:
        self.policy = ApprovalPolicy(threshold=threshold, needs_second=needs_second)
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
        """Check that nothing stays pending, each approval ends once, and none is self-approved."""
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
        audited = await audit(
            self.database, {**MOVES_BY_KIND, KIND: TRANSITIONS}, {}, org_id=org_id
        )
        assert audited.is_clean, table(audited)

    def _held(self) -> int:
        return sum(each.units for each in self.known if each.status == "PENDING")

    def outcome(self, work: Coroutine[Any, Any, T]) -> T | Refused:
        """Return the result of a call, or the refusal."""
        try:
            return self.wait_for(work)
        except Refused as refused:
            return refused

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)


@pytest.mark.machine
def test_no_sequence_decides_a_payment_twice_or_by_its_creator(dsn: str) -> None:
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
