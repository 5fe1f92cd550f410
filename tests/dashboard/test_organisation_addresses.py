"""The address policy on its page."""

import pytest

from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

PAGE = "/dashboard/settings/addresses"
POLICY = "/v2/organization/address-policy"
ONE, TWO = f"0x{'ab' * 20}", f"0x{'cd' * 20}"
NOTHING = {"blockedAddresses": "", "allowedAddresses": "", "newAddressHours": ""}


async def test_an_admin_sets_the_policy(org: Tenant) -> None:
    admin = await visit(org)
    sent = {
        "blockedAddresses": f"{ONE.upper().replace('0X', '0x')}\r\n\r\n {TWO}",
        "newAddressHours": "24",
        "newAddressAmountMax": "500",
        "version": "0",
    }
    await admin.submit(PAGE, sent)
    data = (await org.get(POLICY))["data"]
    assert data == {
        "blockedAddresses": [ONE, TWO],
        "allowedAddresses": [],
        "newAddressHours": 24,
        "newAddressAmountMax": 500,
        "version": 1,
    }
    page = await admin.load(PAGE)
    assert page.value("version") == "1"
    assert page.value("newAddressHours") == "24"
    log = await admin.load("/dashboard/audit-log", actorType="member", kind="ADDRESS_POLICY")
    assert PAGE in log.links()


async def test_a_changed_policy_is_not_overwritten(org: Tenant) -> None:
    admin = await visit(org)
    await admin.submit(PAGE, {**NOTHING, "blockedAddresses": ONE, "version": "0"})
    stale = await admin.send(PAGE, {**NOTHING, "blockedAddresses": TWO, "version": "0"})
    assert stale.status == 409
    assert "changed meanwhile" in stale.text
    assert stale.value("version") == "0"
    assert (await org.get(POLICY))["data"]["blockedAddresses"] == [ONE]
    # Sending what is in force already is no conflict.
    await admin.submit(PAGE, {**NOTHING, "blockedAddresses": ONE, "version": "0"})
    assert (await org.get(POLICY))["data"]["version"] == 1


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("blockedAddresses", f"{ONE}\n0x12"),
        ("allowedAddresses", "nobody"),
        ("newAddressHours", "-1"),
        ("newAddressAmountMax", "1.5"),
    ],
)
async def test_an_invalid_policy_keeps_the_form_values(org: Tenant, field: str, text: str) -> None:
    admin = await visit(org)
    again = await admin.send(PAGE, {"version": "0", field: text})
    assert again.status == 422
    (wrong,) = again.tree.xpath("//*[@aria-invalid='true']/@name")
    assert wrong == field
    assert (await org.get(POLICY))["data"]["version"] == 0


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_see_and_set_it(org: Tenant, role: MemberRole) -> None:
    visitor = await visit(org, role)
    assert (await visitor.send(PAGE, {"version": "0", "blockedAddresses": ONE})).status == 403
    assert (await visitor.open(PAGE)).status == 403
