"""Pages of resolutions: requested by one person, approved by another, carried out."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from landbridge.db.pool import Database
from landbridge.web.caller import Role
from tests.dashboard.browsing import Opened, Visit, visit
from tests.flows.offramps.playing import Play, playing, refused_refund
from tests.flows.resolutions.stuck_world import STAGES, Fault, World, stuck_world
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.payouts import OUTSIDE
from tests.resolving import RESOLUTIONS, body, make_approver, make_stuck_transfer
from tests.tenants import Tenant, make_swap, make_user, refusal, register

PAGES, APPROVALS = "/dashboard/reviews/resolutions", "/dashboard/approvals"
EVIDENCE = "Ticket 17: <b>their</b> support says & writes so"


@pytest.fixture
async def play(database: Database) -> AsyncIterator[Play]:
    async with playing(database) as play:
        yield play


@pytest.fixture
async def stuck(database: Database) -> AsyncIterator[World]:
    async with stuck_world(database) as world:
        yield world


async def request(somebody: Visit, transfer_id: str, action: str, **fields: str) -> Opened:
    """The form of a payment's page, filled in and sent."""
    page = await somebody.see(f"{PAGES}/{transfer_id}")
    told = {"requestId": page.value("requestId"), "action": action, "evidence": EVIDENCE}
    return await somebody.send(f"{PAGES}/{transfer_id}", told | fields)


async def approval_of(org: Tenant, transfer_id: str) -> str:
    """The id of the approval of a payment's newest resolution."""
    found = await org.get(f"{RESOLUTIONS}/actions/{transfer_id}")
    return str(found["resolutions"][0]["approvalId"])


async def advance(org: Tenant, seconds: int) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})


async def agree(org: Tenant, somebody: Visit, transfer_id: str) -> None:
    """A second person approves the newest resolution, and it is carried out."""
    approval = await approval_of(org, transfer_id)
    await somebody.done(f"{APPROVALS}/{approval}", {"vote": "approve", "comment": "I called, too."})
    for seconds in (5, 125, 60):
        await advance(org, seconds)


async def test_a_resolution_from_its_request_to_its_end(org: Tenant) -> None:
    transfer, payment = await make_stuck_transfer(org), "/dashboard/transactions"
    grace, mary = await visit(org, name="Grace Admin"), await visit(org, name="Mary Admin")
    assert f"{PAGES}/{transfer}" in (await grace.see(f"{payment}/{transfer}")).links()
    page = await grace.see(f"{PAGES}/{transfer}")
    assert "Ada Example to Ada Example" in page.text
    assert "Held funds are released" in page.text
    assert "Evidence: the provider carried the order out." in page.text
    assert page.tree.xpath("//select[@name='action']/option/@value") == ["CONFIRM", "FAIL"]
    assert (await request(grace, transfer, "FAIL")).status == 303
    for path in (PAGES, f"{PAGES}/{transfer}", f"{payment}/{transfer}"):
        told = (await grace.see(path)).text
        assert "Fail the order" in told
        assert "Waiting for approval" in told
    approval = f"{APPROVALS}/{await approval_of(org, transfer)}"
    own = await grace.see(approval)
    assert "You asked for it yourself" in own.text
    assert not own.tree.xpath('//button[@name="vote"]')
    seen = await mary.see(approval)
    assert EVIDENCE in seen.text
    assert "Grace Admin" in seen.text
    assert f"{payment}/{transfer}" in seen.links()
    await agree(org, mary, transfer)
    assert "the resolution is carried out" in (await grace.see(approval)).text
    after = await grace.see(f"{PAGES}/{transfer}")
    for words in ("Carried out", "FAILED", "Mary Admin approved", "I called, too.", "You"):
        assert words in after.text
    assert "There is nothing to decide now" in after.text
    assert "Nothing waits" in (await grace.see(PAGES)).text
    assert f"{PAGES}/{transfer}" in (await grace.see(PAGES, show="decided")).links()
    assert "Carried out" in (await grace.see(f"{payment}/{transfer}")).text


async def test_what_is_requested_wrongly_is_shown_at_its_field(org: Tenant) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    before = (await admin.see(f"{PAGES}/{transfer}")).value("requestId")
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
    assert "address is for REDIRECT" in elsewhere.text
    assert (await request(admin, transfer, "SETTLE_OUTSIDE")).status == 409
    for nothing in ("nonsense", str(uuid4()), str((await _swap(org))["id"])):
        assert (await admin.open(f"{PAGES}/{nothing}")).status == 404
        assert (await admin.send(f"{PAGES}/{nothing}", fields)).status == 404
    assert (await org.get(RESOLUTIONS))["resolutions"] == []


async def _swap(org: Tenant) -> dict[str, str]:
    return await make_swap(org, await make_user(org, funds="10"), "5")


