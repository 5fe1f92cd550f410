"""Verification of users by a sidecar: every answer, silence, refusals and erasure."""

import base64
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from landbridge.customers.verification.model import KycStatus
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar.applications import ApplicationProgress
from tests.dashboard.browsing import visit
from tests.long import few_of
from tests.people import make_business, make_person, submit
from tests.providers.sidecar.identity_sidecar import (
    VerifiedBySidecar,
    verified_by_sidecar,
)
from tests.tenants import Tenant, sentence

S = KycStatus
QUERY = "/v1/applications/query"
HOUR = timedelta(hours=1)


@pytest.fixture
async def verified(database: Database, tmp_path: Path) -> AsyncGenerator[VerifiedBySidecar]:
    async with verified_by_sidecar(database, tmp_path) as found:
        yield found


async def test_a_person_is_verified_with_what_we_hold(verified: VerifiedBySidecar) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    reply = await submit(verified.org, user)
    # The request does not wait for the provider.
    assert (reply["status"], sidecar.calls) == ("CREATED", [])
    await verified.work()
    await verified.work(HOUR)
    assert await verified.status(user) is S.ACTIVE
    assert [path for path, _ in sidecar.calls] == [
        "/v1/applications",
        "/v1/applications/documents",
        "/v1/applications/submit",
        QUERY,
    ]
    (created,) = sidecar.messages("/v1/applications")
    assert created["orgId"] == str(verified.org.org_id)
    assert (created["isBusiness"], created["rail"]) == (False, "USD")
    assert (created["facts"]["lastName"], created["lastName"]) == ("Example", "Example")
    (attached,) = sidecar.messages("/v1/applications/documents")
    assert attached["key"] == created["key"]
    assert "url" in attached or base64.b64decode(attached["file"])
    case = await verified.case(user)
    assert case.reference is not None
    assert case.reference.startswith(f"provider:{verified.name}:")
    stored = await verified.application(sidecar.key)
    assert stored is not None
    assert (stored.state, stored.reference) == (
        ApplicationProgress.APPROVED,
        f"check-{sidecar.key}",
    )


async def test_a_business_is_verified_with_its_owners(verified: VerifiedBySidecar) -> None:
    user = await make_business(verified.org, owner_name="Holder")
    await verified.submit(user)
    await verified.work(HOUR)
    assert await verified.status(user) is S.ACTIVE
    (created,) = verified.sidecar.messages("/v1/applications")
    (owner,) = created["owners"]
    assert (created["isBusiness"], created["businessName"]) == (True, "Example Ltd")
    assert (owner["lastName"], owner["facts"]["lastName"]) == ("Holder", "Holder")
    attached = verified.sidecar.messages("/v1/applications/documents")
    assert owner["id"] in {each.get("ownerId") for each in attached}
    assert len({each["documentId"] for each in attached}) == len(attached)


@pytest.mark.parametrize(
    ("state", "changes", "status"),
    [
        ("pending", {}, S.PENDING),
        ("approved", {}, S.ACTIVE),
        ("declined", {"rejectReasons": ["FORGED"]}, S.REJECTED),
        ("retry", {"rejectReasons": ["BLURRED"], "fields": ["lastName"]}, S.INCOMPLETE),
        ("information", {}, S.RFI_PENDING),
        ("review", {"note": "Odd."}, S.MANUAL_REVIEW),
    ],
)
async def test_each_state_leads_where_it_should(
    verified: VerifiedBySidecar, state: str, changes: dict[str, Any], status: KycStatus
) -> None:
    verified.sidecar.state, verified.sidecar.changes = state, changes
    user = await make_person(verified.org)
    await verified.submit(user)
    await verified.work(HOUR)
    case = await verified.case(user)
    assert case.status is status
    if reasons := changes.get("rejectReasons"):
        assert case.findings.review is not None
        assert [*case.findings.review.result.reject_reasons] == reasons
    if state == "information":
        assert case.findings.asked_for == "Say where the funds come from."
    if state == "review":
        assert case.findings.history[-1].note == "Odd."
    assert await verified.problems() == []


