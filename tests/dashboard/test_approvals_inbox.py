"""Approval pages: the inbox, single and bulk votes, and permissions."""

from typing import Any

import pytest

from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import Visitor, visit
from tests.tenants import Tenant, batch_body, make_transfer, make_user

APPROVALS = "/dashboard/approvals"


@pytest.fixture
async def users(org: Tenant) -> tuple[str, str]:
    """Ada with funds, and Bob."""
    ada = await make_user(org, funds="1000", firstName="Ada", lastName="Payer")
    return ada, await make_user(org, firstName="Bob", lastName="Payee")


async def make_approval(org: Tenant, users: tuple[str, str], amount: str = "10") -> str:
    """Create a transfer that awaits approval, and return the ID of the approval."""
    created = await make_transfer(org, *users, amount, requireApproval=True)
    return str(created["approval"]["id"])


async def status_of(org: Tenant, approval: str) -> str:
    return str((await org.get(f"/v2/approvals/{approval}"))["status"])


async def make_approval_by(org: Tenant, users: tuple[str, str], visitor: Visitor) -> str:
    """Create an approval as if this member had requested it, and return its ID."""
    approval = await make_approval(org, users)
    await org.container.database.rows(
        "update approvals set initiator_id = $3, is_from_dashboard = true"
        " where org_id = $1 and id = $2::text::uuid",
        *(org.org_id, approval, visitor.member_id),
    )
    return approval


async def test_inbox_lists_pending_approvals(org: Tenant, users: tuple[str, str]) -> None:
    approval = await make_approval(org, users, "12.5")
    for role in MemberRole:
        page = await (await visit(org, role)).load(APPROVALS)
        assert "Ada Payer to Bob Payee" in page.text
        assert "12.50 USDC on Polygon" in page.text
        assert "0 of 1" in page.text
        assert "API key test key" in page.text
        assert f"{APPROVALS}/{approval}" in page.links()
        assert bool(page.tree.xpath('//input[@name="approval"]')) == (role is MemberRole.ADMIN)
        # Several may be selected, so the question is not about one payment.
        assert page.tree.xpath("//button[@value='reject']/@data-confirm") == [
            "Reject the selected payments? The held funds are released to the senders."
        ] * (role is MemberRole.ADMIN)


async def test_empty_inbox_shows_an_empty_state(org: Tenant) -> None:
    admin = await visit(org)
    assert "You're all caught up" in (await admin.load(APPROVALS)).text
    assert "Nothing here yet" in (await admin.load(APPROVALS, show="decided")).text
    assert "No requests of yours" in (await admin.load(APPROVALS, mine="yes")).text
    assert (await admin.load(APPROVALS, show="nonsense")).status == 200
    assert (await admin.open(APPROVALS, cursor="nonsense")).status == 422


async def test_filters_find_decided_and_own_approvals(org: Tenant, users: tuple[str, str]) -> None:
    member, admin = await visit(org, MemberRole.MEMBER), await visit(org)
    mine, other = await make_approval_by(org, users, member), await make_approval(org, users)
    own = await member.load(APPROVALS, mine="yes")
    assert f"{APPROVALS}/{mine}" in own.links()
    assert f"{APPROVALS}/{other}" not in own.links()
    assert "You" in own.text
    await admin.submit(f"{APPROVALS}/{other}", {"vote": "reject", "comment": ""})
    assert f"{APPROVALS}/{other}" not in (await admin.load(APPROVALS)).links()
    for shown in ("decided", "rejected"):
        page = await admin.load(APPROVALS, show=shown)
        assert f"{APPROVALS}/{other}" in page.links()
        assert 'title="REJECTED"' in page.response.text
    assert f"{APPROVALS}/{other}" not in (await admin.load(APPROVALS, show="approved")).links()


async def test_long_list_is_paged(org: Tenant, users: tuple[str, str]) -> None:
    created = [await make_approval(org, users, "1") for _ in range(27)]
    admin = await visit(org)
    first = await admin.load(APPROVALS)
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    second = await admin.load(older)
    on = [
        {each for each in created if f"{APPROVALS}/{each}" in page.links()}
        for page in (first, second)
    ]
    assert [len(each) for each in on] == [25, 2]
    assert not on[0] & on[1]
    assert not second.tree.xpath('//a[@rel="next"]')


