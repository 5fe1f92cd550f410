"""Pages of approvals: the inbox, votes on one and on several, and what nobody may."""

from typing import Any

import pytest

from landbridge.core.ids import new_id
from landbridge.web.caller import Role
from tests.dashboard.browsing import Visit, visit
from tests.tenants import Tenant, batch_body, make_transfer, make_user

APPROVALS = "/dashboard/approvals"


@pytest.fixture
async def pair(org: Tenant) -> tuple[str, str]:
    """Ada with money, and Bob."""
    ada = await make_user(org, funds="1000", firstName="Ada", lastName="Payer")
    return ada, await make_user(org, firstName="Bob", lastName="Payee")


async def waiting(org: Tenant, pair: tuple[str, str], amount: str = "10") -> str:
    """The id of an approval that a key asked for."""
    made = await make_transfer(org, *pair, amount, requireApproval=True)
    return str(made["approval"]["id"])


async def status_of(org: Tenant, approval: str) -> str:
    return str((await org.get(f"/v2/approvals/{approval}"))["status"])


async def asked_by(org: Tenant, pair: tuple[str, str], who: Visit) -> str:
    """The id of an approval, as if this member had asked for it."""
    approval = await waiting(org, pair)
    await org.house.database.rows(
        "update approvals set initiator_id = $3, is_from_dashboard = true"
        " where org_id = $1 and id = $2::text::uuid",
        *(org.org_id, approval, who.member_id),
    )
    return approval


async def test_the_inbox_says_what_waits(org: Tenant, pair: tuple[str, str]) -> None:
    approval = await waiting(org, pair, "12.5")
    for role in Role:
        page = await (await visit(org, role)).see(APPROVALS)
        assert "Ada Payer to Bob Payee" in page.text
        assert "12.50 usdc POLYGON" in page.text
        assert "0 of 1" in page.text
        assert "API key test key" in page.text
        assert f"{APPROVALS}/{approval}" in page.links()
        assert bool(page.tree.xpath('//input[@name="approval"]')) == (role is Role.ADMIN)


async def test_without_anything_it_says_so(org: Tenant) -> None:
    admin = await visit(org)
    assert "Nothing waits" in (await admin.see(APPROVALS)).text
    assert "None yet" in (await admin.see(APPROVALS, show="decided")).text
    assert "None of yours" in (await admin.see(APPROVALS, mine="yes")).text
    assert (await admin.see(APPROVALS, show="nonsense")).status == 200
    assert (await admin.open(APPROVALS, cursor="nonsense")).status == 422


async def test_filters_find_what_was_decided_and_what_is_mine(
    org: Tenant, pair: tuple[str, str]
) -> None:
    member, admin = await visit(org, Role.MEMBER), await visit(org)
    mine, other = await asked_by(org, pair, member), await waiting(org, pair)
    own = await member.see(APPROVALS, mine="yes")
    assert f"{APPROVALS}/{mine}" in own.links()
    assert f"{APPROVALS}/{other}" not in own.links()
    assert "You" in own.text
    await admin.done(f"{APPROVALS}/{other}", {"vote": "reject", "comment": ""})
    assert f"{APPROVALS}/{other}" not in (await admin.see(APPROVALS)).links()
    for shown in ("decided", "rejected"):
        page = await admin.see(APPROVALS, show=shown)
        assert f"{APPROVALS}/{other}" in page.links()
        assert "REJECTED" in page.text
    assert f"{APPROVALS}/{other}" not in (await admin.see(APPROVALS, show="approved")).links()


async def test_a_long_list_goes_on(org: Tenant, pair: tuple[str, str]) -> None:
    made = [await waiting(org, pair, "1") for _ in range(27)]
    admin = await visit(org)
    first = await admin.see(APPROVALS)
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    second = await admin.see(older)
    on = [
        {each for each in made if f"{APPROVALS}/{each}" in page.links()} for page in (first, second)
    ]
    assert [len(each) for each in on] == [25, 2]
    assert not on[0] & on[1]
    assert not second.tree.xpath('//a[@rel="next"]')


async def test_one_is_approved_with_a_comment(org: Tenant, pair: tuple[str, str]) -> None:
    approval, admin = await waiting(org, pair), await visit(org, name="Grace Admin")
    page = await admin.see(f"{APPROVALS}/{approval}")
    assert "Ada Payer to Bob Payee" in page.text
    to = await admin.done(
        f"{APPROVALS}/{approval}", {"vote": "approve", "comment": "<b>fine</b> & 100 %"}
    )
    assert to == f"{APPROVALS}/{approval}"
    analyst = await visit(org, Role.ANALYST)
    after = await analyst.see(to)
    assert "Grace Admin approved" in after.text
    assert "<b>fine</b> & 100 %" in after.text
    assert await status_of(org, approval) == "APPROVED"


