"""A name on the sanctions list needs a manual review, despite a provider or a test name."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any, TypeVar

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.rescreening import NoSanctionsList
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.providers.identity.port import RejectType
from landbridge.providers.screening.model import (
    OFAC_SDN,
    SanctionsEntry,
    SanctionsEntryType,
    SanctionsList,
)
from landbridge.providers.screening.service import Screening
from tests.customers.verification.verification_setup import case_of, run, services_with, submitted
from tests.people import make_business, make_person, status_of, submit
from tests.providers.identity.contract import approved, declined
from tests.providers.identity.faulty import ScriptedIdentity
from tests.tenants import SETTINGS, Tenant, make_tenant, refusal, sentence, served
from tests.waiting import waits_for

T = TypeVar("T")
QUEUE = "/v2/reviews/kyc"
LISTED = ("Zorblax Quuxington", "Quuxington Trading House")


@pytest.fixture
async def org(own_database: Database) -> AsyncIterator[Tenant]:
    """Organisation of an own installation: sanctions lists are shared by all organisations."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def rescreened(org: Tenant) -> tuple[int, int]:
    """Return how many cases were compared again, and how many were opened."""
    offsets = await org.container.orgs.clock_offsets()
    found = await org.container.rescreening.run(offsets, batch_size=2)
    return found.compared, found.opened


async def load(org: Tenant, *names: str) -> None:
    """Load these entries as the sanctions list."""
    entries = [
        SanctionsEntry(
            id=str(index),
            type=SanctionsEntryType.ENTITY if "House" in name else SanctionsEntryType.INDIVIDUAL,
            names=(name,),
            programs=("TEST",),
            birth_dates=(),
        )
        for index, name in enumerate(names)
    ]
    digest = sha256("".join(names).encode()).hexdigest()
    list_ = SanctionsList(OFAC_SDN, digest, None, tuple(entries))
    await org.container.screening.load(list_, is_forced=True)


async def test_every_case_of_one_submission_is_compared_again(org: Tenant) -> None:
    await load(org, *LISTED)
    user = await make_person(org, last_name="Approval")
    body = {"rails": [each.value for each in Rail]}
    await org.post(f"/v2/users/{user}/kyc/submissions", body)
    assert (await rescreened(org))[0] == len(Rail)


async def test_a_listed_person_goes_to_a_reviewer_even_with_a_name_that_approves(
    org: Tenant,
) -> None:
    await load(org, *LISTED)
    user = await make_person(
        org, last_name="Approval", firstName="Zorblax", lastName="Quuxington", middleName=None
    )
    await submit(org, user)
    answer = await org.send("GET", f"/v2/users/{user}/kyc/status", rails="USD")
    assert answer.json()["status"] == "MANUAL_REVIEW"
    assert answer.json()["reviewResult"] == {}
    (listed,) = (await org.get(QUEUE))["reviews"]
    assert listed["screening"]["hits"] == [
        {"list": "OFAC SDN", "category": "SANCTIONS", "program": "TEST", "score": 100}
    ]
    review = await org.get(f"{QUEUE}/{listed['id']}")
    (hit,) = review["screening"]["hits"]
    assert hit["listed_name"] == LISTED[0]
    assert review["screening"]["listVersion"]
    for word in ("listed", "sanction", "OFAC", review["screening"]["listVersion"]):
        assert word not in answer.text
    await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve", "note": "Somebody else."})
    assert (await status_of(org, user))["status"] == "ACTIVE"


@pytest.mark.parametrize(
    "kyc", [{"owner_name": "Approval", "tradeName": LISTED[1]}, {"name": LISTED[1]}]
)
async def test_a_listed_business_goes_to_a_reviewer(org: Tenant, kyc: dict[str, Any]) -> None:
    await load(org, *LISTED)
    user = await make_business(org, **kyc)
    await submit(org, user, Rail.GLOBAL_NETWORK)
    assert (await status_of(org, user, Rail.GLOBAL_NETWORK))["status"] == "MANUAL_REVIEW"


async def test_a_listed_owner_sends_the_business_to_a_reviewer(org: Tenant) -> None:
    await load(org, "Ada Quuxington")
    user = await make_business(org, owner_name="Quuxington", name="Approval")
    await submit(org, user)
    assert (await status_of(org, user))["status"] == "MANUAL_REVIEW"


