"""Pages of the settings, the audit log and the sandbox."""

from uuid import uuid4

import pytest

from landbridge.platform.changes.service import history
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.payments.virtual_accounts.virtual_account_setup import make_account, make_receiver
from tests.tenants import Tenant, held

SETTINGS, AUDIT, SANDBOX = "/dashboard/settings", "/dashboard/audit-log", "/dashboard/sandbox"
SECTIONS = ("", "/approvals", "/limits", "/fees", "/time-zone", "/installation")
HOSTILE = "<script>alert(1)</script>"
MOVE = f"{SANDBOX}/clock"


@pytest.mark.parametrize("section", SECTIONS)
async def test_settings_are_for_admins(org: Tenant, section: str) -> None:
    await (await visit(org)).load(SETTINGS + section)
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        assert (await (await visit(org, role)).open(SETTINGS + section)).status == 403


async def test_admin_renames_the_organisation(org: Tenant) -> None:
    admin = await visit(org)
    await admin.submit(SETTINGS, {"name": HOSTILE})
    page = await admin.load(SETTINGS)
    assert page.value("name") == HOSTILE
    assert HOSTILE not in page.response.text
    changes = (
        await org.container.database.single(lambda tx: history(tx, org.org_id, [org.org_id]))
    )[org.org_id]
    assert (changes[-1].change_type, changes[-1].actor) == ("rename", f"member:{admin.member_id}")
    refused = await admin.send(SETTINGS, {"name": ""})
    assert refused.status == 422
    member = await visit(org, MemberRole.MEMBER)
    assert (await member.send(SETTINGS, {"name": "x"})).status == 403


async def test_admin_freezes_and_unfreezes_the_organisation(org: Tenant) -> None:
    admin = await visit(org)
    await admin.submit(f"{SETTINGS}/freeze", {"reason": "an audit"})
    assert "an audit" in (await admin.load(SETTINGS)).text
    assert (await org.container.orgs.get(org.org_id)).frozen_at is not None
    await admin.submit(f"{SETTINGS}/unfreeze")
    assert (await org.container.orgs.get(org.org_id)).frozen_at is None
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        visitor = await visit(org, role)
        assert (await visitor.send(f"{SETTINGS}/freeze", {})).status == 403
        assert (await visitor.send(f"{SETTINGS}/unfreeze", {})).status == 403


async def test_no_admin_ends_a_freeze_by_the_operator(org: Tenant) -> None:
    orgs, admin = org.container.orgs, await visit(org)
    await orgs.freeze(org.org_id, reason="an order of the court")
    page = await admin.send(f"{SETTINGS}/unfreeze")
    assert page.status == 403
    assert "only the operator unfreezes it" in page.text
    assert (await orgs.get(org.org_id)).frozen_at is not None
    await orgs.unfreeze(org.org_id)
    await admin.submit(f"{SETTINGS}/freeze", {"reason": "an audit"})
    await admin.submit(f"{SETTINGS}/unfreeze")
    assert (await orgs.get(org.org_id)).frozen_at is None


async def test_admin_sets_the_approval_policy(org: Tenant) -> None:
    admin = await visit(org)
    path = f"{SETTINGS}/approvals"
    await admin.submit(path, {"threshold": "2", "needsSecond": "yes"})
    policy = await org.container.approvals.policy(org.org_id)
    assert (policy.threshold, policy.needs_second) == (2, True)
    for wrong in ("0", "x", "", "99999999"):
        assert (await admin.send(path, {"threshold": wrong})).status == 422
    assert (
        await (await visit(org, MemberRole.ANALYST)).send(path, {"threshold": "1"})
    ).status == 403


