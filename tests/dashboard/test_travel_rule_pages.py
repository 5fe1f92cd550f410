"""Data of the travel rule: labels of what is missing, the form, the proof and the jurisdiction."""

from collections.abc import AsyncGenerator

import pytest
from coincurve import PrivateKey

from landbridge.customers.travel_exchanges.model import ExchangeWait
from landbridge.customers.travel_rule.jurisdictions import Jurisdiction, RequiredItem
from landbridge.dashboard.organisation.travel_rule_pages import JURISDICTIONS
from landbridge.dashboard.travel_rule_labels import MISSING_LABELS
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from tests.customers.payment_screening.payment_world import OUTSIDE, PaymentWorld
from tests.customers.travel_rule.travel_world import (
    SETTING,
    WAITING,
    address_of,
    sign,
    state,
    travel_world,
    wallet_path,
)
from tests.dashboard.browsing import visit
from tests.tenants import TRANSFERS, Tenant, transfer_body

SETTINGS_PAGE = "/dashboard/settings/travel-rule"
FORM = {
    "kind": "HOSTED",
    "owner": "THIRD_PARTY",
    "vaspName": "Example Exchange",
    "person.type": "individual",
    "person.firstName": "Bob",
    "person.lastName": "Builder",
    "person.businessName": "",
}


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with travel_world(database) as found:
        yield found


async def only_page(world: PaymentWorld) -> str:
    """Return the page of the only transfer that waits."""
    (waiting,) = (await world.org.get(WAITING))["transfers"]
    return f"/dashboard/travel-rule/{waiting['screeningId']}"


async def test_a_payment_shows_what_is_missing_and_continues_with_the_data(
    world: PaymentWorld,
) -> None:
    admin = await visit(world.org)
    transfer = await world.transfer("10")
    page, path = f"/dashboard/transactions/{transfer}", await only_page(world)
    shown = await admin.load(page)
    assert "Missing travel rule data: Type and owner of the wallet." in shown.text
    assert ": kind" not in shown.text
    assert path in shown.links()
    screening = await admin.load(f"/dashboard/reviews/payment-screenings/{path.rpartition('/')[2]}")
    assert "Type and owner of the wallet" in screening.text
    assert path in screening.links()
    form = await admin.load(path)
    assert "Type and owner of the wallet" in form.text
    assert OUTSIDE in form.response.text
    assert await admin.submit(path, FORM) == page
    data = await world.org.get(wallet_path(world.ada))
    assert (data["kind"], data["vaspName"]) == ("HOSTED", "Example Exchange")
    assert data["person"]["firstName"] == "Bob"
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"
    assert "Missing travel rule data" not in (await admin.load(page)).text
    assert (await admin.open(path)).status == 404


async def test_a_refused_form_keeps_what_was_entered(world: PaymentWorld) -> None:
    admin = await visit(world.org)
    await world.transfer("10")
    path = await only_page(world)
    refused = await admin.send(path, FORM | {"vaspName": ""})
    assert refused.status == 422
    assert refused.value("person.firstName") == "Bob"
    assert "w-vaspName" in refused.response.text
    own = {"kind": "SELF_HOSTED", "owner": "USER", "person.type": "individual"}
    refused = await admin.send(path, own | {"person.firstName": "Bob"})
    assert refused.status == 422
    assert "w-person" in refused.response.text
    # The type alone, which is always chosen, is no person.
    assert (await admin.submit(path, own)).startswith("/dashboard/transactions/")


async def test_a_wallet_is_proven_on_the_page(world: PaymentWorld) -> None:
    admin, key = await visit(world.org), PrivateKey()
    address = address_of(key)
    await state(world.org, world.ada, {"kind": "SELF_HOSTED", "owner": "USER"}, address)
    body = {"address": address, "chain": "POLYGON", "name": "Own", "referenceId": "own-1"}
    await world.org.post(f"/v2/users/{world.ada}/wallets/external", body)
    sent = transfer_body(world.ada, {"walletAddress": address}, "990")
    await world.org.send("PUT", SETTING, {"jurisdiction": "CH"})
    transfer = (await world.org.post(TRANSFERS, sent))["transferDetails"]["id"]
    await world.work()
    path = await only_page(world)
    assert "Proof of ownership of the wallet" in (await admin.load(path)).text
    shown = await admin.send(f"{path}/challenge", {"userId": world.ada})
    assert shown.status == 200
    message = str(shown.tree.xpath("//main//pre")[0].text_content())
    fields = {"userId": world.ada, "message": message}
    refused = await admin.send(f"{path}/prove", fields | {"signature": "0x12"})
    assert refused.status == 422
    assert message.splitlines()[0] in refused.text
    proof = fields | {"signature": sign(key, message)}
    assert await admin.submit(f"{path}/prove", proof) == f"/dashboard/transactions/{transfer}"
    await world.settle()
    assert await world.transfer_status(transfer) == "COMPLETED"


async def test_who_may_not_edit_sees_what_is_missing_and_no_form(world: PaymentWorld) -> None:
    analyst = await visit(world.org, MemberRole.ANALYST)
    transfer = await world.transfer("10")
    shown = await analyst.load(f"/dashboard/transactions/{transfer}")
    assert "Type and owner of the wallet" in shown.text
    path = await only_page(world)
    assert path not in shown.links()
    assert (await analyst.open(path)).status == 403
    assert (await analyst.send(path, FORM)).status == 403


async def test_an_admin_sets_the_jurisdiction(world: PaymentWorld) -> None:
    admin = await visit(world.org)
    page = await admin.load(SETTINGS_PAGE)
    assert page.tree.xpath("//select[@name='jurisdiction']/option[@selected]/@value") == ["EU"]
    assert "has not switched the travel rule on" not in page.text
    assert await admin.submit(SETTINGS_PAGE, {"jurisdiction": "NONE"}) == SETTINGS_PAGE
    assert (await world.org.get(SETTING))["jurisdiction"] is None
    assert (await admin.send(SETTINGS_PAGE, {"jurisdiction": "XX"})).status in {400, 422}
    analyst = await visit(world.org, MemberRole.ANALYST)
    assert (await analyst.open(SETTINGS_PAGE)).status == 403


async def test_an_installation_without_the_travel_rule_says_so(org: Tenant) -> None:
    page = await (await visit(org)).load(SETTINGS_PAGE)
    assert "has not switched the travel rule on" in page.text


def test_each_item_and_each_jurisdiction_has_a_label() -> None:
    known = {*RequiredItem, *ExchangeWait}
    assert set(MISSING_LABELS) == {each.value for each in known}
    assert set(JURISDICTIONS) == {"NONE", *(each.value for each in Jurisdiction)}
