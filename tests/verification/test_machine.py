"""Random stories of one case, against a model that knows only the table of the contract.

Submissions, answers of a provider (also to submissions of long ago), messages (also twice, late and
about anything), decisions of reviewers, crashes at any call, and time.
"""

import asyncio
import json
import os
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Rejected, ResourceConflict, Unavailable, Unclear
from landbridge.db.pool import Database
from landbridge.identity.port import (
    InformationAsked,
    ManualReviewAsked,
    RejectType,
    Standing,
    StillPending,
)
from landbridge.kyc.model import Rail
from landbridge.orgs.service import take_lane
from landbridge.verification.errors import KycDataInvalid
from landbridge.verification.model import MOVES, Case, KycStatus
from landbridge.verification.reviews import Choice
from landbridge.wiring import wire
from tests.identity.contract import approved, declined
from tests.identity.faulty import SECRET, ScriptedIdentity
from tests.people import make_person
from tests.tenants import SETTINGS, Tenant, make_tenant, served
from tests.verification.play import Desk, case_of, desk, history_of, reviewer, told

S = KycStatus
# Stories; an event takes about 10 ms.
RUNS = {"default": 40, "long": 3_000}

ANSWERS: list[Standing] = [
    approved(),
    declined(RejectType.RETRY, "BLURRED"),
    declined(RejectType.FINAL, "FORGED"),
    InformationAsked(comment="More."),
    ManualReviewAsked(),
    StillPending(ask_after=None),
    StillPending(ask_after=timedelta(seconds=5)),
]
FAULTS = [Unavailable("down"), Unclear("?"), Rejected("no"), RuntimeError("a bug")]
CALLS = ["create", "attach", "submit", "status"]
DECISIONS = [
    told(Choice.APPROVE),
    told(Choice.REJECT, "FORGED"),
    told(Choice.RETRY, "BLURRED"),
    told(Choice.REQUEST_INFORMATION, comment="More."),
    told(Choice.REVOKE),
    told(Choice.REVOKE, "FRAUD"),
]

events = st.one_of(
    # What moves a case on comes often, so that stories get somewhere.
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


class Story:
    """One case and what may become of it."""

    def __init__(self, at: Desk, identity: ScriptedIdentity, org: Tenant, user: str) -> None:
        self.at, self.identity, self.org, self.user = at, identity, org, user
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
                await self.at.verification.receive(raw, headers, offsets)
            case ("decide", decision):
                await self._decide(decision)
            case ("fault", call, error, is_after):
                setattr(self.identity, "after" if is_after else "before", Once(call, error))
            case ("pass", seconds):
                self.offset += timedelta(seconds=seconds)
                await self.at.verification.run_all({self.org.org_id: self.offset})
            case _:
                raise AssertionError(event)
        await self.check()

    def _key(self, back: int) -> str:
        """Of the submission so many before the last; every story begins with one."""
        return self.keys[max(-len(self.keys), -1 - back)]

    async def _submit(self) -> None:
        before = await self._status()
        caller = replace(self.org.caller, clock_offset=self.offset)
        try:
            made = await self.at.verification.submit(caller, UUID(self.user), [Rail.USD])
        except ResourceConflict:
            assert before is S.REJECTED
            return
        after = made[Rail.USD]
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
        is_revoking = decision.choice is Choice.REVOKE
        may = case.status is (S.ACTIVE if is_revoking else S.MANUAL_REVIEW)
        wanted = {
            Choice.APPROVE: S.ACTIVE,
            Choice.REJECT: S.REJECTED,
            Choice.RETRY: S.INCOMPLETE,
            Choice.REQUEST_INFORMATION: S.RFI_PENDING,
            Choice.REVOKE: S.REJECTED if decision.reject_reasons else S.MANUAL_REVIEW,
        }[decision.choice]
        caller = reviewer(self.org).caller
        try:
            decided, _ = await self.at.reviews.decide(caller, case.id, decision)
        except ResourceConflict:
            assert not may
        else:
            assert may
            assert decided.status is wanted

    async def check(self) -> None:
        """The log tells one run of allowed moves, and the row stands where it ends."""
        case = await self._case()
        if case is None:
            assert not self.keys
            return
        path = await history_of(self.org, case)
        assert path[: len(self.seen)] == self.seen
        self.seen = path
        assert MOVES.is_path(S.INACTIVE, tuple(path))
        assert case.status is path[-1]
        assert case.version == len(path)
        assert case.round == len(self.keys)
        assert (case.due_at is not None) <= (case.status in {S.CREATED, S.PENDING})
        assert (case.findings.review is not None) <= (
            case.status in {S.ACTIVE, S.INCOMPLETE, S.REJECTED}
        )
        # However often it was tried, the provider has one application for each submission.
        assert set(self.identity.made) <= set(self.keys)

    async def end(self) -> None:
        """When faults end and time runs on, the case comes to rest."""
        self.identity.before = self.identity.after = Once("", Rejected())
        self.identity.answers.clear()
        self.identity.default = approved()
        for _ in range(3):
            await self.play(("pass", 7200))
        case = await self._case()
        if case is not None and case.due_at is None and case.status is S.PENDING:
            # It was told to wait until a message comes.
            await self.play(("message", 0))
            await self.play(("pass", 1))
            case = await self._case()
        assert case is None or case.status not in {S.CREATED, S.PENDING}

    async def _case(self) -> Case | None:
        with suppress(AssertionError):
            return await case_of(self.at, self.org, self.user)
        return None

    async def _status(self) -> KycStatus:
        case = await self._case()
        return S.INACTIVE if case is None else case.status


class Once:
    """Raises at the next such call."""

    def __init__(self, call: str, error: Exception) -> None:
        self.call, self.error, self.is_spent = call, error, False

    def __call__(self, call: str) -> None:
        if call == self.call and not self.is_spent:
            self.is_spent = True
            raise self.error


async def _play(org: Tenant, user: str, story: list[tuple[Any, ...]]) -> None:
    """A story from its beginning: the case of the one before is forgotten."""
    for statement in (
        "delete from changes where org_id = $1 and kind = 'KYC.STATUS'",
        "delete from kyc_cases where org_id = $1",
    ):
        await org.house.database.rows(statement, org.org_id)
    identity = ScriptedIdentity()
    played = Story(desk(org.house, identity), identity, org, user)
    await played.play(("submit",))
    for event in story:
        with suppress(KycDataInvalid):
            await played.play(event)
    await played.end()


def test_any_story_keeps_to_the_table(dsn: str) -> None:
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        org, user = runner.run(_begin(stack, dsn))

        @settings(
            max_examples=RUNS[os.environ.get("HYPOTHESIS_PROFILE", "default")],
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        )
        @given(st.lists(events, min_size=8, max_size=30))
        def stories(story: list[tuple[Any, ...]]) -> None:
            runner.run(_play(org, user, story))

        stories()
        runner.run(stack.aclose())


async def _begin(stack: AsyncExitStack, dsn: str) -> tuple[Tenant, str]:
    """A person who has told enough, in a house whose clock stands still."""
    database = await Database.connect(dsn, name="stories", size_max=4)
    stack.push_async_callback(database.close)
    clock = FrozenClock(datetime(2026, 6, 1, tzinfo=UTC), lane=await take_lane(database))
    house = wire(SETTINGS, database, clock)
    client = await stack.enter_async_context(served(house))
    org = await make_tenant(house, client)
    return org, await make_person(org)
