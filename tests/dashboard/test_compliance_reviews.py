"""Reviews of users and bank accounts: queues, cases, decisions."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from landbridge.app.container import wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.screening.model import (
    OFAC_SDN,
    SanctionsEntry,
    SanctionsEntryType,
    SanctionsList,
)
from tests.customers.bank_accounts.bodies import having
from tests.customers.bank_accounts.test_api import at, us
from tests.customers.bank_accounts.verified import make_verified
from tests.customers.kyc.samples import document
from tests.customers.verification.verification_setup import manual_review_org
from tests.dashboard.browsing import visit
from tests.people import add_documents, make_business, make_person, status_of, submit
from tests.tenants import SETTINGS, Tenant, make_tenant, served

KYC, ACCOUNTS = "/dashboard/reviews/kyc", "/dashboard/reviews/accounts"
LISTED = "Severina Quillfeather"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def manual_org(database: Database) -> AsyncIterator[Tenant]:
    """Organisation whose users are reviewed manually."""
    async with manual_review_org(database) as org:
        yield org


@pytest.fixture
async def strict_org(own_database: Database) -> AsyncIterator[Tenant]:
    """Organisation of an installation with a sanctions list."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    entry = SanctionsEntry(
        id="4711",
        type=SanctionsEntryType.INDIVIDUAL,
        names=("QUILLFEATHER, Severina", LISTED),
        programs=("TEST",),
        birth_dates=(),
    )
    await container.screening.load(SanctionsList(OFAC_SDN, "0" * 64, None, (entry,)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def submit_case(org: Tenant, **kyc: Any) -> tuple[str, str]:
    """Submit a new user, and return the user and the case."""
    user = await make_person(org, **kyc)
    await submit(org, user)
    reviews = (await org.get("/v2/reviews/kyc", limit=100))["reviews"]
    (case,) = [each["id"] for each in reviews if each["user"]["id"] == user]
    return user, case


async def make_matching_accounts(org: Tenant, count: int) -> list[str]:
    """Create accounts whose holder matches the sanctions list."""
    user = await make_verified(org)
    bodies = [
        having(having(us(), "accountHolder.name", LISTED), "us.accountNumber", f"12345678{path}")
        for path in range(count)
    ]
    return [(await org.post(at(user), body))["id"] for body in bodies]


async def test_only_reviewers_see_queues(manual_org: Tenant) -> None:
    _, case = await submit_case(manual_org)
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        visitor = await visit(manual_org, role)
        for path in (KYC, ACCOUNTS, f"{KYC}/{case}"):
            assert (await visitor.open(path)).status == 403
        assert (await visitor.send(f"{KYC}/{case}", {"decision": "approve"})).status == 403
        assert (await visitor.send(ACCOUNTS, {"accountId": case})).status == 403


async def test_empty_queues_show_an_empty_state(manual_org: Tenant) -> None:
    admin = await visit(manual_org)
    assert "You're all caught up" in (await admin.load(KYC)).text
    assert "No accounts to review" in (await admin.load(ACCOUNTS)).text
    assert "You're all caught up" in (await admin.load(KYC, status="REJECTED")).text
    assert (await admin.open(KYC, status="NOWHERE")).status == 422
    assert (await admin.open(KYC, after="yesterday")).status == 422
    wrong = await admin.open(ACCOUNTS, after="zz")
    assert wrong.status == 422
    assert wrong.tree.xpath("//*[@class='problem']")


async def test_approving_a_case_opens_the_next(manual_org: Tenant) -> None:
    first, first_case = await submit_case(manual_org)
    _, second_case = await submit_case(manual_org)
    admin = await visit(manual_org)
    queue = await admin.load(KYC)
    assert queue.links().index(f"{KYC}/{first_case}") < queue.links().index(f"{KYC}/{second_case}")
    page = await admin.load(f"{KYC}/{first_case}")
    assert "1 Main Street" in page.text
    assert "https://example.com/scan" in page.links()
    fields = {"decision": "approve", "version": page.value("version"), "note": "fine"}
    assert await admin.submit(f"{KYC}/{first_case}", fields) == f"{KYC}/{second_case}"
    assert (await status_of(manual_org, first))["status"] == "ACTIVE"
    assert await admin.submit(f"{KYC}/{second_case}", {"decision": "approve"}) == KYC


async def test_case_is_returned_with_its_issues(manual_org: Tenant) -> None:
    user, case = await submit_case(manual_org)
    passport = (await manual_org.get(f"/v2/users/{user}/kyc"))["kycInfo"]["documents"][0]
    admin = await visit(manual_org)
    fields = {
        "decision": "retry",
        "fields": ["phone", "sofEuQuestionnaire"],
        "documents": [passport],
        f"reason:{passport}": "BLURRED\nCUT OFF",
        "rejectReasons": "PHONE_UNREACHABLE",
        "comment": HOSTILE,
    }
    await admin.submit(f"{KYC}/{case}", fields)
    member = await visit(manual_org, MemberRole.MEMBER)
    page = await member.load(f"/dashboard/users/{user}/compliance")
    assert HOSTILE not in page.response.text
    for text in (HOSTILE, "PHONE_UNREACHABLE", "Phone number: Not accepted", "BLURRED, CUT OFF"):
        assert text in page.text, text
    # Corrected and resubmitted, it is approved; the history shows the returned review.
    await manual_org.post(
        f"/v2/users/{user}/kyc", {"phone": "+14155550199", "sofEuQuestionnaire": None}
    )
    await add_documents(manual_org, user, document())
    await submit(manual_org, user)
    history = (await admin.load(f"{KYC}/{case}")).text
    assert "Previous reviews" in history
    assert "Incomplete" in history


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"decision": "requestInformation", "comment": "Send a bill."}, "RFI_PENDING"),
        ({"decision": "reject", "rejectReasons": "FRAUD"}, "REJECTED"),
    ],
)
async def test_case_is_rejected_or_returned_for_information(
    manual_org: Tenant, fields: dict[str, str], status: str
) -> None:
    user, case = await submit_case(manual_org)
    admin = await visit(manual_org)
    await admin.submit(f"{KYC}/{case}", fields)
    assert (await status_of(manual_org, user))["status"] == status
    assert (await admin.load(f"{KYC}/{case}")).text