@pytest.mark.parametrize(
    ("path", "status"), [("/v1/applications", 500), ("/v1/applications/submit", 503), (QUERY, 503)]
)
async def test_a_provider_without_an_answer_never_decides(
    verified: VerifiedBySidecar, path: str, status: int
) -> None:
    verified.sidecar.statuses[path] = status
    user = await make_person(verified.org)
    await verified.submit(user)
    for _ in range(3):
        await verified.work(9 * HOUR)
    assert await verified.status(user) in {S.CREATED, S.PENDING}
    shown = await verified.provider()
    assert (shown["waitingCount"], shown["health"]) == (1, "FAILING")
    (waiting,) = shown["waiting"]
    assert (waiting["userId"], waiting["isStuck"]) == (user, True)
    assert waiting["problem"] == (None if status == 503 else "ANSWER_INVALID")
    verified.sidecar.statuses.clear()
    for _ in range(3):
        await verified.work(2 * HOUR)
    assert await verified.status(user) is S.ACTIVE
    shown = await verified.provider()
    assert (shown["waitingCount"], shown["problemCount"]) == (0, 0)
    # However often it was asked, it has one application.
    assert len(verified.sidecar.states) == 1


@pytest.mark.parametrize(
    "changes",
    few_of(
        [
            {"state": "fine"},
            {"state": "created"},
            {"key": "018f0000-0000-7000-8000-000000000000"},
            {"providerReference": "two words"},
            {"rejectReasons": ["x" * 301]},
            {"state": "information", "comment": ""},
            {"documents": {"018f0000-0000-7000-8000-000000000000": {"state": "declined"}}},
            {"fields": ["lastName"]},
        ],
        2,
    ),
)
async def test_an_answer_that_can_not_be_used_decides_nothing(
    verified: VerifiedBySidecar, changes: dict[str, Any]
) -> None:
    verified.sidecar.changes = changes
    user = await make_person(verified.org)
    await verified.submit(user)
    for _ in range(4):
        await verified.work(HOUR)
    assert await verified.status(user) is S.PENDING
    assert await verified.problems() == (
        [] if changes == {"state": "created"} else ["ANSWER_INVALID"]
    )
    verified.sidecar.changes = {}
    for _ in range(2):
        await verified.work(2 * HOUR)
    assert await verified.status(user) is S.ACTIVE
    assert await verified.problems() == []


@pytest.mark.parametrize(
    "path", ["/v1/applications", "/v1/applications/documents", "/v1/applications/submit"]
)
async def test_a_refusal_leads_to_support_and_a_new_submission_to_a_new_application(
    verified: VerifiedBySidecar, path: str
) -> None:
    verified.sidecar.statuses[path] = 422
    user = await make_person(verified.org)
    await verified.submit(user)
    assert await verified.status(user) is S.CONTACT_SUPPORT
    refused = verified.sidecar.key
    stored = await verified.application(refused)
    assert stored is not None
    assert stored.state is ApplicationProgress.REFUSED
    assert (await verified.provider())["waitingCount"] == 0
    verified.sidecar.statuses.clear()
    await verified.submit(user)
    await verified.work(HOUR)
    assert await verified.status(user) is S.ACTIVE
    assert verified.sidecar.key != refused


async def test_a_key_with_something_else_waits_for_a_person(verified: VerifiedBySidecar) -> None:
    verified.sidecar.statuses["/v1/applications"] = 409
    user = await make_person(verified.org)
    await verified.submit(user)
    assert await verified.problems() == ["KEY_CONFLICT"]
    assert await verified.status(user) is S.CREATED


async def test_an_application_that_is_lost_decides_nothing(verified: VerifiedBySidecar) -> None:
    user = await make_person(verified.org)
    await verified.submit(user)
    verified.sidecar.forgets = True
    await verified.work(HOUR)
    assert await verified.status(user) is S.PENDING
    assert await verified.problems() == ["ANSWER_INVALID"]
    assert len(verified.sidecar.messages("/v1/applications")) == 1


async def test_erasure_deletes_the_application(verified: VerifiedBySidecar) -> None:
    user = await make_person(verified.org)
    await verified.submit(user)
    await verified.org.post(f"/v2/users/{user}/freeze", {})
    answer = await verified.org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert answer.status_code < 300
    assert await verified.application(verified.sidecar.key) is None
    asked = len(verified.sidecar.calls)
    assert await verified.announce(verified.sidecar.key) == 404
    await verified.work(HOUR)
    assert len(verified.sidecar.calls) == asked


