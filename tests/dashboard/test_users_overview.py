"""One user: overview, edit, freeze, erase, and access by other organisations."""

import pytest

from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, business, make_agreement, make_swap, make_user

TABS = ("", "/edit", "/erase", "/wallets", "/wallets/deposits", "/accounts", "/accounts/new")
MORE = ("/virtual-accounts", "/virtual-accounts/new", "/transactions")
FORMS = {"/edit", "/erase", "/accounts/new", "/virtual-accounts/new"}


@pytest.mark.parametrize("tab", [*TABS, *MORE])
async def test_each_page_opens_for_each_role_and_for_no_other_organisation(
    org: Tenant, other_org: Tenant, tab: str
) -> None:
    hostile = "<script>alert(1)</script>"
    address = {
        "addressLine1": hostile,
        "city": "Denver",
        "stateProvinceRegion": "CO",
        "postalCode": "80202",
        "country": "USA",
    }
    user = await make_user(org, funds="12.5", address=address)
    for role in MemberRole:
        page = await (await visit(org, role)).open(f"/dashboard/users/{user}{tab}")
        allowed = {MemberRole.ADMIN} if tab == "/erase" else {MemberRole.ADMIN, MemberRole.MEMBER}
        assert page.status == (403 if tab in FORMS and role not in allowed else 200)
        assert not page.tree.xpath("//script[contains(., 'alert')]")
    outsider = await visit(other_org)
    assert (await outsider.open(f"/dashboard/users/{user}{tab}")).status == 404
    assert (await outsider.open(f"/dashboard/users/nonsense{tab}")).status == 404


async def test_overview_shows_balances_and_payments(org: Tenant) -> None:
    user = await make_user(org, funds="1234.5")
    swap = await make_swap(org, user)
    page = await (await visit(org)).load(f"/dashboard/users/{user}")
    assert "1,234.50" in page.text
    assert f"/dashboard/transactions/{swap['id']}" in page.links()
    tab = await (await visit(org)).load(f"/dashboard/users/{user}/transactions")
    assert f"/dashboard/transactions/{swap['id']}" in tab.links()
    none = await (await visit(org)).load(f"/dashboard/users/{user}/transactions", type="ONRAMP")
    assert f"/dashboard/transactions/{swap['id']}" not in none.links()


async def test_user_is_frozen_with_a_reason_and_unfrozen(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org, MemberRole.MEMBER), f"/dashboard/users/{user}"
    # The form is at the end of the page, and its button at the head leads to it.
    (to,) = (await visitor.load(path)).tree.xpath("//a[text()='Freeze']/@href")
    assert (await visitor.load(path)).tree.xpath(f"//form//input[@id='{to[1:]}']")
    await visitor.submit(f"{path}/freeze", {"reason": "looks <odd>"})
    page = await visitor.load(path)
    assert not page.tree.xpath("//a[text()='Freeze']")
    assert "looks <odd>" in page.text
    assert (await org.get(f"/v2/users/{user}/freeze"))["frozen"] is True
    await visitor.submit(f"{path}/unfreeze")
    assert (await org.get(f"/v2/users/{user}/freeze"))["frozen"] is False
    long = await visitor.send(f"{path}/freeze", {"reason": "x" * 1000})
    assert long.status == 422
    analyst = await visit(org, MemberRole.ANALYST)
    assert (await analyst.send(f"{path}/freeze", {"reason": "x"})).status == 403
    assert (await analyst.send(f"{path}/unfreeze")).status == 403


async def test_individual_is_edited(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org), f"/dashboard/users/{user}/edit"
    page = await visitor.load(path)
    assert page.value("firstName") == "Ada"
    assert page.value("dateOfBirth") == "1990-01-01"
    fields = {"firstName": "Grace", "lastName": "Example", "email": "grace@example.com"}
    address = {
        "address.addressLine1": "1 Main Street",
        "address.city": "Denver",
        "address.postalCode": "80202",
        "address.country": "USA",
        "address.stateProvinceRegion": "CO",
    }
    await visitor.submit(path, {**fields, **address, "do": "save"})
    known = await org.get(f"/v2/users/{user}/particulars")
    assert (known["firstName"], known["address"]["city"]) == ("Grace", "Denver")
    assert known["dateOfBirth"] == "1990-01-01"
    assert "Denver" in (await visitor.load(f"/dashboard/users/{user}")).text
    wrong = await visitor.send(path, {**fields, **address, "address.stateProvinceRegion": "XX"})
    assert wrong.status == 422
    assert wrong.value("address.city") == "Denver"
    assert wrong.tree.xpath("//*[@name='address.stateProvinceRegion'][@aria-invalid='true']")


async def test_owners_of_a_business_are_edited(org: Tenant) -> None:
    created = await org.post("/v2/users", business(await make_agreement(org)))
    visitor, path = await visit(org), f"/dashboard/users/{created['id']}/edit"
    page = await visitor.load(path)
    name = "ultimateBeneficialOwners[0]"
    fields = {
        "businessName": "New Name Ltd",
        "email": page.value("email"),
        "owners": "1",
        f"{name}.firstName": "Zoe",
        f"{name}.lastName": "Example",
        f"{name}.dateOfBirth": "1990-01-01",
        f"{name}.hasControl": "yes",
        f"{name}.isSigner": "yes",
    }
    more = await visitor.send(path, {**fields, "do": "owner"})
    assert (more.status, more.value("owners")) == (200, "2")
    await visitor.submit(path, {**fields, "do": "save"})
    known = await org.get(f"/v2/users/{created['id']}/particulars")
    assert known["ultimateBeneficialOwners"][0]["firstName"] == "Zoe"
    assert known["businessName"] == "New Name Ltd"


async def test_erasing_requires_the_email_and_shows_obstacles(org: Tenant) -> None:
    user = await make_user(org)
    visitor, path = await visit(org), f"/dashboard/users/{user}/erase"
    wrong = await visitor.send(path, {"email": "bob@example.com"})
    assert wrong.status == 422
    # The form appears when the erasure is possible.
    blocked = await visitor.load(path)
    assert f"/dashboard/users/{user}#f-reason" in blocked.links()
    assert not blocked.tree.xpath("//input[@name='email']")
    early = await visitor.send(path, {"email": "ada@example.com"})
    assert early.status == 409
    assert "freeze the user first" in early.text
    await org.post(f"/v2/users/{user}/freeze", {})
    assert (await visitor.load(path)).tree.xpath("//input[@name='email']")
    member = await visit(org, MemberRole.MEMBER)
    assert (await member.send(path, {"email": "ada@example.com"})).status == 403
    await visitor.submit(path, {"email": "Ada@example.com"})
    for tab in (*TABS, *MORE):
        page = await visitor.load(f"/dashboard/users/{user}{tab}")
        assert "Erased user" in page.text
        assert "ada@example.com" not in page.response.text