async def test_a_form_that_is_sent_twice_requests_once(org: Tenant) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    fields = {"requestId": str(uuid4()), "action": "FAIL", "evidence": EVIDENCE}
    for _ in range(2):
        assert await admin.done(f"{PAGES}/{transfer}", fields) == f"{PAGES}/{transfer}"
    other = await admin.send(f"{PAGES}/{transfer}", fields | {"requestId": str(uuid4())})
    assert other.status == 409
    assert not other.tree.xpath('//textarea[@name="evidence"]')
    assert (await org.get(RESOLUTIONS))["count"] == 1


async def test_members_look_and_only_admins_request(org: Tenant, other_org: Tenant) -> None:
    transfer = await make_stuck_transfer(org)
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await visit(org, role)
        page = await somebody.see(f"{PAGES}/{transfer}")
        assert "What can be decided" in page.text
        assert not page.tree.xpath("//main//textarea")
        fields = {"requestId": str(uuid4()), "action": "FAIL", "evidence": EVIDENCE}
        assert (await somebody.send(f"{PAGES}/{transfer}", fields)).status == 403
        # What does not need a person yet is offered to those alone who may decide.
        payment = await somebody.see(f"/dashboard/transactions/{transfer}")
        assert f"{PAGES}/{transfer}" not in payment.links()
    await org.post(RESOLUTIONS, body(transfer, "FAIL", evidence=EVIDENCE))
    approval = await approval_of(org, transfer)
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await visit(org, role)
        for path in (f"{PAGES}/{transfer}", f"{APPROVALS}/{approval}"):
            page = await somebody.see(path)
            assert EVIDENCE in page.text
            assert not page.tree.xpath('//button[@name="vote"]')
    stranger = await visit(other_org)
    for path in (f"{PAGES}/{transfer}", f"{APPROVALS}/{approval}"):
        assert (await stranger.open(path)).status == 404
    assert "Nothing waits" in (await stranger.see(PAGES, show="nonsense")).text
    assert (await stranger.open(PAGES, cursor="nonsense")).status == 422


async def test_the_inbox_says_what_is_decided_on_what(org: Tenant) -> None:
    transfers = [await make_stuck_transfer(org) for _ in range(2)]
    for each in transfers:
        await org.post(RESOLUTIONS, body(each, "FAIL"))
    approvals = [await approval_of(org, each) for each in transfers]
    admin = await visit(org)
    rows = (await admin.see(APPROVALS)).tree.xpath("//tbody/tr")
    assert len(rows) == 2
    for row in rows:
        told = " ".join(row.text_content().split())
        assert "Fail the order: Wallet transfer, Ada Example to Ada Example" in told
        assert "Ticket 4711" in told
        assert "1.00 usdc POLYGON" in told
    fields = {"approval": approvals, "vote": "reject", "comment": "No."}
    decided = await admin.send(APPROVALS, fields)
    assert decided.text.count("Resolution, 1.00 usdc POLYGON, Fail the order") == 2
    after = await admin.see(f"{APPROVALS}/{approvals[0]}")
    assert "It was rejected. The payment is left as it is." in after.text
    again = await admin.see(f"{PAGES}/{transfers[0]}")
    assert "Rejected" in again.text
    assert again.tree.xpath('//textarea[@name="evidence"]')