async def test_a_user_listed_after_approval_needs_a_review(org: Tenant) -> None:
    await load(org, *LISTED)
    user = await make_person(org, last_name="Approval", firstName="Zorblax", middleName=None)
    business = await make_business(org, owner_name="Approval", name="Approval")
    for each in (user, business):
        await submit(org, each)
        assert (await status_of(org, each))["status"] == "ACTIVE"
    assert await rescreened(org) == (2, 0)
    await load(org, *LISTED, "Zorblax Approval")
    assert await rescreened(org) == (2, 1)
    assert (await status_of(org, user))["status"] == "MANUAL_REVIEW"
    assert (await status_of(org, business))["status"] == "ACTIVE"
    (waiting,) = (await org.get(QUEUE))["reviews"]
    review = await org.get(f"{QUEUE}/{waiting['id']}")
    (hit,) = review["screening"]["hits"]
    assert hit["listed_name"] == "Zorblax Approval"
    assert review["history"][-1]["actor"] == "sanctions list"
    await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve", "note": "Somebody else."})
    assert await rescreened(org) == (2, 0)
    await load(org, *LISTED, "Zorblax Approval", "APPROVAL, Zorblax")
    assert await rescreened(org) == (2, 1)
    assert await rescreened(org) == (1, 0)


async def the_review(org: Tenant) -> dict[str, Any]:
    """Return the only case in the queue, with details."""
    (waiting,) = (await org.get(QUEUE))["reviews"]
    return await org.get(f"{QUEUE}/{waiting['id']}")


async def waiting_person(org: Tenant) -> tuple[str, dict[str, Any]]:
    """Submit a listed person; return them and the review."""
    await load(org, *LISTED)
    user = await make_person(org, firstName="Zorblax", lastName="Quuxington", middleName=None)
    await submit(org, user)
    return user, await the_review(org)


async def during_a_load(org: Tenant, act: Callable[[], Awaitable[T]], *names: str) -> T:
    """Return the result of `act`, started while a load lacks only its entries; it must wait."""
    database = org.container.database

    async def work(tx: Tx) -> tuple[asyncio.Task[None], asyncio.Future[T]]:
        await tx.execute("lock table sanctions_entries in exclusive mode")
        loading = asyncio.create_task(load(org, *names))
        loader = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        acting = asyncio.ensure_future(act())
        await waits_for(database, loader)
        return loading, acting

    loading, acting = await database.transact(work)
    await loading
    return await acting


async def test_an_approval_does_not_cover_hits_of_a_newer_list(org: Tenant) -> None:
    user, review = await waiting_person(org)
    approve = {"decision": "approve", "version": review["version"]}
    await load(org, *LISTED, "QUUXINGTON, Zorblax")
    path = f"{QUEUE}/{review['id']}"
    answer = await org.send("POST", path, approve)
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "the entries OFAC SDN 2 (TEST)" in sentence(answer)
    assert "Zorblax" not in answer.text.title()
    assert (await status_of(org, user))["status"] == "MANUAL_REVIEW"
    again = await the_review(org)
    assert {each["listed_name"] for each in again["screening"]["hits"]} == {
        LISTED[0],
        "QUUXINGTON, Zorblax",
    }
    assert again["history"][-1]["actor"] == "sanctions list"
    assert "has version" in sentence(await org.send("POST", path, approve))
    await org.post(path, {**approve, "version": again["version"]})
    assert (await status_of(org, user))["status"] == "ACTIVE"
    assert await rescreened(org) == (1, 0)


async def test_an_approval_after_a_list_without_new_hits_counts(org: Tenant) -> None:
    _, review = await waiting_person(org)
    await load(org, *LISTED, "Somebody Else")
    decided = await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve"})
    assert decided["status"] == "ACTIVE"
    assert decided["screening"]["listVersion"] != review["screening"]["listVersion"]


async def test_an_approval_waits_for_a_load_and_compares_with_what_it_brings(org: Tenant) -> None:
    _, review = await waiting_person(org)
    answer = await during_a_load(
        org,
        lambda: org.send("POST", f"{QUEUE}/{review['id']}", {"decision": "approve"}),
        *LISTED,
        "QUUXINGTON, Zorblax",
    )
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert len((await the_review(org))["screening"]["hits"]) == 2


async def test_a_load_waits_for_an_approval_and_comparing_again_finds_it(org: Tenant) -> None:
    user, review = await waiting_person(org)
    database = org.container.database

    async def work(tx: Tx) -> tuple[asyncio.Task[Any], asyncio.Task[None]]:
        await tx.fetch("select from kyc_cases where org_id = $1 for update", org.org_id)
        path = f"{QUEUE}/{review['id']}"
        approving = asyncio.create_task(org.post(path, {"decision": "approve"}))
        approver = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        loading = asyncio.create_task(load(org, *LISTED, "QUUXINGTON, Zorblax"))
        await waits_for(database, approver)
        return approving, loading

    approving, loading = await database.transact(work)
    assert (await approving)["status"] == "ACTIVE"
    await loading
    assert await rescreened(org) == (1, 1)
    assert (await status_of(org, user))["status"] == "MANUAL_REVIEW"