async def test_approval_is_revoked(manual_org: Tenant) -> None:
    user, case = await submit_case(manual_org)
    admin = await visit(manual_org)
    await admin.submit(f"{KYC}/{case}", {"decision": "approve"})
    page = await admin.load(f"{KYC}/{case}")
    assert page.tree.xpath('//input[@name="decision"]/@value') == ["revoke"]
    await admin.submit(f"{KYC}/{case}", {"decision": "revoke", "rejectReasons": "FRAUD"})
    assert (await status_of(manual_org, user))["status"] == "REJECTED"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"decision": "reject"}, "rejectReasons"),
        ({"decision": "requestInformation"}, "comment"),
        ({"decision": "dance"}, None),
        ({}, None),
        ({"decision": "approve", "version": "7"}, None),
        ({"decision": "approve", "documents": "x"}, None),
        ({"decision": "approve", "version": "9" * 30}, None),
    ],
)
async def test_refused_decision_keeps_the_form_values(
    manual_org: Tenant, fields: dict[str, str], field: str | None
) -> None:
    _, case = await submit_case(manual_org)
    admin = await visit(manual_org)
    refused = await admin.send(f"{KYC}/{case}", {**fields, "note": HOSTILE})
    assert 400 <= refused.status < 500
    assert HOSTILE not in refused.response.text
    assert refused.tree.xpath('//textarea[@name="note"]')[0].text.strip() == HOSTILE
    if field:
        assert refused.tree.xpath(f'//*[@id="f-{field}"]/@aria-invalid') == ["true"]


async def test_concurrent_decision_is_refused(manual_org: Tenant) -> None:
    _, case = await submit_case(manual_org)
    one, other = await visit(manual_org), await visit(manual_org)
    version = (await other.load(f"{KYC}/{case}")).value("version")
    await one.submit(f"{KYC}/{case}", {"decision": "reject", "rejectReasons": "FRAUD"})
    late = await other.send(f"{KYC}/{case}", {"decision": "approve", "version": version})
    assert late.status == 409
    assert 'title="REJECTED"' in late.response.text


async def test_business_is_shown_with_its_owners(manual_org: Tenant) -> None:
    user = await make_business(manual_org)
    await submit(manual_org, user)
    (found,) = (await manual_org.get("/v2/reviews/kyc"))["reviews"]
    admin = await visit(manual_org)
    page = await admin.load(f"{KYC}/{found['id']}")
    assert "Beneficial owner Ada Example" in page.text
    assert "The beneficial owners must be entered again" in page.text
    ids = page.tree.xpath("//*[@id]/@id")
    assert len(ids) == len(set(ids))


