"""Reviews of users and of bank accounts: queues, one case, decisions."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.screening.model import OFAC_SDN, Entry, EntryType, SanctionsList
from landbridge.web.caller import Role
from landbridge.wiring import wire
from tests.accounts.bodies import having
from tests.accounts.test_api import at, us
from tests.accounts.verified import make_verified
from tests.dashboard.browsing import visit
from tests.kyc.samples import document
from tests.people import add_documents, make_business, make_person, status_of, submit
from tests.tenants import SETTINGS, Tenant, make_tenant, served
from tests.verification.play import manual_house

KYC, ACCOUNTS = "/dashboard/reviews/kyc", "/dashboard/reviews/accounts"
LISTED = "Severina Quillfeather"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
async def office(database: Database) -> AsyncIterator[Tenant]:
    """An organisation whose users are reviewed by hand."""
    async with manual_house(database) as org:
        yield org


@pytest.fixture
async def strict_org(own_database: Database) -> AsyncIterator[Tenant]:
    """An organisation of an installation that has a sanctions list."""
    house = wire(SETTINGS, own_database, Clock(await take_lane(own_database)))
    entry = Entry(
        id="4711",
        type=EntryType.INDIVIDUAL,
        names=("QUILLFEATHER, Severina", LISTED),
        programs=("TEST",),
        birth_dates=(),
    )
    await house.screening.load(SanctionsList(OFAC_SDN, "0" * 64, None, (entry,)))
    async with served(house) as client:
        yield await make_tenant(house, client)


async def waiting(org: Tenant, **kyc: Any) -> tuple[str, str]:
    """A user who has just submitted, and the case."""
    user = await make_person(org, **kyc)
    await submit(org, user)
    reviews = (await org.get("/v2/reviews/kyc", limit=100))["reviews"]
    (case,) = [each["id"] for each in reviews if each["user"]["id"] == user]
    return user, case


async def accounts_waiting(org: Tenant, count: int) -> list[str]:
    """Accounts of somebody who is like somebody on the list."""
    user = await make_verified(org)
    bodies = [
        having(having(us(), "accountHolder.name", LISTED), "us.accountNumber", f"12345678{place}")
        for place in range(count)
    ]
    return [(await org.post(at(user), body))["id"] for body in bodies]


async def test_only_reviewers_see_queues(office: Tenant) -> None:
    _, case = await waiting(office)
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await visit(office, role)
        for path in (KYC, ACCOUNTS, f"{KYC}/{case}"):
            assert (await somebody.open(path)).status == 403
        assert (await somebody.send(f"{KYC}/{case}", {"decision": "approve"})).status == 403
        assert (await somebody.send(ACCOUNTS, {"accountId": case})).status == 403


async def test_empty_queues_say_so(office: Tenant) -> None:
    admin = await visit(office)
    assert "Nobody waits" in (await admin.see(KYC)).text
    assert "No account waits" in (await admin.see(ACCOUNTS)).text
    assert "Nobody waits" in (await admin.see(KYC, status="REJECTED")).text
    assert (await admin.open(KYC, status="NOWHERE")).status == 422
    assert (await admin.open(KYC, after="yesterday")).status == 422
    wrong = await admin.open(ACCOUNTS, after="zz")
    assert wrong.status == 422
    assert wrong.tree.xpath("//*[@class='problem']")


async def test_a_case_is_approved_and_the_next_one_comes(office: Tenant) -> None:
    first, first_case = await waiting(office)
    _, second_case = await waiting(office)
    admin = await visit(office)
    queue = await admin.see(KYC)
    assert queue.links().index(f"{KYC}/{first_case}") < queue.links().index(f"{KYC}/{second_case}")
    opened = await admin.see(f"{KYC}/{first_case}")
    assert "1 Main Street" in opened.text
    assert "https://example.com/scan" in opened.links()
    told = {"decision": "approve", "version": opened.value("version"), "note": "fine"}
    assert await admin.done(f"{KYC}/{first_case}", told) == f"{KYC}/{second_case}"
    assert (await status_of(office, first))["status"] == "ACTIVE"
    assert await admin.done(f"{KYC}/{second_case}", {"decision": "approve"}) == KYC


async def test_a_case_is_sent_back_with_what_is_wrong(office: Tenant) -> None:
    user, case = await waiting(office)
    passport = (await office.get(f"/v2/users/{user}/kyc"))["kycInfo"]["documents"][0]
    admin = await visit(office)
    told = {
        "decision": "retry",
        "fields": ["phone", "sofEuQuestionnaire"],
        "documents": [passport],
        f"reason:{passport}": "BLURRED\nCUT OFF",
        "rejectReasons": "PHONE_UNREACHABLE",
        "comment": HOSTILE,
    }
    await admin.done(f"{KYC}/{case}", told)
    member = await visit(office, Role.MEMBER)
    opened = await member.see(f"/dashboard/users/{user}/compliance")
    assert HOSTILE not in opened.answer.text
    for text in (HOSTILE, "PHONE_UNREACHABLE", "Phone number: Not accepted", "BLURRED, CUT OFF"):
        assert text in opened.text, text
    # Mended and submitted again, it is approved; the history has the round.
    await office.post(
        f"/v2/users/{user}/kyc", {"phone": "+14155550199", "sofEuQuestionnaire": None}
    )
    await add_documents(office, user, document())
    await submit(office, user)
    history = (await admin.see(f"{KYC}/{case}")).text
    assert "Rounds before" in history
    assert "INCOMPLETE" in history


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"decision": "requestInformation", "comment": "Send a bill."}, "RFI_PENDING"),
        ({"decision": "reject", "rejectReasons": "FRAUD"}, "REJECTED"),
    ],
)
async def test_other_decisions(office: Tenant, told: dict[str, str], status: str) -> None:
    user, case = await waiting(office)
    admin = await visit(office)
    await admin.done(f"{KYC}/{case}", told)
    assert (await status_of(office, user))["status"] == status
    assert (await admin.see(f"{KYC}/{case}")).text


async def test_an_approval_is_revoked(office: Tenant) -> None:
    user, case = await waiting(office)
    admin = await visit(office)
    await admin.done(f"{KYC}/{case}", {"decision": "approve"})
    opened = await admin.see(f"{KYC}/{case}")
    assert opened.tree.xpath('//input[@name="decision"]/@value') == ["revoke"]
    await admin.done(f"{KYC}/{case}", {"decision": "revoke", "rejectReasons": "FRAUD"})
    assert (await status_of(office, user))["status"] == "REJECTED"


@pytest.mark.parametrize(
    ("told", "field"),
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
async def test_what_is_refused_keeps_what_was_typed(
    office: Tenant, told: dict[str, str], field: str | None
) -> None:
    _, case = await waiting(office)
    admin = await visit(office)
    refused = await admin.send(f"{KYC}/{case}", {**told, "note": HOSTILE})
    assert 400 <= refused.status < 500
    assert HOSTILE not in refused.answer.text
    assert refused.tree.xpath('//textarea[@name="note"]')[0].text.strip() == HOSTILE
    if field:
        assert refused.tree.xpath(f'//*[@id="f-{field}"]/@aria-invalid') == ["true"]


async def test_two_who_decide_at_once(office: Tenant) -> None:
    _, case = await waiting(office)
    one, other = await visit(office), await visit(office)
    seen = (await other.see(f"{KYC}/{case}")).value("version")
    await one.done(f"{KYC}/{case}", {"decision": "reject", "rejectReasons": "FRAUD"})
    late = await other.send(f"{KYC}/{case}", {"decision": "approve", "version": seen})
    assert late.status == 409
    assert "REJECTED" in late.text


async def test_a_business_is_shown_with_its_owners(office: Tenant) -> None:
    user = await make_business(office)
    await submit(office, user)
    (found,) = (await office.get("/v2/reviews/kyc"))["reviews"]
    admin = await visit(office)
    opened = await admin.see(f"{KYC}/{found['id']}")
    assert "Owner Ada Example" in opened.text
    assert "The owners have to be told anew" in opened.text
    ids = opened.tree.xpath("//*[@id]/@id")
    assert len(ids) == len(set(ids))


async def test_cases_of_others_are_not_there(office: Tenant, other_org: Tenant) -> None:
    _, case = await waiting(office)
    stranger = await visit(other_org)
    assert (await stranger.open(f"{KYC}/{case}")).status == 404
    assert (await stranger.send(f"{KYC}/{case}", {"decision": "approve"})).status == 404
    assert (await stranger.open(f"{KYC}/x")).status == 404


async def test_accounts_are_decided_several_at_once(strict_org: Tenant) -> None:
    first, second, third = await accounts_waiting(strict_org, 3)
    admin = await visit(strict_org)
    opened = await admin.see(ACCOUNTS)
    assert LISTED in opened.text
    assert opened.tree.xpath('//input[@name="accountId"]/@value') == [first, second, third]
    assert await admin.done(ACCOUNTS, {"accountId": [first, second], "decision": "approve"})
    told = {"accountId": third, "decision": "reject", "reason": "It is them."}
    await admin.done(ACCOUNTS, told)
    assert "No account waits" in (await admin.see(ACCOUNTS)).text


async def test_a_refusal_stops_none_of_the_others(strict_org: Tenant) -> None:
    first, second = await accounts_waiting(strict_org, 2)
    admin = await visit(strict_org)
    told = {"accountId": [first, "", "nobody", second], "decision": "approve"}
    page = await admin.send(ACCOUNTS, told)
    assert page.status == 200
    assert "What became of each" in page.text
    assert (page.text.count("Decided."), page.text.count("not done:")) == (2, 1)
    assert "No account waits" in page.text
    nothing = await admin.send(ACCOUNTS, {"accountId": "", "decision": "approve"})
    assert nothing.status == 422


async def test_what_of_accounts_is_refused(strict_org: Tenant) -> None:
    (account,) = await accounts_waiting(strict_org, 1)
    admin = await visit(strict_org)
    for told in (
        {"decision": "approve"},
        {"accountId": account, "decision": "dance"},
        {"accountId": account},
        {"accountId": "x", "decision": "approve"},
        {"accountId": account, "decision": "reject", "reason": HOSTILE * 50},
    ):
        refused = await admin.send(ACCOUNTS, told)
        assert 400 <= refused.status < 500, told
        assert HOSTILE not in refused.answer.text
    stranger = await visit(await make_tenant(strict_org.house, strict_org.client, name="Other"))
    told = {"accountId": account, "decision": "approve"}
    assert (await stranger.send(ACCOUNTS, told)).status == 404