async def test_admin_sets_the_time_zone(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/time-zone"
    wrong = await admin.send(path, {"timeZone": "Mars/Olympus"})
    assert wrong.status == 422
    await admin.submit(path, {"timeZone": "Europe/Berlin"})
    assert "Europe/Berlin" in (await admin.load(path)).text


@pytest.mark.parametrize("role", list(MemberRole))
async def test_every_role_reads_the_audit_log_with_names(org: Tenant, role: MemberRole) -> None:
    admin = await visit(org, name=HOSTILE)
    await admin.submit(SETTINGS, {"name": "Other"})
    page = await (await visit(org, role)).load(AUDIT, actorType="member", kind="ORG")
    assert "Organisation: renaming" in page.response.text
    assert HOSTILE in page.text
    assert HOSTILE not in page.response.text
    wrong = await admin.open(AUDIT, objectId="x")
    assert wrong.status == 422


async def test_audit_log_download_escapes_formulas(org: Tenant) -> None:
    admin = await visit(org, name="=1+1")
    for name in ("A", "B", "C"):
        await admin.submit(SETTINGS, {"name": name})
    file = await admin.load(f"{AUDIT}/csv", actorType="member", kind="ORG")
    lines = file.response.text.split("\r\n")
    assert file.response.headers["content-disposition"].startswith("attachment")
    assert len(lines) == 5
    assert ",'=1+1,ORG,rename," in lines[1]
    assert (await admin.open(f"{AUDIT}/csv", objectId="x")).status == 400


@pytest.mark.parametrize("role", list(MemberRole))
async def test_every_role_sees_the_sandbox(org: Tenant, role: MemberRole) -> None:
    page = await (await visit(org, role)).load(SANDBOX)
    assert "payout=return" in page.text
    assert "RETRY" in page.text


async def test_the_sandbox_page_says_how_far_its_clock_is_ahead(org: Tenant) -> None:
    admin = await visit(org)
    assert "Ahead of real time: not at all" in (await admin.load(SANDBOX)).text
    await admin.submit(MOVE, {"seconds": str(2 * 86400), "back": SANDBOX})
    assert "Ahead of real time: 2 days" in (await admin.load(SANDBOX)).text


async def test_only_the_day_of_the_clock_asks_a_question(org: Tenant) -> None:
    bar = (await (await visit(org)).load("/dashboard")).tree.xpath("//aside//button")
    questions = {each.get("value"): each.get("data-confirm") or "" for each in bar}
    assert "can't be turned back" in questions.pop("86400")
    assert questions == {"60": "", "3600": ""}


async def test_every_page_names_the_time_zone(org: Tenant) -> None:
    admin = await visit(org)
    page = await admin.load("/dashboard/users")
    assert page.tree.xpath("//aside/span")[0].text_content().startswith("Sandbox time: ")
    assert page.tree.xpath("//aside/span")[0].text_content().endswith(" UTC")
    assert "Times in UTC" in page.tree.xpath("//div[@class='me']")[0].text_content()
    # Also of times without a date.
    updated = (await admin.load("/dashboard")).tree.xpath("//p[@class='updated soft']/time/@title")
    assert all(each.endswith("(UTC)") for each in updated)
    assert updated


async def test_advancing_the_clock_returns_to_the_previous_page(org: Tenant) -> None:
    member = await visit(org, MemberRole.MEMBER)
    back = "/dashboard/users?q=a"
    assert await member.submit(MOVE, {"seconds": "3600", "back": back}) == back
    await member.submit(MOVE, {"by": "2", "unit": "days", "back": SANDBOX})
    offset = await org.container.orgs.clock_offset(org.org_id)
    assert offset.total_seconds() == 3600 + 2 * 86400
    for evil in ("https://evil.example/dashboard", "//evil.example/dashboard", "/\\evil", "/x"):
        assert await member.submit(MOVE, {"seconds": "0", "back": evil}) == SANDBOX
    for wrong in ("", "-1", "x", "9999999999"):
        assert (await member.send(MOVE, {"by": wrong, "unit": "days"})).status == 422
    analyst = await visit(org, MemberRole.ANALYST)
    assert (await analyst.send(MOVE, {"seconds": "1"})).status == 403


async def test_latency_is_set(org: Tenant) -> None:
    member = await visit(org, MemberRole.MEMBER)
    await member.submit(f"{SANDBOX}/latency", {"chains": "real", "rails": "instant"})
    assert (await org.container.sandbox.latencies(org.caller)).chains.value == "real"
    assert (await member.send(f"{SANDBOX}/latency", {"chains": "warp", "rails": "x"})).status == 422


async def test_users_of_other_organisations_are_not_funded(org: Tenant, other_org: Tenant) -> None:
    member = await visit(org, MemberRole.MEMBER)
    fund = {"userId": str(uuid4()), "coin": "POLYGON:usdc", "amount": "5"}
    assert (await member.send(f"{SANDBOX}/fund", fund)).status == 404
    assert (await member.send(f"{SANDBOX}/fund", {**fund, "userId": "x"})).status == 422
    assert (await member.send(f"{SANDBOX}/fund", {**fund, "coin": HOSTILE})).status in {404, 422}
    assert (await member.send(f"{SANDBOX}/deposit", {"userId": "x"})).status == 422
    assert other_org.org_id != org.org_id


async def test_chosen_user_is_funded_and_receives_deposits(org: Tenant) -> None:
    user = await make_receiver(org)
    created = await make_account(org, user)
    member = await visit(org, MemberRole.MEMBER)
    page = await member.load(SANDBOX, userId=user)
    assert created["id"] in page.response.text
    fund = {"userId": user, "coin": "POLYGON:usdc", "amount": "5"}
    assert await member.submit(f"{SANDBOX}/fund", fund) == f"{SANDBOX}?userId={user}"
    assert float(await held(org, user)) == 5
    assert (await member.send(f"{SANDBOX}/fund", {**fund, "amount": HOSTILE})).status == 422
    deposit = {
        "userId": user,
        "accountId": created["id"],
        "requestId": page.value("requestId"),
        "amount": "100",
        "paymentRail": "WIRE",
        "source.name": "Ada",
        "source.bankName": "Test Bank",
    }
    await member.submit(f"{SANDBOX}/deposit", deposit)
    again = await member.send(f"{SANDBOX}/deposit", {**deposit, "amount": "x"})
    assert again.status == 422
