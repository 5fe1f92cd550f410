"""Manual reviews end to end: the queue, every decision, and what the user sees."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.platform.db.pool import Database
from tests.customers.kyc.samples import document
from tests.customers.verification.verification_setup import manual_review_org
from tests.people import (
    add_documents,
    documents_of,
    make_business,
    make_person,
    owners_of,
    status_of,
    submit,
)
from tests.tenants import Tenant, refusal, sentence

QUEUE = "/v2/reviews/kyc"


@pytest.fixture
async def office(database: Database) -> AsyncIterator[Tenant]:
    """Organisation whose users are reviewed manually."""
    async with manual_review_org(database) as org:
        yield org


async def waiting(org: Tenant, user: str, rail: Rail = Rail.USD) -> dict[str, Any]:
    """Return the review of a user who has just submitted."""
    assert (await submit(org, user, rail))["status"] == "CREATED"
    return await the_review(org)


async def the_review(org: Tenant, **query: str) -> dict[str, Any]:
    """Return the only case in the queue, with details."""
    reply = await org.get(QUEUE, **query)
    (found,) = reply["reviews"]
    return await org.get(f"{QUEUE}/{found['id']}")


async def decide(org: Tenant, review: dict[str, Any], decision: str, **fields: Any) -> Any:
    """Decide; return the review afterwards."""
    return await org.post(f"{QUEUE}/{review['id']}", {"decision": decision, **fields})


async def refused(org: Tenant, review: dict[str, Any], **fields: Any) -> str:
    """Return status and name of a refusal, and the field that its sentence names."""
    answer = await org.send("POST", f"{QUEUE}/{review['id']}", fields)
    return f"{refusal(answer)} {sentence(answer).partition(' ')[0].rstrip(':')}"


@pytest.mark.parametrize("rail", list(Rail))
async def test_an_approved_user_is_active(office: Tenant, rail: Rail) -> None:
    user = await make_person(office)
    review = await waiting(office, user, rail)
    assert (await status_of(office, user, rail))["status"] == "MANUAL_REVIEW"
    decided = await decide(office, review, "approve", comment="Welcome.", note="Fine.")
    assert decided["status"] == "ACTIVE"
    assert decided["version"] == review["version"] + 1
    assert (await status_of(office, user, rail))["status"] == "ACTIVE"
    assert (await office.get(QUEUE))["count"] == 0


async def test_a_reviewer_sees_what_was_submitted(office: Tenant) -> None:
    user = await make_business(office, owner_name="Lovelace")
    review = await waiting(office, user)
    assert review["user"] == {
        "id": user,
        "type": "business",
        "name": "Example Ltd",
        "email": "office@example.com",
    }
    assert review["rails"] == "USD"
    assert review["kycInfo"]["businessName"] == "Example Ltd"
    assert review["kycInfo"]["type"] == "business"
    (owner,) = review["ultimateBeneficialOwners"]
    assert owner["lastName"] == "Lovelace"
    assert owner["id"] == (await owners_of(office, user))[0]
    assert {each["id"] for each in review["documents"]} == set(await documents_of(office, user))
    assert {each["uboId"] for each in review["documents"]} == {None, owner["id"]}
    assert review["screening"] == {"listVersion": None, "hits": [], "unread": []}
    assert [each["status"] for each in review["history"]] == ["MANUAL_REVIEW"]


async def test_the_queue_shows_cases_in_short(office: Tenant) -> None:
    user = await make_business(office, owner_name="Lovelace")
    review = await waiting(office, user)
    (listed,) = (await office.get(QUEUE))["reviews"]
    same = ("id", "version", "user", "rails", "status", "createdAt", "updatedAt", "submittedAt")
    assert listed == {
        **{name: review[name] for name in same},
        "documentsCount": 5,
        "screening": {"listVersion": None, "hits": [], "unreadCount": 0},
    }


async def test_a_rejected_user_sees_the_reasons_and_never_the_note(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    (paper,) = await documents_of(office, user)
    await decide(
        office,
        review,
        "reject",
        rejectReasons=["FORGED_DOCUMENT", "UNDERAGE"],
        comment="We can't serve you.",
        note="canary",
        documents=[{"id": paper, "rejectReasons": ["FORGED_DOCUMENT"]}],
    )
    answer = await office.send("GET", f"/v2/users/{user}/kyc/status", rails="USD")
    assert "canary" not in answer.text
    status = answer.json()
    assert status["status"] == "REJECTED"
    assert status["reviewResult"] == {
        "reviewAnswer": "DECLINED",
        "reviewRejectType": "FINAL",
        "rejectReasons": ["FORGED_DOCUMENT", "UNDERAGE"],
        "comment": "We can't serve you.",
    }
    (detail,) = status["details"]["identity"]["details"]
    assert detail["id"] == paper
    assert detail["reviewResult"]["rejectReasons"] == ["FORGED_DOCUMENT"]
    found = await office.get(f"{QUEUE}/{review['id']}")
    assert found["history"][-1]["note"] == "canary"
    assert found["history"][-1]["actor"] == f"key:{office.caller.key_id}"


async def test_reasons_reach_the_status_object_of_every_rail(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user, Rail.AFRICA_NIGERIA)
    await decide(office, review, "reject", rejectReasons=["SANCTIONED_TRADE"], comment="No.")
    status = await status_of(office, user, Rail.AFRICA_NIGERIA)
    assert (status["status"], status["warnings"], status["message"]) == (
        "REJECTED",
        ["SANCTIONED_TRADE"],
        "No.",
    )
    assert status["onRamp"]["ngn"]["bank"]["status"] == "REJECTED"


async def test_rejected_fields_and_documents_are_corrected_and_resubmitted(office: Tenant) -> None:
    user = await make_person(office)
    kyc = f"/v2/users/{user}/kyc"
    review = await waiting(office, user)
    (paper,) = await documents_of(office, user)
    await decide(
        office,
        review,
        "retry",
        fields=["taxIdentificationNumber", "sofEuQuestionnaire"],
        documents=[{"id": paper, "rejectReasons": ["EXPIRED"]}],
    )
    status = await status_of(office, user)
    assert status["status"] == "INCOMPLETE"
    details = status["details"]
    for name in ("personalInfo", "identity", "questionnaire"):
        assert details[name]["reviewResult"]["reviewAnswer"] == "DECLINED", name
    assert details["proofOfAddress"] == {"reviewResult": {}, "details": []}

    invalid = (await office.get(f"{kyc}/requirements", rails="USD"))["invalid"]
    assert invalid["fields"] == {
        "taxIdentificationNumber": "rejected",
        "sofEuQuestionnaire": "rejected",
    }
    assert list(invalid["documents"]["groups"]) == ["identity"]
    # Nothing was rejected for another rail.
    assert (await office.get(f"{kyc}/requirements", rails="AFRICA_GENERAL"))["invalid"] == {}

    await office.post(kyc, {"taxIdentificationNumber": "536-90-4398"})
    answer = await office.send("POST", f"{kyc}/submissions", {"rails": "USD"})
    assert refusal(answer) == "400 USER_COMPLIANCE_DATA_INVALID"
    assert answer.json()["invalid"]["fields"] == {"sofEuQuestionnaire": "rejected"}

    questionnaire = {**review["kycInfo"]["sofEuQuestionnaire"], "sourceOfFunds": "savings"}
    await office.post(kyc, {"sofEuQuestionnaire": questionnaire})
    await add_documents(office, user, document("DRIVERS"))
    assert (await office.get(f"{kyc}/requirements", rails="USD"))["invalid"] == {}
    assert (await submit(office, user))["status"] == "PENDING"
    again = await the_review(office)
    assert again["id"] == review["id"]
    assert len(again["documents"]) == 2
    assert [each["status"] for each in again["history"]] == [
        "MANUAL_REVIEW",
        "INCOMPLETE",
        "MANUAL_REVIEW",
    ]
    await decide(office, again, "approve")
    status = await status_of(office, user)
    assert status["status"] == "ACTIVE"
    assert status["details"]["identity"]["reviewResult"] == {"reviewAnswer": "APPROVED"}


async def test_a_rejected_document_that_was_changed_counts_again(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    (paper,) = await documents_of(office, user)
    await decide(office, review, "retry", documents=[{"id": paper}])
    kyc = f"/v2/users/{user}/kyc"
    assert "identity" in str((await office.get(f"{kyc}/requirements", rails="USD"))["invalid"])
    await office.post(f"{kyc}/documents/{paper}", {"number": "P7654321"})
    assert (await office.get(f"{kyc}/requirements", rails="USD"))["invalid"] == {}


async def test_owners_can_be_corrected_too(office: Tenant) -> None:
    user = await make_business(office)
    review = await waiting(office, user)
    (owner,) = await owners_of(office, user)
    papers = [each["id"] for each in review["documents"] if each["uboId"] == owner]
    await decide(
        office,
        review,
        "retry",
        rejectReasons=["OWNER_UNCLEAR"],
        fields=["ultimateBeneficialOwners"],
        documents=[{"id": papers[0], "rejectReasons": ["BLURRED"]}],
    )
    details = (await status_of(office, user))["details"]
    owners = details["ultimateBeneficialOwners"]
    assert owners["reviewResult"]["rejectReasons"] == ["OWNER_UNCLEAR"]
    (detail,) = owners["details"]
    assert (detail["id"], detail["status"]) == (owner, "INCOMPLETE")
    assert detail["details"]["identity"]["reviewResult"]["rejectReasons"] == ["BLURRED"]
    assert details["companyInfo"] == {"reviewResult": {}}
    kyc = f"/v2/users/{user}/kyc"
    invalid = (await office.get(f"{kyc}/requirements", rails="USD"))["invalid"]
    assert invalid["fields"]["ultimateBeneficialOwners"] == "rejected"
    await office.post(f"{kyc}/ubos/{owner}", {"businessTitle": "Chair"})
    await office.post(f"{kyc}/documents/{papers[0]}", {"number": "P7654321"})
    assert (await office.get(f"{kyc}/requirements", rails="USD"))["invalid"] == {}


async def test_information_is_requested_sent_and_reviewed(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    await decide(office, review, "requestInformation", comment="Send a bank statement.\nPlease.")
    status = await status_of(office, user)
    assert status["status"] == "RFI_PENDING"
    assert status["reviewResult"] == {"comment": "Send a bank statement.\nPlease."}
    assert (await submit(office, user))["status"] == "PENDING"
    await decide(office, await the_review(office), "approve")
    assert (await status_of(office, user))["status"] == "ACTIVE"


async def test_an_approval_is_revoked_for_another_review_or_finally(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    assert await refused(office, review, decision="revoke") == "409 RESOURCE_CONFLICT revoke"
    await decide(office, review, "approve")
    await decide(office, review, "revoke", note="A complaint.")
    assert (await status_of(office, user))["status"] == "MANUAL_REVIEW"
    await decide(office, await the_review(office), "approve")
    await decide(office, review, "revoke", rejectReasons=["FRAUD"], comment="Closed.")
    status = await status_of(office, user)
    assert (status["status"], status["reviewResult"]["comment"]) == ("REJECTED", "Closed.")


async def test_of_two_decisions_the_second_is_refused(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    await decide(office, review, "approve")
    for again in ("approve", "reject", "retry", "requestInformation"):
        fields = {"rejectReasons": ["X"]} if again in {"reject", "retry"} else {}
        fields |= {"comment": "Send it."} if again == "requestInformation" else {}
        assert (await refused(office, review, decision=again, **fields)).startswith(
            "409 RESOURCE_CONFLICT"
        )
    assert (await status_of(office, user))["status"] == "ACTIVE"


async def test_a_decision_on_an_outdated_version_is_refused(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    await decide(
        office, review, "requestInformation", comment="Send it.", version=review["version"]
    )
    await submit(office, user)
    body = {"decision": "approve", "version": review["version"]}
    assert (await refused(office, review, **body)).startswith("409 RESOURCE_CONFLICT")
    now = await the_review(office)
    assert (await decide(office, now, "approve", version=now["version"]))["status"] == "ACTIVE"


@pytest.mark.parametrize(
    ("decision", "field"),
    [
        ({}, "decision"),
        ({"decision": "maybe"}, "decision"),
        ({"decision": None}, "decision"),
        ({"decision": "reject"}, "rejectReasons"),
        ({"decision": "reject", "rejectReasons": []}, "rejectReasons"),
        ({"decision": "reject", "rejectReasons": [" "]}, "rejectReasons[0]"),
        ({"decision": "reject", "rejectReasons": ["x" * 301]}, "rejectReasons[0]"),
        ({"decision": "reject", "rejectReasons": ["x"] * 21}, "rejectReasons"),
        ({"decision": "reject", "rejectReasons": ["a\x1bb"]}, "rejectReasons[0]"),
        ({"decision": "reject", "rejectReasons": ["x"], "fields": ["lastName"]}, "fields"),
        ({"decision": "retry"}, "rejectReasons"),
        ({"decision": "retry", "fields": ["middleNames"]}, "fields[0]"),
        ({"decision": "retry", "fields": ["lastName", "businessName"]}, "fields[1]"),
        ({"decision": "retry", "fields": ["a"] * 201}, "fields"),
        ({"decision": "retry", "documents": [{"id": "x"}]}, "documents[0].id"),
        ({"decision": "retry", "documents": [{"id": str(uuid4())}]}, "documents[0].id"),
        ({"decision": "requestInformation"}, "comment"),
        ({"decision": "requestInformation", "comment": " \n "}, "comment"),
        ({"decision": "approve", "rejectReasons": ["x"]}, "rejectReasons"),
        ({"decision": "approve", "comment": "x" * 2001}, "comment"),
        ({"decision": "approve", "note": "\x07"}, "note"),
        ({"decision": "approve", "version": 0}, "version"),
        ({"decision": "approve", "version": 2**80}, "version"),
        ({"decision": "revoke", "comment": "x"}, "comment"),
    ],
)
async def test_a_bad_decision_is_refused_by_the_name_of_its_field(
    office: Tenant, decision: dict[str, Any], field: str
) -> None:
    review = await waiting(office, await make_person(office))
    assert await refused(office, review, **decision) == f"400 FIELD_VALIDATION_ERROR {field}"
    assert await the_review(office) == review


async def test_the_queue_is_oldest_first_and_paged(office: Tenant) -> None:
    users = [await make_person(office) for _ in range(3)]
    for user in users:
        await submit(office, user)
    ids: list[str] = []
    query: dict[str, str | int] = {"limit": 2}
    while (page := await office.get(QUEUE, **query))["count"]:
        ids += [each["user"]["id"] for each in page["reviews"]]
        query["cursor"] = page["nextCursor"]
    assert ids == users
    for bad in ("NOPE", "", "ACTIVE,"):
        assert await office.refused("GET", QUEUE, status=bad) == "400 FIELD_VALIDATION_ERROR"
    assert (await office.get(QUEUE, status="ACTIVE,REJECTED"))["count"] == 0


async def test_no_case_of_one_submission_is_left_out_between_pages(office: Tenant) -> None:
    user = await make_person(office)
    body = {"rails": [each.value for each in Rail]}
    await office.post(f"/v2/users/{user}/kyc/submissions", body)
    found: list[str] = []
    query: dict[str, str | int] = {"limit": 2}
    while (page := await office.get(QUEUE, **query))["count"]:
        found += [each["rails"] for each in page["reviews"]]
        query["cursor"] = page["nextCursor"]
    assert sorted(found) == sorted(Rail)


async def test_an_unknown_case_is_not_found(office: Tenant, other_org: Tenant) -> None:
    review = await waiting(office, await make_person(office))
    for case in (str(uuid4()), "x", review["id"]):
        requester = other_org if case == review["id"] else office
        path = f"{QUEUE}/{case}"
        assert await requester.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
        body = {"decision": "approve"}
        assert await requester.refused("POST", path, body) == "404 RESOURCE_NOT_FOUND"


async def test_an_erased_user_is_not_in_the_queue(office: Tenant) -> None:
    user = await make_person(office)
    review = await waiting(office, user)
    await office.post(f"/v2/users/{user}/freeze", {})
    await office.container.users.erase(office.caller, UUID(user))
    assert (await office.get(QUEUE))["count"] == 0
    path = f"{QUEUE}/{review['id']}"
    assert await office.refused("GET", path) == "404 RESOURCE_NOT_FOUND"
    assert await office.refused("POST", path, {"decision": "approve"}) == "404 RESOURCE_NOT_FOUND"
    assert (await status_of(office, user))["status"] == "INACTIVE"
    assert await office.get("/v2/kyc/status", userId=user) == []


async def test_time_alone_decides_nothing(office: Tenant) -> None:
    user = await make_person(office)
    await waiting(office, user)
    ahead = {office.org_id: timedelta(days=1000)}
    await office.container.verification.run_all(ahead)
    assert (await status_of(office, user))["status"] == "MANUAL_REVIEW"