async def test_no_log_and_no_row_has_personal_data(
    verified: VerifiedBySidecar, capfd: pytest.CaptureFixture[str]
) -> None:
    user = await make_person(verified.org, last_name="Marker-Person")
    verified.sidecar.changes = {"state": "fine", "comment": "Marker-Person"}
    await verified.submit(user)
    await verified.work(HOUR)
    verified.sidecar.statuses["/v1/applications/documents"] = 422
    await verified.work(HOUR)
    captured = capfd.readouterr()
    assert "Marker-Person" not in captured.out + captured.err
    rows = await verified.container.database.rows(
        "select a::text as text from provider_applications a where org_id = $1",
        verified.org.org_id,
    )
    assert "Marker-Person" not in str(rows)


async def test_providers_say_what_they_serve(verified: VerifiedBySidecar) -> None:
    await verified.submit(await make_person(verified.org))
    shown = await verified.provider()
    assert [(each["service"], each["rails"]) for each in shown["serves"]] == [("IDENTITY", None)]
    assert (shown["health"], shown["waitingCount"], shown["hasRunLive"]) == ("HEALTHY", 1, False)
    page = await (await visit(verified.org)).load("/dashboard/providers")
    section = page.text.partition(verified.name)[2]
    assert "Verification of users" in section
    assert "Waiting for it: 1" in section
    others = (await verified.org.get("/v2/providers"))["providers"][-1]
    assert (others["serves"][0]["isFallback"], others["waitingCount"]) == (True, 0)


async def test_a_share_token_reaches_the_provider(verified: VerifiedBySidecar) -> None:
    user = await make_person(verified.org)
    path, body = f"/v2/users/{user}/kyc/shared-submissions", {"shareToken": "token-1"}
    reply = await verified.org.post(path, {**body, "rails": ["USD"]})
    assert reply["USD"]["status"] == "CREATED"
    await verified.work()
    await verified.work(HOUR)
    assert await verified.status(user) is S.ACTIVE
    (created,) = verified.sidecar.messages("/v1/applications")
    assert created["shareToken"] == "token-1"


async def test_a_person_continues_at_the_provider(verified: VerifiedBySidecar) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    path = f"/v2/users/{user}/kyc/provider-links"
    assert (await verified.org.send("POST", path, {"rails": "USD"})).status_code == 409
    sidecar.state = "information"
    await verified.submit(user)
    await verified.work(HOUR)
    link = await verified.org.post(path, {"rails": "USD"})
    assert link["url"] == f"https://verify.example.com/{sidecar.key}"
    assert link["expiresAt"] is not None
    sidecar.statuses["/v1/applications/link"] = 404
    assert (await verified.org.send("POST", path, {"rails": "USD"})).status_code == 404
    sidecar.statuses["/v1/applications/link"] = 500
    assert (await verified.org.send("POST", path, {"rails": "USD"})).status_code == 503
    sidecar.statuses.clear()
    sidecar.state = "approved"
    await verified.announce(sidecar.key)
    await verified.work()
    await verified.work()
    assert await verified.status(user) is S.ACTIVE
    assert (await verified.org.send("POST", path, {"rails": "USD"})).status_code == 409


async def test_links_to_the_provider_have_a_rate(verified: VerifiedBySidecar) -> None:
    sidecar, user = verified.sidecar, await make_person(verified.org)
    path = f"/v2/users/{user}/kyc/provider-links"
    sidecar.state = "information"
    await verified.submit(user)
    await verified.work(HOUR)
    statuses = [
        (await verified.org.send("POST", path, {"rails": "USD"})).status_code for _ in range(30)
    ]
    assert statuses[:5] == [200] * 5
    assert 429 in statuses
    assert len(sidecar.messages("/v1/applications/link")) == statuses.count(200)
    refused = await verified.org.send("POST", path, {"rails": "USD"})
    while refused.status_code == 200:
        refused = await verified.org.send("POST", path, {"rails": "USD"})
    assert int(refused.headers["Retry-After"]) >= 1


async def test_the_sandbox_takes_no_share_token_and_has_no_page(org: Tenant) -> None:
    user = await make_person(org, last_name="Pending")
    path = f"/v2/users/{user}/kyc"
    shared = {"rails": "USD", "shareToken": "a"}
    answer = await org.send("POST", f"{path}/shared-submissions", shared)
    assert "nobody can take a share token" in sentence(answer)
    await submit(org, user)
    answer = await org.send("POST", f"{path}/provider-links", {"rails": "USD"})
    assert answer.status_code == 404