async def test_nobody_votes_on_what_they_cannot_see(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    await org.post(RESOLUTIONS, body(transfer, "FAIL"))
    approval = await approval_of(org, transfer)
    cards = "landbridge.dashboard.approvals.payment_cards._PATHS"
    monkeypatch.setattr(cards, dict[str, str]())
    page = await admin.see(f"{APPROVALS}/{approval}")
    assert "nobody can decide on it" in page.text
    for seen in (page, await admin.see(APPROVALS)):
        assert not seen.tree.xpath('//button[@name="vote"]')


async def test_a_refund_goes_to_another_address(play: Play) -> None:
    made, admin = await refused_refund(play), await visit(play.org)
    payment = await admin.see(f"/dashboard/transactions/{made['id']}")
    assert "Why it needs a person: refused 6 times" in payment.text
    assert f"{PAGES}/{made['id']}" in payment.links()
    assert f"/dashboard/transactions/{made['id']}" in (await admin.see("/dashboard")).links()
    page = await admin.see(f"{PAGES}/{made['id']}")
    assert "the address is blocked" in page.text
    assert page.tree.xpath('//div[@data-when="action=REDIRECT"]//input/@name') == ["address"]
    assert page.tree.xpath('//div[@data-when="action=CONFIRM"]//input/@name') == ["transactionHash"]
    refused = await request(admin, made["id"], "REDIRECT", address=OUTSIDE)
    assert refused.status == 422
    assert refused.tree.xpath('//input[@name="address"]/@aria-invalid') == ["true"]
    assert refused.value("address") == OUTSIDE
    await register(play.org, play.ada, OUTSIDE)
    assert (await request(admin, made["id"], "REDIRECT", address=OUTSIDE)).status == 303
    mary = await visit(play.org)
    approval = f"{APPROVALS}/{await approval_of(play.org, made['id'])}"
    for path in (APPROVALS, approval):
        assert "New destination" in (await mary.see(path)).text
        assert OUTSIDE in (await mary.see(path)).answer.text


async def test_a_return_in_fiat_goes_to_an_account_of_the_user(stuck: World) -> None:
    org, admin = stuck.cast.org, await visit(stuck.cast.org)
    (stage,) = [each for each in STAGES if str(each) == "ONRAMP return"]
    made = await stuck.open(stage, Fault.REFUSES)
    page = await admin.see(f"{PAGES}/{made['id']}")
    assert not page.tree.xpath('//input[@name="address" or @name="transactionHash"]')
    (account, *_) = page.tree.xpath('//select[@name="accountId"]/option[@value!=""]/@value')
    unknown = await request(admin, made["id"], "REDIRECT", accountId="nonsense")
    assert unknown.status == 422
    assert unknown.tree.xpath('//select[@name="accountId"]/@aria-invalid') == ["true"]
    assert (await request(admin, made["id"], "REDIRECT", accountId=account)).status == 303
    approval = f"{APPROVALS}/{await approval_of(org, made['id'])}"
    for path in (approval, f"{PAGES}/{made['id']}"):
        seen = await (await visit(org)).see(path)
        assert [each for each in seen.links() if each.endswith(f"/accounts/{account}")]


async def test_an_order_of_a_bank_has_no_hash(stuck: World) -> None:
    admin = await visit(stuck.cast.org)
    (stage,) = [each for each in STAGES if str(each) == "OFFRAMP payout"]
    made = await stuck.open(stage, Fault.FORGETS)
    page = await admin.see(f"{PAGES}/{made['id']}")
    assert page.tree.xpath("//select[@name='action']/option/@value") == ["CONFIRM", "FAIL"]
    assert not page.tree.xpath('//input[@name="transactionHash"]')


async def test_a_deposit_is_reversed_and_what_is_owed_written_off(org: Tenant) -> None:
    onramp = await make_onramp(org, await make_payer(org))
    await deposit(org, onramp)
    await settle(org)
    grace, mary = await visit(org), await visit(org)
    assert (await request(grace, onramp["id"], "DEPOSIT_REVERSED")).status == 303
    await agree(org, mary, onramp["id"])
    (owed,) = (await org.get("/v2/reviews/receivables"))["reviews"]
    assert f"{PAGES}/{owed['id']}" in (await grace.see("/dashboard/reviews/receivables")).links()
    page = await grace.see(f"{PAGES}/{owed['id']}")
    assert "Receivable: Debt of Ada" in page.text
    assert f"/dashboard/transactions/{onramp['id']}" in page.links()
    assert (await request(grace, owed["id"], "WRITE_OFF")).status == 303
    inbox = await mary.see(APPROVALS)
    assert "Write off the receivable: Receivable, Debt of Ada" in inbox.text
    approval = await mary.see(f"{APPROVALS}/{await approval_of(org, owed['id'])}")
    assert f"/dashboard/transactions/{onramp['id']}" in approval.links()
    await agree(org, mary, owed["id"])
    assert "WRITTEN_OFF" in (await grace.see(f"{PAGES}/{owed['id']}")).text


async def test_a_disbursement_is_the_organisations_own(play: Play) -> None:
    made = await play.from_outside()
    play.chains.raise_before_next = None
    await play.org.post(f"/v2/sandbox/offramps/{made['id']}/deposit", {})
    (found,) = (await play.org.get(f"/v2/transactions/{made['id']}"))["disbursements"]
    page = await (await visit(play.org)).see(f"{PAGES}/{found['id']}")
    assert "Disbursement: The organisation to" in page.text


async def test_an_approver_with_a_key_decides_as_well(org: Tenant) -> None:
    transfer, admin = await make_stuck_transfer(org), await visit(org)
    assert (await request(admin, transfer, "FAIL")).status == 303
    path = f"/v2/transfer-approvals/{await approval_of(org, transfer)}/approve"
    await (await make_approver(org)).post(path, {})
    page = await admin.see(f"{PAGES}/{transfer}")
    assert "A resolution was approved." in page.text
    assert "API key approver approved" in page.text
    late = await org.send("POST", RESOLUTIONS, body(transfer, "FAIL"))
    assert refusal(late) == "409 RESOURCE_CONFLICT"
