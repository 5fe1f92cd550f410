"""Claims and counters that run again after a lost answer recognise their own effect.

These run in `make test`; a whole run over verbs and steps is `make test-long`.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import cast
from uuid import UUID

import pytest

from landbridge.app.container import Container
from landbridge.customers.team import passkey_store
from landbridge.customers.team.errors import TooManyAttempts
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject, LoginRateLimit
from landbridge.customers.verification.cases import VerificationCases, VerificationEmails
from landbridge.developers.webhooks.delivery.endpoint_worker import LEASE
from landbridge.developers.webhooks.delivery.lease_store import EndpointLease, acquire
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent
from landbridge.platform.mail.port import OutboundEmail
from tests.customers.verification.verification_setup import services_with, submitted
from tests.developers.webhooks.rows import make_endpoint
from tests.lost_commits.database import ONCE, REPEATEDLY, Loss, LostCommits, Plan
from tests.make import TRANSITIONS, make_org, opening
from tests.people import make_person
from tests.providers.identity.faulty import ScriptedIdentity
from tests.tenants import Tenant

BOTH = pytest.mark.parametrize("losses", [ONCE, REPEATEDLY], ids=["once", "repeatedly"])


@pytest.fixture
async def losing(dsn: str) -> AsyncIterator[LostCommits]:
    database = cast("LostCommits", await LostCommits.connect(dsn, name="tests", size_max=3))
    yield database
    await database.close()


@BOTH
async def test_login_attempt_is_counted_once(
    container: Container, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    clock, subject = FrozenClock(container.clock.now()), str(new_id())
    throttle = LoginRateLimit(losing, clock)
    for _ in range(FREE[AttemptSubject.OWN]):
        losing.plan = Plan(losses)
        await throttle.take(AttemptSubject.OWN, subject)
        assert losing.plan.hit
    with pytest.raises(TooManyAttempts):
        await throttle.take(AttemptSubject.OWN, subject)


@BOTH
async def test_only_one_login_attempt_is_refunded(
    container: Container, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    clock, subject = FrozenClock(container.clock.now()), str(new_id())
    throttle = LoginRateLimit(losing, clock)
    for _ in range(FREE[AttemptSubject.OWN] - 1):
        await throttle.take(AttemptSubject.OWN, subject)
    losing.plan = Plan(losses)
    await throttle.give_back(AttemptSubject.OWN, subject)
    assert losing.plan.hit
    losing.plan = None
    for _ in range(2):
        await throttle.take(AttemptSubject.OWN, subject)
    with pytest.raises(TooManyAttempts):
        await throttle.take(AttemptSubject.OWN, subject)


async def test_challenge_is_used_once_by_a_repeated_use(
    database: Database, container: Container
) -> None:
    challenge, browser, at = new_id().bytes, new_id().bytes, container.clock.stamp()
    until = at + timedelta(minutes=5)

    async def take(moment: timedelta) -> bool:
        return await database.single(
            lambda tx: passkey_store.take_challenge(tx, challenge, browser, at + moment)
        )

    for _ in range(2):
        await database.single(lambda tx: passkey_store.add_challenge(tx, challenge, browser, until))
    uses = [await take(timedelta(microseconds=each)) for each in (0, 0, 1, 0)]
    assert uses == [True, True, False, True]


class EmailCollector(list[OutboundEmail]):
    """Mail transport that collects messages."""

    async def send(self, message: OutboundEmail) -> None:
        self.append(message)


@BOTH
async def test_email_is_claimed_and_sent_once(
    container: Container, org: Tenant, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    sent, owner, clock = EmailCollector(), new_id(), FrozenClock(container.clock.now())
    outbox = Outbox(losing, container.vault, clock, sent)

    async def put() -> None:
        key = await container.database.transact(
            lambda tx: container.vault.make(tx, org.org_id, owner)
        )
        email = SealedEmailContent("ada@example.com", "Your form", "Please open it.")
        await container.database.transact(
            lambda tx: outbox.put(tx, org_id=org.org_id, owner_id=owner, key=key, email=email)
        )

    await put()
    losing.plan = Plan(losses)
    losing.plan.after_loss = lambda: setattr(clock, "at", clock.at + timedelta(milliseconds=1))
    await outbox.run_once([org.org_id])
    assert (losing.plan.hit > 0, len(sent)) == (True, 1)
    losing.plan = None
    clock.at += timedelta(days=1)
    await outbox.run_once([org.org_id])
    assert len(sent) == 1


@BOTH
async def test_create_without_postings_is_no_replay_of_itself(
    losing: LostCommits, container: Container, losses: tuple[Loss, ...]
) -> None:
    org_id = await make_org(losing)
    first = opening(org_id, at=container.clock.stamp())
    losing.plan = Plan(losses)
    created = await Ledger(losing).create(first, TRANSITIONS)
    assert isinstance(created, CreatedTransfer)
    assert not created.is_replay
    assert losing.plan.hit
    losing.plan = None
    again = await Ledger(losing).create(replace(first, at=container.clock.stamp()), TRANSITIONS)
    assert isinstance(again, CreatedTransfer)
    assert again.is_replay


@BOTH
async def test_a_case_is_claimed_once(
    container: Container, org: Tenant, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    at = services_with(container, ScriptedIdentity())
    case = await submitted(at, org, await make_person(org))
    cases = VerificationCases(losing, container.vault, VerificationEmails(container.outbox))
    now = container.clock.stamp()
    losing.plan = Plan(losses)
    claimed = await cases.claim(case, now)
    assert (losing.plan.hit > 0, claimed is not None) == (True, True)
    assert claimed == await at.cases.get(org.org_id, case.id)
    assert await at.cases.claim(case, container.clock.stamp()) is None


@BOTH
async def test_worker_keeps_the_lease_it_took(
    container: Container, org: Tenant, losing: LostCommits, losses: tuple[Loss, ...]
) -> None:
    created = UUID(await make_endpoint(org))
    now = container.clock.now()
    lease, other = (EndpointLease(org.org_id, created, new_id(), now + LEASE) for _ in range(2))
    losing.plan = Plan(losses)
    assert await losing.single(partial(acquire, lease=lease, now=now))
    assert losing.plan.hit
    assert not await losing.single(partial(acquire, lease=other, now=now))
