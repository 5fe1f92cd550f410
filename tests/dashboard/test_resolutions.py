"""Resolution pages: requested by one person, approved by another, executed."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario, refused_refund
from tests.payments.resolutions.stuck_world import STAGES, Fault, World, stuck_world
from tests.payouts import OUTSIDE
from tests.resolution_team import RESOLUTIONS, body, make_approver, make_stuck_transfer
from tests.tenants import Tenant, make_user, refusal, register

PAGES, APPROVALS = "/dashboard/reviews/resolutions", "/dashboard/approvals"
EVIDENCE = "Ticket 17: <b>their</b> support says & writes so"


@pytest.fixture
async def scenario(database: Database) -> AsyncIterator[OfframpScenario]:
    async with open_scenario(database) as scenario:
        yield scenario


@pytest.fixture
async def stuck(database: Database) -> AsyncIterator[World]:
    async with stuck_world(database) as world:
        yield world


async def request(visitor: Visitor, transfer_id: str, action: str, **fields: str) -> DashboardPage:
    """Fill in and send the form on a payment's page."""
    page = await visitor.load(f"{PAGES}/{transfer_id}")
    form = {"requestId": page.value("requestId"), "action": action, "evidence": EVIDENCE}
    return await visitor.send(f"{PAGES}/{transfer_id}", form | fields)


async def approval_of(org: Tenant, transfer_id: str) -> str:
    """Return the ID of the approval of a payment's newest resolution."""
    found = await org.get(f"{RESOLUTIONS}/actions/{transfer_id}")
    return str(found["resolutions"][0]["approvalId"])


async def advance(org: Tenant, seconds: int) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})


async def approve_and_run(org: Tenant, visitor: Visitor, transfer_id: str) -> None:
    """Approve the newest resolution as a second person, and let it run."""
    approval = await approval_of(org, transfer_id)
    await visitor.submit(
        f"{APPROVALS}/{approval}", {"vote": "approve", "comment": "I called, too."}
    )
    for seconds in (5, 125, 60):
        await advance(org, seconds)


async def test_resolution_is_requested_approved_and_executed(org: Tenant) -> None:
    transfer, payment = await make_stuck_transfer(org), "/dashboard/transactions"
    grace, mary = await visit(org, name="Grace Admin"), await visit(org, name="Mary Admin")
    assert f"{PAGES}/{transfer}" in (await grace.load(f"{payment}/{transfer}")).links()
    (link,) = (await grace.load(f"{payment}/{transfer}")).tree.xpath(
        f"//a[@href='{PAGES}/{transfer}']"
    )
    assert link.text_content().strip() == "Request resolution"
    page = await grace.load(f"{PAGES}/{transfer}")
    assert "Ada Example to Ada Example" in page.text
    assert "Held funds are released" in page.text
    assert "Evidence that the provider executed the order" in page.text
    assert page.tree.xpath("//select[@name='action']/option/@value") == ["CONFIRM", "FAIL"]
    assert (await request(grace, transfer, "FAIL")).status == 303
    for path in (PAGES, f"{PAGES}/{transfer}", f"{payment}/{transfer}"):
        text = (await grace.load(path)).text
        assert "Fail order" in text
        assert "Awaiting approval" in text
    approval = f"{APPROVALS}/{await approval_of(org, transfer)}"
    own = await grace.load(approval)
    assert "You requested this" in own.text
    assert not own.tree.xpath('//button[@name="vote"]')
    shown_page = await mary.load(approval)
    assert EVIDENCE in shown_page.text
    assert "Grace Admin" in shown_page.text
    assert f"{payment}/{transfer}" in shown_page.links()
    await approve_and_run(org, mary, transfer)
    assert "before the resolution runs" in (await grace.load(approval)).text
    after = await grace.load(f"{PAGES}/{transfer}")
    for words in ("Completed", "Failed", "Mary Admin approved", "I called, too.", "You"):
        assert words in after.text
    assert "No action is available" in after.text
    assert "You're all caught up" in (await grace.load(PAGES)).text
    assert f"{PAGES}/{transfer}" in (await grace.load(PAGES, show="decided")).links()
    assert "Completed" in (await grace.load(f"{payment}/{transfer}")).text