async def test_admin_approves_with_a_comment(org: Tenant, users: tuple[str, str]) -> None:
    approval, admin = await make_approval(org, users), await visit(org, name="Grace Admin")
    page = await admin.load(f"{APPROVALS}/{approval}")
    assert "Ada Payer to Bob Payee" in page.text
    to = await admin.submit(
        f"{APPROVALS}/{approval}", {"vote": "approve", "comment": "<b>fine</b> & 100 %"}
    )
    assert to == f"{APPROVALS}/{approval}"
    analyst = await visit(org, MemberRole.ANALYST)
    after = await analyst.load(to)
    assert "Grace Admin approved" in after.text
    assert "<b>fine</b> & 100 %" in after.text
    assert await status_of(org, approval) == "APPROVED"


async def test_rejected_approval_shows_its_outcome(org: Tenant, users: tuple[str, str]) -> None:
    approval, admin = await make_approval(org, users), await visit(org)
    await admin.submit(f"{APPROVALS}/{approval}", {"vote": "reject", "comment": "paid already"})
    page = await admin.load(f"{APPROVALS}/{approval}")
    assert "You rejected" in page.text
    assert "paid already" in page.text
    assert "its held funds were released" in page.text
    again = await admin.send(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": "twice"})
    assert again.status == 409
    assert "already" in again.text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"vote": "approve", "comment": "x" * 1001}, "comment"),
        ({"vote": "reject", "comment": "a\u0007b"}, "control"),
        ({"vote": "burn", "comment": "kept"}, "Choose approve or reject"),
        ({}, "Choose approve or reject"),
    ],
)
async def test_refused_vote_keeps_the_form_values(
    org: Tenant, users: tuple[str, str], fields: dict[str, str], message: str
) -> None:
    approval, admin = await make_approval(org, users), await visit(org)
    page = await admin.send(f"{APPROVALS}/{approval}", fields)
    assert page.status == 422
    assert message in page.text
    assert page.tree.xpath('//input[@name="comment"]/@aria-invalid') == ["true"]
    if "a\u0007b" not in fields.values():
        assert page.value("comment") == fields.get("comment", "")
    assert await status_of(org, approval) == "PENDING"


async def test_selected_approvals_are_decided_independently(
    org: Tenant, users: tuple[str, str]
) -> None:
    admin = await visit(org)
    good = [await make_approval(org, users), await make_approval(org, users)]
    mine, decided = await make_approval_by(org, users, admin), await make_approval(org, users)
    await org.post(f"/v2/transfer-approvals/{decided}/reject")
    unselected = await make_approval(org, users)
    chosen = [good[0], mine, decided, str(new_id()), "nonsense", good[1], good[0]]
    page = await admin.send(APPROVALS, {"approval": chosen, "vote": "approve", "comment": "all"})
    assert page.status == 200
    (results,) = page.tree.xpath('//section[@role="status"]')
    lines = [" ".join(each.text_content().split()) for each in results.xpath(".//li")]
    assert len(lines) == 6
    assert [("Approved" in each, "Not recorded" in each) for each in lines] == [
        (True, False),
        (False, True),
        (False, True),
        (False, True),
        (False, True),
        (True, False),
    ]
    assert "nobody may decide on a payment that they requested" in lines[1]
    assert "already" in lines[2]
    found = [await status_of(org, each) for each in (*good, mine, decided, unselected)]
    assert found == ["APPROVED", "APPROVED", "PENDING", "REJECTED", "PENDING"]


async def test_vote_without_selection_or_with_long_comment_is_refused(
    org: Tenant, users: tuple[str, str]
) -> None:
    approval, admin = await make_approval(org, users), await visit(org)
    none = await admin.send(APPROVALS, {"vote": "approve", "comment": "kept"})
    assert none.status == 422
    assert "Select at least one payment first." in none.text
    assert none.value("comment") == "kept"
    long = await admin.send(
        APPROVALS, {"approval": approval, "vote": "approve", "comment": "x" * 1001}
    )
    assert long.status == 422
    assert long.tree.xpath('//input[@name="approval"]/@checked')
    assert (await admin.send(APPROVALS, {"approval": approval, "vote": "no"})).status == 422
    assert await status_of(org, approval) == "PENDING"