async def test_a_rejected_one_says_what_became_of_it(org: Tenant, pair: tuple[str, str]) -> None:
    approval, admin = await waiting(org, pair), await visit(org)
    await admin.done(f"{APPROVALS}/{approval}", {"vote": "reject", "comment": "paid already"})
    page = await admin.see(f"{APPROVALS}/{approval}")
    assert "You rejected" in page.text
    assert "paid already" in page.text
    assert "its coins were let go" in page.text
    again = await admin.send(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": "twice"})
    assert again.status == 409
    assert "already" in again.text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"vote": "approve", "comment": "x" * 1001}, "comment"),
        ({"vote": "reject", "comment": "a\u0007b"}, "control"),
        ({"vote": "burn", "comment": "kept"}, "Choose to approve or to reject"),
        ({}, "Choose to approve or to reject"),
    ],
)
async def test_a_vote_that_is_refused_stays_filled_in(
    org: Tenant, pair: tuple[str, str], fields: dict[str, str], told: str
) -> None:
    approval, admin = await waiting(org, pair), await visit(org)
    page = await admin.send(f"{APPROVALS}/{approval}", fields)
    assert page.status == 422
    assert told in page.text
    assert page.tree.xpath('//input[@name="comment"]/@aria-invalid') == ["true"]
    if "a\u0007b" not in fields.values():
        assert page.value("comment") == fields.get("comment", "")
    assert await status_of(org, approval) == "PENDING"


async def test_several_are_decided_each_by_itself(org: Tenant, pair: tuple[str, str]) -> None:
    admin = await visit(org)
    good = [await waiting(org, pair), await waiting(org, pair)]
    mine, decided = await asked_by(org, pair, admin), await waiting(org, pair)
    await org.post(f"/v2/transfer-approvals/{decided}/reject")
    left = await waiting(org, pair)
    chosen = [good[0], mine, decided, str(new_id()), "nonsense", good[1], good[0]]
    page = await admin.send(APPROVALS, {"approval": chosen, "vote": "approve", "comment": "all"})
    assert page.status == 200
    (came,) = page.tree.xpath('//section[@role="status"]')
    lines = [" ".join(each.text_content().split()) for each in came.xpath(".//li")]
    assert len(lines) == 6
    assert [("APPROVED" in each, "not done" in each) for each in lines] == [
        (True, False),
        (False, True),
        (False, True),
        (False, True),
        (False, True),
        (True, False),
    ]
    assert "nobody decides on a payment that they asked for themselves" in lines[1]
    assert "already" in lines[2]
    found = [await status_of(org, each) for each in (*good, mine, decided, left)]
    assert found == ["APPROVED", "APPROVED", "PENDING", "REJECTED", "PENDING"]


async def test_a_vote_on_nothing_or_with_too_much_text_is_refused(
    org: Tenant, pair: tuple[str, str]
) -> None:
    approval, admin = await waiting(org, pair), await visit(org)
    none = await admin.send(APPROVALS, {"vote": "approve", "comment": "kept"})
    assert none.status == 422
    assert "Choose at least one payment first." in none.text
    assert none.value("comment") == "kept"
    long = await admin.send(
        APPROVALS, {"approval": approval, "vote": "approve", "comment": "x" * 1001}
    )
    assert long.status == 422
    assert long.tree.xpath('//input[@name="approval"]/@checked')
    assert (await admin.send(APPROVALS, {"approval": approval, "vote": "no"})).status == 422
    assert await status_of(org, approval) == "PENDING"