async def test_invalid_request_shows_errors_at_fields(org: Tenant) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    before = (await admin.load(f"{PAGES}/{transfer}")).value("requestId")
    fields = {"requestId": before, "action": "FAIL", "evidence": " "}
    blank = await admin.send(f"{PAGES}/{transfer}", fields)
    assert blank.status == 422
    assert blank.tree.xpath('//textarea[@name="evidence"]/@aria-invalid') == ["true"]
    assert blank.tree.xpath("//select[@name='action']/option[@selected]/@value") == ["FAIL"]
    assert blank.value("requestId") == before
    for wrong in ({"action": ""}, {"action": "BURN"}):
        page = await admin.send(f"{PAGES}/{transfer}", fields | {"evidence": "known"} | wrong)
        assert page.status == 422
        assert page.tree.xpath('//select[@name="action"]/@aria-invalid') == ["true"]
        assert page.tree.xpath('string(//textarea[@name="evidence"])') == "known"
    odd = await request(admin, transfer, "FAIL", requestId="nonsense")
    assert odd.status == 422
    assert odd.value("requestId") != "nonsense"
    elsewhere = await request(admin, transfer, "FAIL", address=OUTSIDE)
    assert elsewhere.status == 422
    assert "address is only for REDIRECT" in elsewhere.text
    assert (await request(admin, transfer, "SETTLE_OUTSIDE")).status == 409
    for nothing in ("nonsense", str(uuid4()), await _deposit(org)):
        assert (await admin.open(f"{PAGES}/{nothing}")).status == 404
        assert (await admin.send(f"{PAGES}/{nothing}", fields)).status == 404
    assert (await org.get(RESOLUTIONS))["resolutions"] == []


async def _deposit(org: Tenant) -> str:
    """Return the id of a record whose flow has no resolutions."""
    user = await make_user(org, funds="10")
    path = f"/v2/users/{user}/wallets/deposits"
    (deposit,) = (await org.get(path, chain="POLYGON", currency="usdc"))["records"]
    return str(deposit["id"])


async def test_resubmitted_form_requests_once(org: Tenant) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    fields = {"requestId": str(uuid4()), "action": "FAIL", "evidence": EVIDENCE}
    for _ in range(2):
        assert await admin.submit(f"{PAGES}/{transfer}", fields) == f"{PAGES}/{transfer}"
    other = await admin.send(f"{PAGES}/{transfer}", fields | {"requestId": str(uuid4())})
    assert other.status == 409
    assert not other.tree.xpath('//textarea[@name="evidence"]')
    assert (await org.get(RESOLUTIONS))["count"] == 1


async def test_members_see_resolutions_and_only_admins_request(
    org: Tenant, other_org: Tenant
) -> None:
    transfer = await make_stuck_transfer(org)
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        visitor = await visit(org, role)
        page = await visitor.load(f"{PAGES}/{transfer}")
        assert "Available actions" in page.text
        assert not page.tree.xpath("//main//textarea")
        fields = {"requestId": str(uuid4()), "action": "FAIL", "evidence": EVIDENCE}
        assert (await visitor.send(f"{PAGES}/{transfer}", fields)).status == 403
        # Before attention is needed, only members who may decide see the link.
        payment = await visitor.load(f"/dashboard/transactions/{transfer}")
        assert f"{PAGES}/{transfer}" not in payment.links()
    await org.post(RESOLUTIONS, body(transfer, "FAIL", evidence=EVIDENCE))
    approval = await approval_of(org, transfer)
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        visitor = await visit(org, role)
        for path in (f"{PAGES}/{transfer}", f"{APPROVALS}/{approval}"):
            page = await visitor.load(path)
            assert EVIDENCE in page.text
            assert not page.tree.xpath('//button[@name="vote"]')
    outsider = await visit(other_org)
    for path in (f"{PAGES}/{transfer}", f"{APPROVALS}/{approval}"):
        assert (await outsider.open(path)).status == 404
    assert "You're all caught up" in (await outsider.load(PAGES, show="nonsense")).text
    assert (await outsider.open(PAGES, cursor="nonsense")).status == 422