async def test_policy_can_require_more_votes(org: Tenant, users: tuple[str, str]) -> None:
    rows = "insert into approval_policies values ($1, 2, false, 1, now())"
    await org.container.database.rows(rows, org.org_id)
    approval = await make_approval(org, users)
    first, second = await visit(org, name="First Admin"), await visit(org)
    page = await first.send(APPROVALS, {"approval": approval, "vote": "approve", "comment": ""})
    assert "Vote recorded. More votes are needed." in page.text
    after = await first.load(f"{APPROVALS}/{approval}")
    assert "1 of 2 approvals" in after.text
    assert "You have voted" in after.text
    assert not after.tree.xpath('//button[@name="vote"]')
    assert not (await first.load(APPROVALS)).tree.xpath('//input[@name="approval"]')
    assert (await second.load(APPROVALS)).tree.xpath('//input[@name="approval"]')
    await second.submit(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": ""})
    assert await status_of(org, approval) == "APPROVED"


async def test_members_without_vote_get_no_form_and_are_refused(
    org: Tenant, users: tuple[str, str]
) -> None:
    approval = await make_approval(org, users)
    fields = {"vote": "approve", "comment": ""}
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        visitor = await visit(org, role)
        page = await visitor.load(f"{APPROVALS}/{approval}")
        assert "Only an admin can decide." in page.text
        assert not page.tree.xpath('//button[@name="vote"]')
        assert (await visitor.send(f"{APPROVALS}/{approval}", fields)).status == 403
        sent = await visitor.send(APPROVALS, {**fields, "approval": approval})
        assert sent.status == 403 or "Not recorded" in sent.text
    assert await status_of(org, approval) == "PENDING"


async def test_requester_cannot_vote_on_own_request(org: Tenant, users: tuple[str, str]) -> None:
    admin = await visit(org)
    approval = await make_approval_by(org, users, admin)
    page = await admin.load(f"{APPROVALS}/{approval}")
    assert "You requested this" in page.text
    assert not page.tree.xpath('//button[@name="vote"]')
    sent = await admin.send(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": ""})
    assert sent.status == 403
    assert await status_of(org, approval) == "PENDING"


async def test_approvals_of_other_organisations_are_not_found(
    org: Tenant, other_org: Tenant, users: tuple[str, str]
) -> None:
    approval, outsider = await make_approval(org, users), await visit(other_org)
    assert (await outsider.open(f"{APPROVALS}/{approval}")).status == 404
    assert (await outsider.open(f"{APPROVALS}/nonsense")).status == 404
    sent = await outsider.send(f"{APPROVALS}/{approval}", {"vote": "reject", "comment": ""})
    assert sent.status == 404
    assert "You're all caught up" in (await outsider.load(APPROVALS)).text
    several = await outsider.send(
        APPROVALS, {"approval": approval, "vote": "reject", "comment": ""}
    )
    assert "Not recorded" in several.text
    assert await status_of(org, approval) == "PENDING"


async def test_batch_approval_lists_recipients(org: Tenant, users: tuple[str, str]) -> None:
    carol = await make_user(org, firstName="Carol", lastName="O'Third")
    items: list[dict[str, Any]] = [
        {"userId": users[1], "amount": "1.25"},
        {"userId": carol, "amount": "2"},
    ]
    body = batch_body(users[0], *items, requireApproval=True)
    created = (await org.post("/v2/wallets/transfers/batches", body))["transferDetails"]
    admin = await visit(org)
    assert "Ada Payer to 2 recipients" in (await admin.load(APPROVALS)).text
    page = await admin.load(f"{APPROVALS}/{created['receipt']['approval']['id']}")
    assert "3.25 USDC Polygon" in page.text
    assert "Carol O'Third" in page.text
    assert "1.25 USDC Polygon" in page.text


async def test_api_lists_outcomes_of_approvals(org: Tenant, users: tuple[str, str]) -> None:
    first, second = await make_approval(org, users), await make_approval(org, users)
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
