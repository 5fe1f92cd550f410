"""Random event sequences of one case, against a model based on the contract's table alone.

Events are submissions, provider answers (also to old submissions), messages (also repeated, late
and about anything), decisions of reviewers, crashes at any call, and time.
"""

import asyncio
import json
import os
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.errors import KycDataInvalid
from landbridge.customers.verification.model import TRANSITIONS, KycStatus, VerificationCase
from landbridge.customers.verification.reviews import ReviewChoice
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Rejected, ResourceConflict, Unavailable, Unclear
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.identity.port import (
    ApplicationStatus,
    InformationRequested,
    ManualReviewRequested,
    RejectType,
    StillPending,
)
from tests.customers.verification.verification_setup import (
    VerificationServices,
    case_of,
    decision_request,
    history_of,
    reviewer,
    services_with,
)
from tests.people import make_person
from tests.providers.identity.contract import approved, declined
from tests.providers.identity.faulty import SECRET, ScriptedIdentity
from tests.tenants import SETTINGS, Tenant, make_tenant, served

S = KycStatus
# Number of sequences; an event takes about 10 ms.
RUNS = {"default": 12, "medium": 40, "long": 3_000}

ANSWERS: list[ApplicationStatus] = [
    approved(),
    declined(RejectType.RETRY, "BLURRED"),
    declined(RejectType.FINAL, "FORGED"),
    InformationRequested(comment="More."),
    ManualReviewRequested(),
    StillPending(retry_after=None),
    StillPending(retry_after=timedelta(seconds=5)),
]
FAULTS = [Unavailable("down"), Unclear("?"), Rejected("no"), RuntimeError("a bug")]
CALLS = ["create", "attach", "submit", "status"]
DECISIONS = [
    decision_request(ReviewChoice.APPROVE),
    decision_request(ReviewChoice.REJECT, "FORGED"),
    decision_request(ReviewChoice.RETRY, "BLURRED"),
    decision_request(ReviewChoice.REQUEST_INFORMATION, comment="More."),
    decision_request(ReviewChoice.REVOKE),
    decision_request(ReviewChoice.REVOKE, "FRAUD"),
]

events = st.one_of(
    # Events that advance a case are frequent, so that sequences reach late statuses.
    st.tuples(st.just("submit")),
    st.tuples(st.just("submit")),
    st.tuples(st.just("conclude"), st.sampled_from(ANSWERS)),
    st.tuples(st.just("conclude"), st.sampled_from(ANSWERS[:5])),
    st.tuples(st.just("decide"), st.sampled_from(DECISIONS)),
    st.tuples(st.just("answer"), st.sampled_from(ANSWERS), st.integers(0, 2)),
    st.tuples(st.just("message"), st.integers(0, 2)),
    st.tuples(st.just("decide"), st.sampled_from(DECISIONS)),
    st.tuples(st.just("fault"), st.sampled_from(CALLS), st.sampled_from(FAULTS), st.booleans()),
    st.tuples(st.just("pass"), st.integers(0, 200)),
)


