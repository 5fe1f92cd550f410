"""Review decisions reach the person, who corrects the data through a new link."""

from typing import Any

from tests.customers.onboarding.person import (
    ADA,
    ADA_DETAILS,
    IMAGE,
    PASSPORT,
    Person,
    invite,
    only_user,
)
from tests.tenants import Tenant


async def test_a_reviewers_comment_reaches_the_person(org: Tenant) -> None:
    user, person = await _reviewed(
        org, {"decision": "retry", "fields": ["phone"], "comment": "The photo is dark"}
    )
    assert await person.open() == "Your details"
    assert "Information requested:" in person.text
    assert "The photo is dark" in person.text
    assert "Phone number: not accepted, enter it again" in person.text
    assert person.page.forms[0].values["phone"] == [""]
    assert await person.press("/details", {"phone": "+14155550177"}) == "Review your answers"
    assert await person.press("/submit") == "Thank you"
    status = await org.get(f"/v2/users/{user}/kyc/status", rails="USD")
    assert status["status"] not in {"INCOMPLETE", "REJECTED"}


async def test_information_requested_by_a_reviewer_can_be_sent(org: Tenant) -> None:
    decision = {"decision": "requestInformation", "comment": "Send a statement of your salary"}
    user, person = await _reviewed(org, decision)
    assert await person.open() == "Review your answers"
    assert "Send a statement of your salary" in person.text
    await person.follow("step=documents")
    await person.follow("item=other")
    document = {"type": "INCOME_SOURCE", "issuedCountry": "USA"}
    assert await person.press("/documents", document, file=IMAGE) == "Documents"
    await person.open()
    assert await person.press("/submit") == "Thank you"
    documents = (await org.get(f"/v2/users/{user}/kyc/documents"))["data"]
    assert [each["type"] for each in documents] == ["PASSPORT", "INCOME_SOURCE"]


async def _reviewed(org: Tenant, decision: dict[str, Any]) -> tuple[str, Person]:
    """Return a user with a review decision, and a new link for them."""
    first = await invite(org, rails=["USD"])
    await first.open()
    await first.press("/terms")
    # This name waits for a reviewer.
    await first.press("/about", {**ADA, "lastName": "Review"})
    await first.press("/details", ADA_DETAILS)
    await first.follow("item=identity")
    await first.press("/documents", PASSPORT, file=IMAGE)
    await first.open()
    await first.press("/submit")
    user = (await only_user(org))["id"]
    await org.post("/v2/sandbox/clock/advance", {"seconds": 3600})
    (case,) = (await org.get("/v2/reviews/kyc"))["reviews"]
    await org.post(f"/v2/reviews/kyc/{case['id']}", decision)
    return user, await invite(org, userId=user, rails=["USD"])
