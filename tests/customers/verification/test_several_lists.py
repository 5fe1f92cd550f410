"""Hits of several lists on one case: each has its list, and is decided by itself."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.cases import VerificationCases, VerificationEmails
from landbridge.customers.verification.model import case_id, list_of, queued
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.screening.model import EU_LIST, OFAC_SDN
from tests.people import make_person, status_of, submit
from tests.providers.screening.lists import person, sanctions_list
from tests.tenants import SETTINGS, Tenant, make_tenant, refusal, sentence, served

QUEUE = "/v2/reviews/kyc"
PEP = "PEP Nowhere"


@pytest.fixture
async def org(own_database: Database) -> AsyncIterator[Tenant]:
    """Organisation of an own installation: lists are shared by all organisations."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def load(org: Tenant, list_name: str, *names: str) -> None:
    """Load a list; the first entry of each has the same number."""
    entries = [person(each, name) for each, name in enumerate(names)]
    digest = str(len(names)) * 64
    new_list = replace(sanctions_list(entries, digest), name=list_name)
    await org.container.screening.load(new_list, is_forced=True)


async def rescreened(org: Tenant) -> tuple[int, int]:
    found = await org.container.rescreening.run(await org.container.orgs.clock_offsets())
    return found.compared, found.opened


async def approved_person(org: Tenant) -> str:
    user = await make_person(org, last_name="Approval", firstName="Zorblax", middleName=None)
    await submit(org, user)
    return user


async def waiting(org: Tenant) -> dict[str, Any]:
    (listed,) = (await org.get(QUEUE))["reviews"]
    found: dict[str, Any] = await org.get(f"{QUEUE}/{listed['id']}")
    return found


def lists(review: dict[str, Any]) -> Sequence[tuple[str, str, str]]:
    hits = review["screening"]["hits"]
    return [(each["list"], each["entry_id"], each["category"]) for each in hits]


async def test_a_politically_exposed_person_goes_to_a_reviewer(org: Tenant) -> None:
    await load(org, PEP, "APPROVAL, Zorblax")
    user = await approved_person(org)
    assert (await status_of(org, user))["status"] == "MANUAL_REVIEW"
    review = await waiting(org)
    assert lists(review) == [(PEP, "0", "POLITICALLY_EXPOSED_PERSON")]
    (listed,) = (await org.get(QUEUE))["reviews"]
    (hit,) = listed["screening"]["hits"]
    assert (hit["list"], hit["category"]) == (PEP, "POLITICALLY_EXPOSED_PERSON")
    await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve", "note": "Reviewed."})
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_each_list_is_decided_by_itself(org: Tenant) -> None:
    await load(org, OFAC_SDN, "Somebody Else")
    user = await approved_person(org)
    assert (await status_of(org, user))["status"] == "ACTIVE"
    # A second list names the person; the number is that of an entry of the first.
    await load(org, EU_LIST, "APPROVAL, Zorblax")
    assert await rescreened(org) == (1, 1)
    review = await waiting(org)
    assert lists(review) == [("EU", "0", "SANCTIONS")]
    await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve"})
    # The decision stays valid while other lists change.
    await load(org, OFAC_SDN, "Somebody Else", "Anybody Else")
    assert await rescreened(org) == (1, 0)
    # The same number on another list is another entry.
    await load(org, PEP, "Zorblax Approval")
    assert await rescreened(org) == (1, 1)
    review = await waiting(org)
    assert lists(review) == [
        ("EU", "0", "SANCTIONS"),
        (PEP, "0", "POLITICALLY_EXPOSED_PERSON"),
    ]
    await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve"})
    assert await rescreened(org) == (1, 0)
    await org.container.screening.unload(EU_LIST)
    assert await rescreened(org) == (1, 0)


async def test_an_approval_does_not_cover_a_list_that_was_added(org: Tenant) -> None:
    await load(org, OFAC_SDN, "APPROVAL, Zorblax")
    user = await approved_person(org)
    review = await waiting(org)
    await load(org, EU_LIST, "APPROVAL, Zorblax")
    path = f"{QUEUE}/{review['id']}"
    answer = await org.send("POST", path, {"decision": "approve"})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "the entries EU 0 (TEST)" in sentence(answer)
    assert [each for each, _, _ in lists(await waiting(org))] == ["EU", "OFAC SDN"]
    await org.post(path, {"decision": "approve"})
    assert (await status_of(org, user))["status"] == "ACTIVE"


async def test_hits_from_before_there_were_several_lists_are_of_the_sdn_list(org: Tenant) -> None:
    await load(org, OFAC_SDN, "APPROVAL, Zorblax")
    user = await approved_person(org)
    container = org.container
    cases = VerificationCases(
        container.database, container.vault, VerificationEmails(container.outbox)
    )
    case = await cases.get(org.org_id, case_id(UUID(user), Rail.USD))
    assert case is not None
    old_hits = tuple(
        {name: value for name, value in hit.items() if name != "list"} for hit in case.findings.hits
    )
    assert old_hits != case.findings.hits
    older = replace(case, findings=structs.replace(case.findings, hits=old_hits))
    assert [each.list for each in queued(older).hits] == [OFAC_SDN]
    assert [list_of(each) for each in old_hits] == [OFAC_SDN]
    assert await cases.move(case, older, case.status, actor="test", at=case.updated_at)
    review = await waiting(org)
    assert lists(review) == [("OFAC SDN", "0", "SANCTIONS")]
    # The hit is known, so the approval counts.
    await load(org, OFAC_SDN, "APPROVAL, Zorblax", "Somebody Else")
    await org.post(f"{QUEUE}/{review['id']}", {"decision": "approve"})
    assert (await status_of(org, user))["status"] == "ACTIVE"
