"""Overview page: balances and items needing attention."""

from uuid import UUID

from landbridge.dashboard.attention_items import stuck_items
from landbridge.payments.engine.stuck_api import StuckReply
from landbridge.payments.engine.stuck_causes import StuckCause
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.platform.http.caller import MemberRole
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.dashboard.browsing import DashboardPage, visit
from tests.dashboard.world import in_process_client
from tests.tenants import Tenant, fund, make_swap, make_user

_RECORD = UUID(int=1)


async def test_empty_organisation_sees_first_steps(org: Tenant) -> None:
    for role in MemberRole:
        page = await (await visit(org, role)).load("/dashboard")
        assert "You're all caught up" in page.text
        assert "No transactions yet" in page.text
        assert ("New transfer" in page.text) is (role is not MemberRole.ANALYST)


async def test_customer_balances_are_exact(org: Tenant) -> None:
    for amount in ("1234567.000001", "0.5"):
        await fund(org, await make_user(org), amount)
    page = await (await visit(org)).load("/dashboard")
    assert "1,234,567.500001" in page.text
    (total,) = page.tree.xpath("//section[@aria-labelledby='held']/p[@class='figure']")
    assert total.text_content().split() == ["1,234,567.50", "USD"]


async def test_items_needing_attention_are_linked(org: Tenant) -> None:
    client = in_process_client(org)
    await SCENARIOS["OFFRAMP.STATUS.PENDING_APPROVAL"](client)
    queried = await SCENARIOS["OFFRAMP.RFI.OPEN"](client)
    page = await (await visit(org)).load("/dashboard")
    (approval,) = (await org.get("/v2/approvals"))["approvals"]
    review = f"/dashboard/reviews/transfers/{queried.subject_id}"
    # A single one is opened without the list.
    assert f"/dashboard/approvals/{approval['id']}" in _items(page)
    assert review in _items(page)
    await client.post(
        f"/v2/reviews/transfers/{queried.subject_id}/rfi/answer", {"answer": "An invoice."}
    )
    answered = await (await visit(org)).load("/dashboard")
    assert "Answers to review" in answered.text
    assert review in _items(answered)
    assert f"/dashboard/transactions/{queried.subject_id}" in page.links()
    assert page.tree.xpath('//*[@id="needs"]/following::time[@data-left]')


async def test_several_items_lead_to_their_list(org: Tenant) -> None:
    client = in_process_client(org)
    for _ in range(2):
        await SCENARIOS["OFFRAMP.STATUS.PENDING_APPROVAL"](client)
        await SCENARIOS["OFFRAMP.RFI.OPEN"](client)
    items = _items(await (await visit(org)).load("/dashboard"))
    assert "/dashboard/approvals" in items
    assert "/dashboard/reviews/transfers?show=open" in items


async def test_one_failed_payment_is_linked(org: Tenant) -> None:
    failed = await SCENARIOS["WALLET.SWAP.STATUS.FAILED"](in_process_client(org))
    items = _items(await (await visit(org)).load("/dashboard"))
    assert f"/dashboard/transactions/{failed.subject_id}" in items


def _items(page: DashboardPage) -> list[str]:
    """Return the links of what needs attention."""
    return [str(each) for each in page.tree.xpath('//ul[@class="calls"]/li/a/@href')]


async def test_open_quotes_are_listed_with_their_deadline(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    admin = await visit(org)
    quote = (await make_swap(org, user, "1"))["id"]
    page = await admin.load("/dashboard")
    (item,) = page.tree.xpath('//ul[@class="calls"]/li')
    assert item.xpath("a/@href") == [f"/dashboard/transactions/{quote}"]
    assert item.xpath("a/text()") == ["Quote awaiting acceptance"]
    # Which one, as several have the same title.
    assert item.xpath("string(span)").startswith(f"Swap {quote[-12:]} · expires in")
    assert item.xpath(".//time/@data-left")
    for _ in range(8):
        await make_swap(org, user, "1")
    page = await admin.load("/dashboard")
    (item,) = page.tree.xpath('//ul[@class="calls"]/li')
    assert item.xpath("a/@href") == ["/dashboard/transactions?status=OPEN_QUOTE"]
    assert item.xpath("a/text()") == ["Quotes awaiting acceptance"]


def _stuck(kind: str, since: str) -> StuckReply:
    return StuckReply(
        id=_RECORD,
        type=kind,
        status="PENDING",
        waits_for=WaitParty.BANK,
        cause=StuckCause.BANK,
        waits_since=since,
        waits_until=None,
        attention=None,
        amount="1",
        currency="usdc",
        chain=None,
    )


def test_several_stuck_payments_are_one_item_that_leads_to_their_page() -> None:
    found = [
        _stuck(kind, f"2026-11-{index + 1:02}T00:00:00Z")
        for index, kind in enumerate(("OFFRAMP", "INCOMING_PAYMENT", *["WALLET.SWAP"] * 9))
    ]
    (item,) = stuck_items(found)
    assert (item.path, item.title) == ("/dashboard/stuck", "Stuck payments")
    assert (item.count, item.since) == (11, "2026-11-01T00:00:00Z")
    assert not item.has_more
    assert stuck_items(found * 10)[0].count == 110


def test_one_stuck_payment_leads_to_its_page() -> None:
    for kind, title, path in (
        ("OFFRAMP", "Stuck payment", f"/dashboard/transactions/{_RECORD}"),
        ("INCOMING_PAYMENT", "Stuck deposit", f"/dashboard/reviews/deposits/{_RECORD}"),
        ("PAYMENT.SCREENING", "Stuck payment", f"/dashboard/reviews/payment-screenings/{_RECORD}"),
    ):
        (item,) = stuck_items([_stuck(kind, "2026-11-01T00:00:00Z")])
        assert (item.title, item.path, item.record) == (title, path, (kind, str(_RECORD)))
    assert stuck_items([]) == []


async def test_failures_of_today_are_one_item(org: Tenant) -> None:
    for _ in range(2):
        await SCENARIOS["OFFRAMP.STATUS.FIAT_FAILED"](in_process_client(org))
    admin = await visit(org)
    page = await admin.load("/dashboard")
    (link,) = [each for each in page.links() if "view=failed&from=" in each]
    assert "Payments of today that failed 2" in page.text
    assert len((await admin.load(link)).tree.xpath("//table//tbody/tr")) == 2


async def test_the_parts_that_change_say_when_they_were_made(org: Tenant) -> None:
    admin = await visit(org)
    for path, part in (
        ("/dashboard", "attention"),
        ("/dashboard/reviews", "queues"),
        ("/dashboard/transactions", "transactions"),
        ("/dashboard/approvals", "approvals"),
    ):
        await SCENARIOS["OFFRAMP.STATUS.PENDING_APPROVAL"](in_process_client(org))
        page = await admin.load(path)
        (found,) = page.tree.xpath(f"//*[@id='{part}'][@data-poll]")
        assert "Updated" in found.text_content(), path
        assert found.xpath(".//time"), path


async def test_shortcuts_are_listed_without_scripts(org: Tenant) -> None:
    page = await (await visit(org, MemberRole.ANALYST)).load("/dashboard/shortcuts")
    assert "Ctrl K" in page.text
    assert "New transfer" not in page.text