class CaseHistory:
    """One case and the events that may affect it."""

    def __init__(
        self, services: VerificationServices, identity: ScriptedIdentity, org: Tenant, user: str
    ) -> None:
        self.services, self.identity, self.org, self.user = services, identity, org, user
        self.offset = timedelta()
        self.keys: list[str] = []
        self.seen: list[KycStatus] = []

    async def play(self, event: tuple[Any, ...]) -> None:
        match event:
            case ("submit",):
                await self._submit()
            case ("answer", answer, back):
                self.identity.answers[self._key(back)] = answer
            case ("conclude", answer):
                self.identity.answers[self._key(0)] = answer
                for _ in range(2):
                    await self.play(("pass", 7))
            case ("message", back):
                raw, headers = json.dumps({"key": self._key(back)}).encode(), {"x-secret": SECRET}
                offsets = {self.org.org_id: self.offset}
                await self.services.verification.receive(raw, headers, offsets)
            case ("decide", decision):
                await self._decide(decision)
            case ("fault", call, error, is_after):
                setattr(self.identity, "after" if is_after else "before", Once(call, error))
            case ("pass", seconds):
                self.offset += timedelta(seconds=seconds)
                await self.services.verification.run_all({self.org.org_id: self.offset})
            case _:
                raise AssertionError(event)
        await self.check()

    def _key(self, back: int) -> str:
        """Return the key of an earlier submission; every sequence begins with one."""
        return self.keys[max(-len(self.keys), -1 - back)]

    async def _submit(self) -> None:
        before = await self._status()
        caller = replace(self.org.caller, clock_offset=self.offset)
        try:
            created = await self.services.verification.submit(caller, UUID(self.user), [Rail.USD])
        except ResourceConflict:
            assert before is S.REJECTED
            return
        after = created[Rail.USD]
        if before is S.INACTIVE:
            assert after.status is S.CREATED
        elif before in {S.INCOMPLETE, S.RFI_PENDING, S.CONTACT_SUPPORT}:
            assert after.status is S.PENDING
        else:
            assert after.status is before
        if not self.keys or after.key != self.keys[-1]:
            self.keys.append(after.key)

    async def _decide(self, decision: Any) -> None:
        case = await self._case()
        if case is None:
            return
        is_revoking = decision.choice is ReviewChoice.REVOKE
        may = case.status is (S.ACTIVE if is_revoking else S.MANUAL_REVIEW)
        expected = {
            ReviewChoice.APPROVE: S.ACTIVE,
            ReviewChoice.REJECT: S.REJECTED,
            ReviewChoice.RETRY: S.INCOMPLETE,
            ReviewChoice.REQUEST_INFORMATION: S.RFI_PENDING,
            ReviewChoice.REVOKE: S.REJECTED if decision.reject_reasons else S.MANUAL_REVIEW,
        }[decision.choice]
        caller = reviewer(self.org).caller
        try:
            decided, _ = await self.services.reviews.decide(caller, case.id, decision)
        except ResourceConflict:
            assert not may
        else:
            assert may
            assert decided.status is expected

    async def check(self) -> None:
        """Check that the log has one path of allowed transitions, ending at the stored status."""
        case = await self._case()
        if case is None:
            assert not self.keys
            return
        path = await history_of(self.org, case)
        assert path[: len(self.seen)] == self.seen
        self.seen = path
        assert TRANSITIONS.is_path(S.INACTIVE, tuple(path))
        assert case.status is path[-1]
        assert case.version == len(path)
        assert case.round == len(self.keys)
        assert (case.due_at is not None) <= (case.status in {S.CREATED, S.PENDING})
        assert (case.findings.review is not None) <= (
            case.status in {S.ACTIVE, S.INCOMPLETE, S.REJECTED}
        )
        # However often it was tried, the provider has one application for each submission.
        assert set(self.identity.created_checks) <= set(self.keys)

    async def end(self) -> None:
        """Check that without faults the case settles after a while."""
        self.identity.before = self.identity.after = Once("", Rejected())
        self.identity.answers.clear()
        self.identity.default = approved()
        for _ in range(3):
            await self.play(("pass", 7200))
        case = await self._case()
        if case is not None and case.due_at is None and case.status is S.PENDING:
            # The provider requires waiting until a message arrives.
            await self.play(("message", 0))
            await self.play(("pass", 1))
            case = await self._case()
        assert case is None or case.status not in {S.CREATED, S.PENDING}

    async def _case(self) -> VerificationCase | None:
        with suppress(AssertionError):
            return await case_of(self.services, self.org, self.user)
        return None

    async def _status(self) -> KycStatus:
        case = await self._case()
        return S.INACTIVE if case is None else case.status


class Once:
    """Fault that raises at the next such call."""

    def __init__(self, call: str, error: Exception) -> None:
        self.call, self.error, self.is_spent = call, error, False

    def __call__(self, call: str) -> None:
        if call == self.call and not self.is_spent:
            self.is_spent = True
            raise self.error


async def _play(org: Tenant, user: str, events_: list[tuple[Any, ...]]) -> None:
    """Run a sequence on a new case: the case of the previous one is deleted."""
    for statement in (
        "delete from changes where org_id = $1 and kind = 'KYC.STATUS'",
        "delete from kyc_cases where org_id = $1",
    ):
        await org.container.database.rows(statement, org.org_id)
    identity = ScriptedIdentity()
    simulated = CaseHistory(services_with(org.container, identity), identity, org, user)
    await simulated.play(("submit",))
    for event in events_:
        with suppress(KycDataInvalid):
            await simulated.play(event)
    await simulated.end()


@pytest.mark.machine
def test_any_sequence_of_events_follows_the_transitions(dsn: str) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        org, user = runner.run(_begin(stack, dsn))

        @settings(
            max_examples=RUNS[os.environ.get("HYPOTHESIS_PROFILE", "default")],
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        @given(st.lists(events, min_size=8, max_size=30))
        def run_any_sequence(steps: list[tuple[Any, ...]]) -> None:
            runner.run(_play(org, user, steps))

        run_any_sequence()
        runner.run(stack.aclose())


async def _begin(stack: AsyncExitStack, dsn: str) -> tuple[Tenant, str]:
    """Return a person with complete data, in a container with a stopped clock."""
    database = await Database.connect(dsn, name="stories", size_max=4)
    stack.push_async_callback(database.close)
    clock = FrozenClock(datetime(2026, 6, 1, tzinfo=UTC), node=await take_node(database))
    container = wire(SETTINGS, database, clock)
    client = await stack.enter_async_context(served(container))
    org = await make_tenant(container, client)
    return org, await make_person(org)
