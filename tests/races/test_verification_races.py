"""One case, moved by many at once, through two processes' worth of pools on one database."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import httpx2
import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.customers.verification import service
from landbridge.customers.verification.model import TRANSITIONS, KycStatus
from landbridge.customers.verification.reviews import ReviewChoice
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.identity.port import ApplicationStatus, StillPending
from tests.customers.verification.verification_setup import (
    VerificationServices,
    case_of,
    decision_request,
    history_of,
    reviewer,
    run,
    services_with,
    submitted,
)
from tests.people import make_person, status_of, submit
from tests.providers.identity.contract import approved
from tests.providers.identity.faulty import ScriptedIdentity
from tests.tenants import SETTINGS, Tenant, make_tenant, refusal, served

QUEUE = "/v2/reviews/kyc"
DECISIONS: list[dict[str, Any]] = [
    {"decision": "approve"},
    {"decision": "reject", "rejectReasons": ["FORGED"]},
    {"decision": "retry", "rejectReasons": ["BLURRED"]},
    {"decision": "requestInformation", "comment": "Send it."},
]
SOON = timedelta(seconds=6)


@pytest.fixture
async def database_b(dsn: str) -> AsyncIterator[Database]:
    """Connection pool of a second process."""
    database = await Database.connect(dsn, name="tests b", size_max=8)
    yield database
    await database.close()


@pytest.fixture
async def pair(database: Database, database_b: Database) -> AsyncIterator[tuple[Tenant, Tenant]]:
    """One organisation that reviews by hand, spoken to through two houses."""
    settings = msgspec.structs.replace(SETTINGS, identity="manual")
    houses = [wire(settings, each, Clock(await take_node(each))) for each in (database, database_b)]
    async with served(houses[0]) as client_a, served(houses[1]) as client_b:
        org = await make_tenant(houses[0], client_a)
        yield org, Tenant(houses[1], client_b, org.caller, org.key)


async def test_one_of_concurrent_decisions_counts(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    for _ in range(5):
        user = await make_person(org)
        await submit(org, user)
        (review,) = (await org.get(QUEUE))["reviews"]
        answers = await asyncio.gather(
            *(
                pair[index % 2].send("POST", f"{QUEUE}/{review['id']}", DECISIONS[index % 4])
                for index in range(12)
            )
        )
        assert Counter(map(_outcome, answers)) == {"200": 1, "409 RESOURCE_CONFLICT": 11}
        (decided,) = [each.json() for each in answers if each.status_code == 200]
        assert (await status_of(org, user))["status"] == decided["status"]
        assert len((await org.get(f"{QUEUE}/{review['id']}"))["history"]) == 2


async def test_many_submissions_at_once_are_one(pair: tuple[Tenant, Tenant]) -> None:
    org = pair[0]
    user = await make_person(org)
    path = f"/v2/users/{user}/kyc/submissions"
    for already in (False, True):
        answers = await asyncio.gather(
            *(pair[index % 2].send("POST", path, {"rails": "USD"}) for index in range(12))
        )
        assert {each.status_code for each in answers} == {200}
        submitted_statuses = {each.json()["USD"]["status"] for each in answers}
        assert "INACTIVE" not in submitted_statuses
        review = (await org.get(QUEUE))["reviews"][0]
        case = await case_of(services_with(org.container, ScriptedIdentity()), org, user)
        assert case.round == (2 if already else 1)
        if not already:
            body = {"decision": "retry", "rejectReasons": ["BLURRED"]}
            await org.post(f"{QUEUE}/{review['id']}", body)


async def test_concurrent_workers_submit_a_case_once(
    org: Tenant, database: Database, database_b: Database
) -> None:
    identity = ScriptedIdentity()
    desks = await _services_of(identity, database, database_b)
    users = [await make_person(org) for _ in range(3)]
    cases = [await submitted(desks[0], org, user) for user in users]
    identity.answers |= {each.key: approved() for each in cases}
    await asyncio.gather(*(run(each, org) for each in desks * 4))
    assert identity.calls["create"] == identity.calls["submit"] == len(users)
    await asyncio.gather(*(run(each, org, ahead=SOON) for each in desks * 4))
    assert identity.calls["status"] == len(users)
    for user in users:
        found = await case_of(desks[0], org, user)
        assert await history_of(org, found) == [
            KycStatus.CREATED,
            KycStatus.PENDING,
            KycStatus.ACTIVE,
        ]


async def test_an_answer_that_comes_back_late_changes_nothing(
    org: Tenant, database: Database, database_b: Database
) -> None:
    slow = Slow()
    desks = await _services_of(slow, database, database_b)
    user = await make_person(org)
    case = await submitted(desks[0], org, user)
    await run(desks[0], org)
    slow.answers[case.key] = StillPending(retry_after=None)
    late = asyncio.create_task(run(desks[0], org, ahead=SOON))
    await slow.is_queried.wait()
    # The first call is still pending when its claim expires, and another worker calls.
    slow.answers[case.key] = approved()
    slow.is_slow = False
    await run(desks[1], org, ahead=SOON + timedelta(seconds=31))
    before = await case_of(desks[0], org, user)
    assert before.status is KycStatus.ACTIVE
    slow.may_answer.set()
    await late
    assert await case_of(desks[0], org, user) == before


async def test_revoking_and_submitting_again_at_once_keep_to_the_table(
    pair: tuple[Tenant, Tenant],
) -> None:
    org = pair[0]
    services = [services_with(each.container, ScriptedIdentity()) for each in pair]
    user = await make_person(org)
    await submit(org, user)
    (review,) = (await org.get(QUEUE))["reviews"]
    for _ in range(4):
        await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve"})
        case = await case_of(services[0], org, user)
        caller = reviewer(org).caller
        outcomes = await asyncio.gather(
            *(
                each.reviews.decide(caller, case.id, decision_request(ReviewChoice.REVOKE))
                for each in services
            ),
            *(each.verification.submit(org.caller, case.user_id, [case.rail]) for each in services),
            return_exceptions=True,
        )
        assert sum(not isinstance(each, BaseException) for each in outcomes[:2]) == 1
        found = await case_of(services[0], org, user)
        assert found.status is KycStatus.MANUAL_REVIEW
        assert TRANSITIONS.is_path(KycStatus.INACTIVE, tuple(await history_of(org, found)))


class Slow(ScriptedIdentity):
    """Keeps the first question about a status waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.is_slow = True
        self.is_queried, self.may_answer = asyncio.Event(), asyncio.Event()

    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        standing = await super().status(reference, waited=waited)
        if self.is_slow:
            self.is_queried.set()
            await self.may_answer.wait()
        return standing


async def _services_of(
    identity: ScriptedIdentity, *databases: Database
) -> list[VerificationServices]:
    return [
        services_with(wire(SETTINGS, each, Clock(await take_node(each))), identity)
        for each in databases
    ]


def _outcome(answer: httpx2.Response) -> str:
    return "200" if answer.status_code == 200 else refusal(answer)


async def test_a_sandbox_answers_at_once_though_a_worker_is_as_fast(
    org: Tenant, database_b: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half a minute instead of a second: the test is about the wait, not the speed.
    monkeypatch.setattr(service, "_POLLS_MAX", 600)
    worker = wire(SETTINGS, database_b, Clock(await take_node(database_b))).verification
    offsets = {org.org_id: timedelta()}

    async def work() -> None:
        while True:
            await worker.run_due(offsets)

    async def verify() -> None:
        user = await make_person(org, lastName="Approval")
        await submit(org, user)
        assert (await status_of(org, user))["status"] == "ACTIVE"

    working = asyncio.create_task(work())
    try:
        for _ in range(4):
            await asyncio.gather(*(verify() for _ in range(8)))
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
