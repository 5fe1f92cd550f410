"""Held deposits and payments: their queues and pages, and the decision of two people."""

from tests.dashboard.browsing import visit
from tests.held_deposits import make_held_deposit, make_held_payment
from tests.payouts import OUTSIDE
from tests.tenants import Tenant

PAGE = "/dashboard/reviews/deposit-screenings"
PAYMENTS = "/dashboard/reviews/payment-screenings"


async def test_a_held_deposit_is_listed_with_what_the_hit_is_about(org: Tenant) -> None:
    admin = await visit(org)
    assert "No deposit is held." in (await admin.load(PAGE)).text
    screening = await make_held_deposit(org)
    listed = await admin.load(PAGE)
    assert "Sanctions" in listed.text
    assert f"{PAGE}/{screening}" in listed.links()
    assert f"/dashboard/reviews/resolutions/{screening}" in listed.links()
    page = await admin.load(f"{PAGE}/{screening}")
    assert "Screened by" in page.text
    assert "case-1" in page.response.text
    assert PAGE in (await admin.load("/dashboard/reviews")).links()
    assert "No deposits have this status." in (await admin.load(f"{PAGE}?show=released")).text


async def test_a_release_is_requested_with_a_reason(org: Tenant) -> None:
    admin = await visit(org)
    screening = await make_held_deposit(org)
    path = f"/dashboard/reviews/resolutions/{screening}"
    form = await admin.load(path)
    assert "Release held funds" in form.text
    assert "Reject held funds" in form.text
    assert f"{PAGE}/{screening}" in form.links()
    refused = await admin.send(path, {"requestId": form.value("requestId"), "action": "RELEASE"})
    assert refused.status == 422
    sent = {"requestId": form.value("requestId"), "action": "RELEASE", "evidence": "Another person"}
    assert await admin.submit(path, sent) == path
    assert "A resolution is awaiting approval by a second person." in (await admin.load(path)).text


async def test_a_held_payment_is_listed_and_decided_on(org: Tenant) -> None:
    admin = await visit(org)
    assert "No payment is held." in (await admin.load(PAYMENTS)).text
    screening = await make_held_payment(org)
    listed = await admin.load(PAYMENTS)
    assert "Sanctions" in listed.text
    assert "Ada Example" in listed.text
    assert PAYMENTS in (await admin.load("/dashboard/reviews")).links()
    page = await admin.load(f"{PAYMENTS}/{screening}")
    assert OUTSIDE in page.response.text
    assert page.tree.xpath("//dt[.='Chain']/following-sibling::dd/text()") == ["Polygon"]
    payment = (await org.get(f"/v2/reviews/payment-screenings/{screening}"))["transferId"]
    assert "Ada Example" in page.text
    path = f"/dashboard/reviews/resolutions/{screening}"
    assert page.tree.xpath(f"//a[@href='{path}']/text()") == ["Release or reject"]
    assert {path, f"/dashboard/transactions/{payment}"} <= set(page.links())
    form = await admin.load(path)
    assert "Release held funds" in form.text
    assert "The payment fails, and its funds go back to the payer." in form.text
    sent = {"requestId": form.value("requestId"), "action": "REJECT", "evidence": "It is listed"}
    assert await admin.submit(path, sent) == path
    assert "A resolution is awaiting approval by a second person." in (await admin.load(path)).text
