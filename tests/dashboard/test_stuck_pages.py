"""Page of stuck payments: causes, filters, pages, the count of the menu, and actions."""

from datetime import timedelta

from landbridge.dashboard.approvals.stuck_pages import CAUSE_HINTS, CAUSE_NAMES
from landbridge.payments.engine.stuck_causes import StuckCause
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import DashboardPage, visit
from tests.payments.engine.test_stuck_list import advance, make_stuck_transfers
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.tenants import Tenant

STUCK = "/dashboard/stuck"


def tabs(page: DashboardPage) -> dict[str, str]:
    """Return the count of each tab by its title."""
    return {
        str(each.text).strip(): str(each.xpath("string(span)"))
        for each in page.tree.xpath('//nav[@id="causes"]//a')
    }


def count_in_menu(page: DashboardPage) -> str:
    return str(
        page.tree.xpath(f'string(//nav[@id="menu"]//a[@href="{STUCK}"]/span[@class="many"]/text())')
    )


async def test_nothing_is_stuck(org: Tenant) -> None:
    for role in MemberRole:
        page = await (await visit(org, role)).load(STUCK)
        assert "You're all caught up" in page.text
        assert tabs(page) == {"All": "0"}
        assert count_in_menu(page) == ""


async def test_stuck_payments_are_listed_by_what_they_wait_for(org: Tenant) -> None:
    deposit = str((await make_held(org)).id)
    first, second = await make_stuck_transfers(org, 2)
    await advance(org, timedelta(days=1))
    admin = await visit(org)
    page = await admin.load(STUCK)
    assert tabs(page) == {"All": "3", "Chain": "2", "Decision": "1"}
    assert count_in_menu(page) == "3"
    assert {f"/dashboard/transactions/{each}" for each in (first, second)} <= set(page.links())
    assert f"/dashboard/reviews/resolutions/{first}" in page.links()
    assert f"/dashboard/reviews/deposits/{deposit}" in page.links()
    assert "1.25 USDC" in page.text
    assert "Ada Example" in page.text
    assert "was due" in page.text
    chain = await admin.load(STUCK, cause="CHAIN")
    assert len(chain.tree.xpath("//tbody/tr")) == 2
    assert chain.tree.xpath('//nav[@id="causes"]//a[@aria-current]/text()')[0].strip() == "Chain"
    of_type = await admin.load(STUCK, type="INCOMING_PAYMENT")
    assert len(of_type.tree.xpath("//tbody/tr")) == 1
    assert tabs(of_type) == {"All": "1", "Decision": "1"}
    none = await admin.load(STUCK, cause="BANK")
    assert "No results match these filters." in none.text
    assert tabs(none)["Bank"] == "0"
    wrong = await admin.open(STUCK, type="NOTHING")
    assert (wrong.status, wrong.tree.xpath("//select/@aria-invalid")) == (422, ["true"])
    assert (await admin.open(STUCK, cursor="x")).status == 422
    assert (await admin.load(STUCK, cause="nonsense")).status == 200
    # The overview has one card for all of them.
    (card,) = (await admin.load("/dashboard")).tree.xpath(
        f'//ul[@class="calls"]/li[a[@href="{STUCK}"]]'
    )
    assert card.xpath("string(span[@class='many'])") == "3"


async def test_each_cause_is_explained(org: Tenant) -> None:
    assert CAUSE_NAMES.keys() == CAUSE_HINTS.keys() == set(StuckCause)
    await make_stuck_transfers(org, 1)
    await advance(org, timedelta(days=1))
    admin = await visit(org)
    for cause, hint in CAUSE_HINTS.items():
        assert hint in (await admin.load(STUCK, cause=cause)).text
    shown, _status = (await admin.load(STUCK)).tree.xpath("//tbody//td[1]/span[@title]/@title")
    assert shown == "A chain has not confirmed the transaction."
    assert "Own coins (treasury)" in (await admin.load(STUCK, cause="TREASURY")).text


async def test_a_long_list_has_pages(org: Tenant) -> None:
    created = await make_stuck_transfers(org, 27)
    admin = await visit(org)
    first = await admin.load(STUCK, cause="CHAIN")
    (to,) = first.tree.xpath('//a[@rel="next"]/@href')
    assert "cause=CHAIN" in to
    second = await admin.load(to)
    on = [
        {each for each in created if f"/dashboard/transactions/{each}" in page.links()}
        for page in (first, second)
    ]
    assert [len(each) for each in on] == [25, 2]
    assert not on[0] & on[1]
    assert not second.tree.xpath('//a[@rel="next"]')
    assert tabs(second) == {"All": "27", "Chain": "27"}