async def test_more_votes_may_be_needed(org: Tenant, pair: tuple[str, str]) -> None:
    rows = "insert into approval_policies values ($1, 2, false, 1, now())"
    await org.house.database.rows(rows, org.org_id)
    approval = await waiting(org, pair)
    first, second = await visit(org, name="First Admin"), await visit(org)
    page = await first.send(APPROVALS, {"approval": approval, "vote": "approve", "comment": ""})
    assert "it waits for more votes" in page.text
    after = await first.see(f"{APPROVALS}/{approval}")
    assert "1 of 2 votes for it" in after.text
    assert "You have voted" in after.text
    assert not after.tree.xpath('//button[@name="vote"]')
    assert not (await first.see(APPROVALS)).tree.xpath('//input[@name="approval"]')
    assert (await second.see(APPROVALS)).tree.xpath('//input[@name="approval"]')
    await second.done(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": ""})
    assert await status_of(org, approval) == "APPROVED"


async def test_who_may_not_vote_is_offered_nothing_and_refused(
    org: Tenant, pair: tuple[str, str]
) -> None:
    approval = await waiting(org, pair)
    fields = {"vote": "approve", "comment": ""}
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await visit(org, role)
        page = await somebody.see(f"{APPROVALS}/{approval}")
        assert "It waits for an admin." in page.text
        assert not page.tree.xpath('//button[@name="vote"]')
        assert (await somebody.send(f"{APPROVALS}/{approval}", fields)).status == 403
        sent = await somebody.send(APPROVALS, {**fields, "approval": approval})
        assert sent.status == 403 or "not done" in sent.text
    assert await status_of(org, approval) == "PENDING"


async def test_nobody_decides_on_their_own(org: Tenant, pair: tuple[str, str]) -> None:
    admin = await visit(org)
    approval = await asked_by(org, pair, admin)
    page = await admin.see(f"{APPROVALS}/{approval}")
    assert "You asked for it yourself" in page.text
    assert not page.tree.xpath('//button[@name="vote"]')
    sent = await admin.send(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": ""})
    assert sent.status == 403
    assert await status_of(org, approval) == "PENDING"


async def test_strangers_find_nothing(
    org: Tenant, other_org: Tenant, pair: tuple[str, str]
) -> None:
    approval, stranger = await waiting(org, pair), await visit(other_org)
    assert (await stranger.open(f"{APPROVALS}/{approval}")).status == 404
    assert (await stranger.open(f"{APPROVALS}/nonsense")).status == 404
    sent = await stranger.send(f"{APPROVALS}/{approval}", {"vote": "reject", "comment": ""})
    assert sent.status == 404
    assert "Nothing waits" in (await stranger.see(APPROVALS)).text
    several = await stranger.send(
        APPROVALS, {"approval": approval, "vote": "reject", "comment": ""}
    )
    assert "not done" in several.text
    assert await status_of(org, approval) == "PENDING"


async def test_a_batch_shows_its_payees(org: Tenant, pair: tuple[str, str]) -> None:
    carol = await make_user(org, firstName="Carol", lastName="O'Third")
    items: list[dict[str, Any]] = [
        {"userId": pair[1], "amount": "1.25"},
        {"userId": carol, "amount": "2"},
    ]
    body = batch_body(pair[0], *items, requireApproval=True)
    made = (await org.post("/v2/wallets/transfers/batches", body))["transferDetails"]
    admin = await visit(org)
    assert "Ada Payer to 2 payees" in (await admin.see(APPROVALS)).text
    page = await admin.see(f"{APPROVALS}/{made['receipt']['approval']['id']}")
    assert "3.25 usdc POLYGON" in page.text
    assert "Carol O'Third" in page.text
    assert "1.25 usdc POLYGON" in page.text


async def test_the_interface_lists_what_became_of_them(org: Tenant, pair: tuple[str, str]) -> None:
    first, second = await waiting(org, pair), await waiting(org, pair)
    await org.post(f"/v2/transfer-approvals/{first}/approve", {"comment": "yes"})
    page = await org.get("/v2/approvals")
    assert [each["id"] for each in page["approvals"]] == [second, first]
    (decided,) = (await org.get("/v2/approvals", status="APPROVED,REJECTED"))["approvals"]
    assert (decided["votesFor"], decided["threshold"]) == (1, 1)
    assert decided["votes"][0]["comment"] == "yes"
    assert decided == await org.get(f"/v2/approvals/{first}")
    mine = await org.get("/v2/approvals", initiatorProfileId=str(org.caller.id), limit=1)
    assert [each["id"] for each in mine["approvals"]] == [second]
    rest = await org.get("/v2/approvals", cursor=mine["nextCursor"])
    assert [each["id"] for each in rest["approvals"]] == [first]
    assert (await org.get("/v2/approvals", initiatorProfileId=str(new_id())))["count"] == 0
    assert (await org.refused("GET", "/v2/approvals", status="LOST")).startswith("400")
    assert (await org.refused("GET", "/v2/approvals", initiatorProfileId="me")).startswith("400")
