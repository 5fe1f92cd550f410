"""Verification of users by a sidecar: webhooks, late and contradictory answers."""

from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.reviews import ReviewChoice
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import application_store
from landbridge.providers.sidecar.signing import SigningSecret
from tests.customers.verification.verification_setup import decision_request
from tests.people import make_person
from tests.providers.sidecar.identity_sidecar import (
    VerifiedBySidecar,
    reviewer,
    verified_by_sidecar,
)
from tests.providers.sidecar.kit import KEY

S = KycStatus
QUERY = "/v1/applications/query"
HOUR = timedelta(hours=1)


@pytest.fixture
async def verified(database: Database, tmp_path: Path) -> AsyncGenerator[VerifiedBySidecar]:
    async with verified_by_sidecar(database, tmp_path) as found:
        yield found


async def test_a_webhook_has_an_application_queried_at_once(verified: VerifiedBySidecar) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    sidecar.state, sidecar.changes = "pending", {"expectedInSeconds": 86_400}
    await verified.submit(user)
    await verified.work(HOUR)
    sidecar.state, sidecar.changes = "approved", {}
    await verified.work(HOUR)
    assert await verified.status(user) is S.PENDING
    for _ in range(3):
        assert await verified.announce(sidecar.key) == 204
    await verified.work()
    assert await verified.status(user) is S.ACTIVE
    asked = len(sidecar.messages(QUERY))
    # A late one changes nothing.
    assert await verified.announce(sidecar.key) == 204
    await verified.work()
    await verified.work()
    assert len(sidecar.messages(QUERY)) == asked + 1
    assert await verified.problems() == []


async def test_a_webhook_of_nothing_known_or_without_a_signature_is_refused(
    verified: VerifiedBySidecar,
) -> None:
    await verified.submit(await make_person(verified.org))
    wrong = SigningSecret(KEY.id, b"another secret, which nobody configured here")
    assert await verified.announce("018f0000-0000-7000-8000-000000000000") == 404
    assert await verified.announce(verified.sidecar.key, name="other") == 404
    assert await verified.announce(verified.sidecar.key, signed_by=wrong) == 401


async def test_a_webhook_that_is_faster_than_our_record_is_not_lost(
    verified: VerifiedBySidecar,
) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    sidecar.statuses["/v1/applications/submit"] = 503
    await verified.submit(user)
    assert (await verified.case(user)).reference is None
    assert await verified.announce(sidecar.key) == 204
    await verified.work()
    sidecar.statuses.clear()
    # The provider has it, and expects an answer much later than the webhook said.
    sidecar.state, sidecar.changes = "pending", {"expectedInSeconds": 86_400}
    await verified.work(timedelta(seconds=70))
    sidecar.state, sidecar.changes = "approved", {}
    await verified.announce(sidecar.key)
    await verified.work()
    assert await verified.status(user) is S.ACTIVE


@pytest.mark.parametrize(("first", "then"), [("approved", "declined"), ("declined", "approved")])
async def test_a_contradiction_changes_nothing_and_is_listed(
    verified: VerifiedBySidecar, first: str, then: str
) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    sidecar.state = first
    await verified.submit(user)
    await verified.work(HOUR)
    before = await verified.case(user)
    assert before.status is (S.ACTIVE if first == "approved" else S.REJECTED)
    for state in (then, first, "pending"):
        sidecar.state = state
        assert await verified.announce(sidecar.key) == 204
        await verified.work()
        assert await verified.problems() == ["CONTRADICTION"]
    assert await verified.case(user) == before
    assert (await verified.provider())["problemCount"] == 1
    stored = await verified.application(sidecar.key)
    assert stored is not None
    assert await verified.container.database.single(
        lambda tx: application_store.close(tx, verified.name, stored.key)
    )
    assert await verified.problems() == []
    # The same again is known, another problem is listed again.
    sidecar.state = then
    await verified.announce(sidecar.key)
    await verified.work()
    assert await verified.problems() == []


async def test_a_contradiction_before_our_record_goes_to_a_reviewer(
    verified: VerifiedBySidecar,
) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    sidecar.state = "pending"
    await verified.submit(user)
    stored = await verified.application(sidecar.key)
    assert stored is not None
    # An answer is stored, and the worker was killed before the case was.
    await verified.container.database.rows(
        "update provider_applications set state = 'DECLINED' where key = $1 returning 1", stored.key
    )
    sidecar.state = "approved"
    await verified.work(HOUR)
    case = await verified.case(user)
    assert case.status is S.MANUAL_REVIEW
    assert case.findings.history[-1].note is not None
    assert await verified.problems() == ["CONTRADICTION"]


@pytest.mark.parametrize("state", ["information", "retry"])
async def test_what_a_person_corrects_at_the_provider_needs_no_submission(
    verified: VerifiedBySidecar, state: str
) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    sidecar.state = state
    await verified.submit(user)
    await verified.work(HOUR)
    waits = S.RFI_PENDING if state == "information" else S.INCOMPLETE
    assert await verified.status(user) is waits
    # A doubled webhook about the request itself changes nothing.
    await verified.announce(sidecar.key)
    await verified.work()
    assert await verified.status(user) is waits
    sidecar.state = "pending"
    await verified.announce(sidecar.key)
    await verified.work()
    assert await verified.status(user) is S.PENDING
    sidecar.state = "approved"
    await verified.announce(sidecar.key)
    await verified.work()
    assert await verified.status(user) is S.ACTIVE
    assert len(sidecar.messages("/v1/applications")) == 1


async def test_a_provider_does_not_overrule_what_a_reviewer_requested(
    verified: VerifiedBySidecar,
) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    sidecar.state = "review"
    await verified.submit(user)
    await verified.work(HOUR)
    case = await verified.case(user)
    await verified.container.kyc_reviews.decide(
        reviewer(verified.org).caller,
        case.id,
        decision_request(ReviewChoice.REQUEST_INFORMATION, comment="Why?"),
    )
    sidecar.state = "approved"
    await verified.announce(sidecar.key)
    await verified.work()
    assert await verified.status(user) is S.RFI_PENDING