async def test_cases_of_other_organisations_are_not_found(
    manual_org: Tenant, other_org: Tenant
) -> None:
    _, case = await submit_case(manual_org)
    outsider = await visit(other_org)
    assert (await outsider.open(f"{KYC}/{case}")).status == 404
    assert (await outsider.send(f"{KYC}/{case}", {"decision": "approve"})).status == 404
    assert (await outsider.open(f"{KYC}/x")).status == 404


async def test_selected_accounts_are_decided_at_once(strict_org: Tenant) -> None:
    first, second, third = await make_matching_accounts(strict_org, 3)
    admin = await visit(strict_org)
    page = await admin.load(ACCOUNTS)
    assert LISTED in page.text
    assert page.tree.xpath('//input[@name="accountId"]/@value') == [first, second, third]
    assert await admin.submit(ACCOUNTS, {"accountId": [first, second], "decision": "approve"})
    fields = {"accountId": third, "decision": "reject", "reason": "It is them."}
    await admin.submit(ACCOUNTS, fields)
    assert "No accounts to review" in (await admin.load(ACCOUNTS)).text


async def test_refusal_of_one_account_does_not_stop_the_others(strict_org: Tenant) -> None:
    first, second = await make_matching_accounts(strict_org, 2)
    admin = await visit(strict_org)
    fields = {"accountId": [first, "", "nobody", second], "decision": "approve"}
    page = await admin.send(ACCOUNTS, fields)
    assert page.status == 200
    assert "Results" in page.text
    assert (page.text.count("Decision recorded"), page.text.count("Not recorded:")) == (2, 1)
    assert "No accounts to review" in page.text
    nothing = await admin.send(ACCOUNTS, {"accountId": "", "decision": "approve"})
    assert nothing.status == 422


async def test_invalid_account_decisions_are_refused(strict_org: Tenant) -> None:
    (account,) = await make_matching_accounts(strict_org, 1)
    admin = await visit(strict_org)
    for fields in (
        {"decision": "approve"},
        {"accountId": account, "decision": "dance"},
        {"accountId": account},
        {"accountId": "x", "decision": "approve"},
        {"accountId": account, "decision": "reject", "reason": HOSTILE * 50},
    ):
        refused = await admin.send(ACCOUNTS, fields)
        assert 400 <= refused.status < 500, fields
        assert HOSTILE not in refused.response.text
    outsider = await visit(await make_tenant(strict_org.container, strict_org.client, name="Other"))
    fields = {"accountId": account, "decision": "approve"}
    assert (await outsider.send(ACCOUNTS, fields)).status == 404


async def test_pages_show_the_list_of_each_hit(strict_org: Tenant) -> None:
    entry = SanctionsEntry(
        id="Q42",
        type=SanctionsEntryType.INDIVIDUAL,
        names=("BRAMBLEWICK, Oriana", LISTED),
        programs=("nw",),
        birth_dates=(),
    )
    pep = SanctionsList("PEP Nowhere", "1" * 64, None, (entry,))
    await strict_org.container.screening.load(pep)
    sanctioned, _ = await submit_case(strict_org, firstName="Severina", lastName="Quillfeather")
    exposed, case = await submit_case(strict_org, firstName="Oriana", lastName="Bramblewick")
    assert sanctioned != exposed
    await make_matching_accounts(strict_org, 1)
    admin = await visit(strict_org)
    queue = (await admin.load(KYC)).text
    assert "OFAC SDN" in queue
    assert "PEP Nowhere" in queue
    page = (await admin.load(f"{KYC}/{case}")).text
    for words in ("BRAMBLEWICK, Oriana", "Q42", "PEP Nowhere Politically exposed person"):
        assert words in page, words
    assert "is not sanctioned" in page
    (other,) = (await strict_org.get("/v2/reviews/kyc", limit=1))["reviews"]
    page = (await admin.load(f"{KYC}/{other['id']}")).text
    assert "QUILLFEATHER, Severina" in page
    assert "OFAC SDN4711TEST" in page
    assert "PEP Nowhere Politically exposed personQ42nw" in page
    accounts = (await admin.load(ACCOUNTS)).text
    for words in ("OFAC SDN, TEST, 4711", "PEP Nowhere, nw, Q42", "Politically exposed person"):
        assert words in accounts, words