@pytest.mark.parametrize("before", [LISTED[1:], ()])
async def test_an_answer_of_the_provider_waits_for_a_load_and_is_compared_again(
    org: Tenant, before: tuple[str, ...]
) -> None:
    if before:
        await load(org, *before)
    identity = ScriptedIdentity()
    services = services_with(org.container, identity)
    user = await make_person(org, firstName="Zorblax", lastName="Quuxington", middleName=None)
    case = await submitted(services, org, user)
    await run(services, org)
    identity.answers[case.key] = approved()
    await during_a_load(org, lambda: run(services, org, ahead=timedelta(seconds=6)), *LISTED)
    found = await case_of(services, org, user)
    assert found.status is KycStatus.MANUAL_REVIEW
    assert [hit["listed_name"] for hit in found.findings.hits] == [LISTED[0]]


async def test_more_approved_cases_than_a_batch_are_compared_each_once(org: Tenant) -> None:
    await load(org, *LISTED)
    for _ in range(3):
        user = await make_person(org, last_name="Approval")
        await submit(org, user)
        assert (await status_of(org, user))["status"] == "ACTIVE"
    assert await rescreened(org) == (3, 0)
    await load(org, *LISTED, "Ada Approval")
    assert await rescreened(org) == (3, 3)


async def test_nothing_is_compared_again_without_a_list(org: Tenant) -> None:
    user = await make_person(org, last_name="Approval")
    await submit(org, user)
    await status_of(org, user)
    with pytest.raises(NoSanctionsList):
        await rescreened(org)


async def test_an_unlisted_user_is_not_delayed(org: Tenant) -> None:
    await load(org, *LISTED)
    user = await make_person(org, last_name="Approval")
    await submit(org, user)
    assert (await status_of(org, user))["status"] == "ACTIVE"


@pytest.mark.parametrize("is_approved", [True, False])
async def test_a_user_listed_during_the_provider_check_needs_a_review(
    org: Tenant, *, is_approved: bool
) -> None:
    identity = ScriptedIdentity()
    services = services_with(org.container, identity)
    user = await make_person(org, firstName="Zorblax", lastName="Quuxington", middleName=None)
    case = await submitted(services, org, user)
    await run(services, org)
    answer = approved() if is_approved else declined(RejectType.FINAL, "FORGED")
    identity.answers[case.key] = answer
    await load(org, *LISTED)
    await run(services, org, ahead=timedelta(seconds=6))
    found = await case_of(services, org, user)
    assert found.status is KycStatus.MANUAL_REVIEW
    assert found.findings.hits
    assert found.findings.review is None
    expected = KycStatus.ACTIVE if is_approved else KycStatus.REJECTED
    assert found.findings.history[-1].status is expected


async def test_no_user_is_approved_without_a_required_list(org: Tenant) -> None:
    identity = ScriptedIdentity()
    strict = Screening(
        org.container.database, org.container.clock, score_min=88, required_lists=[OFAC_SDN]
    )
    services = services_with(replace(org.container, screening=strict), identity)
    user = await make_person(org, last_name="Approval")
    await submitted(services, org, user)
    await run(services, org)
    found = await case_of(services, org, user)
    assert found.status is KycStatus.MANUAL_REVIEW
    assert (found.findings.hits, found.findings.list_version) == ((), None)
    assert not identity.calls


@pytest.mark.parametrize("mode", list(Mode))
async def test_production_needs_a_list_and_a_sandbox_does_not(org: Tenant, mode: Mode) -> None:
    settings = structs.replace(SETTINGS, mode=mode)
    container = wire(settings, org.container.database, org.container.clock)
    screened = await container.screening.screen([])
    assert screened.lacks_list == (mode is Mode.PRODUCTION)


async def test_a_listed_user_is_not_submitted_to_the_provider(org: Tenant) -> None:
    identity = ScriptedIdentity()
    services = services_with(org.container, identity)
    await load(org, *LISTED)
    user = await make_person(org, firstName="Zorblax", lastName="Quuxington", middleName=None)
    await submitted(services, org, user)
    await run(services, org)
    assert not identity.calls
    found = await case_of(services, org, user)
    assert found.status is KycStatus.MANUAL_REVIEW


async def test_an_incomparable_name_needs_a_review(org: Tenant) -> None:
    await load(org, *LISTED)
    user = await make_person(
        org, last_name="Approval", firstName="Иван", lastName="Петров", middleName=None
    )
    await submit(org, user)
    assert (await status_of(org, user))["status"] == "MANUAL_REVIEW"
    (listed,) = (await org.get(QUEUE))["reviews"]
    assert listed["screening"]["unreadCount"] == 1
    review = await org.get(f"{QUEUE}/{listed['id']}")
    assert review["screening"]["unread"] == ["Иван Петров"]


async def test_a_local_spelling_next_to_a_screened_name_needs_no_review(org: Tenant) -> None:
    await load(org, *LISTED)
    user = await make_person(org, last_name="Approval", lastNameLocal="Петров")
    await submit(org, user)
    assert (await status_of(org, user))["status"] == "ACTIVE"