async def test_inbox_shows_action_and_payment(org: Tenant) -> None:
    transfers = [await make_stuck_transfer(org) for _ in range(2)]
    for each in transfers:
        await org.post(RESOLUTIONS, body(each, "FAIL"))
    approvals = [await approval_of(org, each) for each in transfers]
    admin = await visit(org)
    rows = (await admin.load(APPROVALS)).tree.xpath("//tbody/tr")
    assert len(rows) == 2
    for row in rows:
        text = " ".join(row.text_content().split())
        assert "Fail order: Wallet transfer, Ada Example to Ada Example" in text
        assert "Ticket 4711" in text
        assert "1.00 USDC Polygon" in text
    fields = {"approval": approvals, "vote": "reject", "comment": "No."}
    decided = await admin.send(APPROVALS, fields)
    assert decided.text.count("Resolution, 1.00 USDC Polygon, Fail order") == 2
    after = await admin.load(f"{APPROVALS}/{approvals[0]}")
    assert "Rejected. The payment stays unchanged." in after.text
    again = await admin.load(f"{PAGES}/{transfers[0]}")
    assert "Rejected" in again.text
    assert again.tree.xpath('//textarea[@name="evidence"]')


async def test_payment_that_cannot_be_shown_takes_no_votes(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    await org.post(RESOLUTIONS, body(transfer, "FAIL"))
    approval = await approval_of(org, transfer)
    cards = "landbridge.dashboard.approvals.payment_cards._PATHS"
    monkeypatch.setattr(cards, dict[str, str]())
    page = await admin.load(f"{APPROVALS}/{approval}")
    assert "voting is disabled" in page.text
    for shown in (page, await admin.load(APPROVALS)):
        assert not shown.tree.xpath('//button[@name="vote"]')


async def test_refund_can_go_to_another_address(scenario: OfframpScenario) -> None:
    created, admin = await refused_refund(scenario), await visit(scenario.org)
    payment = await admin.load(f"/dashboard/transactions/{created['id']}")
    assert "Why it needs attention: refused 6 times" in payment.text
    assert f"{PAGES}/{created['id']}" in payment.links()
    assert f"/dashboard/transactions/{created['id']}" in (await admin.load("/dashboard")).links()
    page = await admin.load(f"{PAGES}/{created['id']}")
    assert "the address is blocked" in page.text
    assert page.tree.xpath('//div[@data-when="action=REDIRECT"]//input/@name') == ["address"]
    assert page.tree.xpath('//div[@data-when="action=CONFIRM"]//input/@name') == ["transactionHash"]
    refused = await request(admin, created["id"], "REDIRECT", address=OUTSIDE)
    assert refused.status == 422
    assert refused.tree.xpath('//input[@name="address"]/@aria-invalid') == ["true"]
    assert refused.value("address") == OUTSIDE
    await register(scenario.org, scenario.ada, OUTSIDE)
    assert (await request(admin, created["id"], "REDIRECT", address=OUTSIDE)).status == 303
    mary = await visit(scenario.org)
    approval = f"{APPROVALS}/{await approval_of(scenario.org, created['id'])}"
    for path in (APPROVALS, approval):
        assert "New destination" in (await mary.load(path)).text
        assert OUTSIDE in (await mary.load(path)).response.text


async def test_fiat_return_goes_to_a_user_account(stuck: World) -> None:
    org, admin = stuck.cast.org, await visit(stuck.cast.org)
    (stage,) = [each for each in STAGES if str(each) == "ONRAMP return"]
    created = await stuck.open(stage, Fault.REFUSES)
    page = await admin.load(f"{PAGES}/{created['id']}")
    assert not page.tree.xpath('//input[@name="address" or @name="transactionHash"]')
    (account, *_) = page.tree.xpath('//select[@name="accountId"]/option[@value!=""]/@value')
    unknown = await request(admin, created["id"], "REDIRECT", accountId="nonsense")
    assert unknown.status == 422
    assert unknown.tree.xpath('//select[@name="accountId"]/@aria-invalid') == ["true"]
    assert (await request(admin, created["id"], "REDIRECT", accountId=account)).status == 303
    approval = f"{APPROVALS}/{await approval_of(org, created['id'])}"
    for path in (approval, f"{PAGES}/{created['id']}"):
        shown_page = await (await visit(org)).load(path)
        assert [each for each in shown_page.links() if each.endswith(f"/accounts/{account}")]


async def test_bank_order_has_no_hash(stuck: World) -> None:
    admin = await visit(stuck.cast.org)
    (stage,) = [each for each in STAGES if str(each) == "OFFRAMP payout"]
    created = await stuck.open(stage, Fault.FORGETS)
    page = await admin.load(f"{PAGES}/{created['id']}")
    assert page.tree.xpath("//select[@name='action']/option/@value") == ["CONFIRM", "FAIL"]
    assert not page.tree.xpath('//input[@name="transactionHash"]')


async def test_deposit_is_reversed_and_the_receivable_written_off(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp)
    await settle(org)
    grace, mary = await visit(org), await visit(org)
    payment = await grace.load(f"/dashboard/transactions/{onramp['id']}")
    # Only one action is possible, so the link names it.
    links = payment.tree.xpath(f"//a[@href='{PAGES}/{onramp['id']}']")
    assert [each.text_content().strip() for each in links] == ["Record reversed deposit"]
    assert (await request(grace, onramp["id"], "DEPOSIT_REVERSED")).status == 303
    await approve_and_run(org, mary, onramp["id"])
    (owed,) = (await org.get("/v2/reviews/receivables"))["reviews"]
    assert f"{PAGES}/{owed['id']}" in (await grace.load("/dashboard/reviews/receivables")).links()
    page = await grace.load(f"{PAGES}/{owed['id']}")
    assert "Receivable: Debt of Ada" in page.text
    assert f"/dashboard/transactions/{onramp['id']}" in page.links()
    assert (await request(grace, owed["id"], "WRITE_OFF")).status == 303
    inbox = await mary.load(APPROVALS)
    assert "Write off receivable: Receivable, Debt of Ada" in inbox.text
    approval = await mary.load(f"{APPROVALS}/{await approval_of(org, owed['id'])}")
    assert f"/dashboard/transactions/{onramp['id']}" in approval.links()
    await approve_and_run(org, mary, owed["id"])
    assert 'title="WRITTEN_OFF"' in (await grace.load(f"{PAGES}/{owed['id']}")).response.text


async def test_disbursement_belongs_to_the_organisation(scenario: OfframpScenario) -> None:
    created = await scenario.from_outside()
    scenario.chains.raise_before_next = None
    await scenario.org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    (found,) = (await scenario.org.get(f"/v2/transactions/{created['id']}"))["disbursements"]
    page = await (await visit(scenario.org)).load(f"{PAGES}/{found['id']}")
    assert "Payout: The organisation to" in page.text


async def test_api_key_can_approve(org: Tenant) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    assert (await request(admin, transfer, "FAIL")).status == 303
    path = f"/v2/transfer-approvals/{await approval_of(org, transfer)}/approve"
    await (await make_approver(org)).post(path, {})
    page = await admin.load(f"{PAGES}/{transfer}")
    assert "A resolution was approved." in page.text
    assert "API key approver approved" in page.text
    late = await org.send("POST", RESOLUTIONS, body(transfer, "FAIL"))
    assert refusal(late) == "409 RESOURCE_CONFLICT"
