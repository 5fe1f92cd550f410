"""Pages of the settings, the audit log and the sandbox."""

from uuid import uuid4

import pytest

from landbridge.platform.changes.service import history
from landbridge.platform.core.ids import derived_id
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.payments.virtual_accounts.virtual_account_setup import make_account, make_receiver
from tests.tenants import Tenant, held, make_transfer, make_user

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


async def test_admin_edits_rules_and_concurrent_changes_conflict(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/limits"
    rule = {"id": "day", "window": "DAY", "per": "USER", "maxUsd": "1000.5", "over": "REFUSE"}
    await admin.submit(f"{path}/rules", {**rule, "version": "0"})
    (held,) = (await org.container.limits.rules(org.org_id)).rules.rules
    assert held.id == "day"
    # A form that still shows no rules overwrites nothing.
    stale = await admin.send(path, {"document": '{"rules": []}', "version": "0", "do": "set"})
    assert stale.status == 409
    assert "the rules were changed meanwhile" in stale.text
    assert (await org.container.limits.rules(org.org_id)).version == 1
    assert "day" in (await admin.load(path)).text
    await admin.submit(f"{path}/rules/remove", {"rule": "day", "version": "1"})
    assert (await org.container.limits.rules(org.org_id)).is_empty
    object_id = derived_id(org.org_id, "LIMITS")
    changes = (
        await org.container.database.single(lambda tx: history(tx, org.org_id, [object_id]))
    )[object_id]
    assert {each.actor for each in changes} == {f"member:{admin.member_id}"}


async def test_a_rule_is_tested_and_changed_on_its_form(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/limits"
    document = (
        '{"rules": [{"id": "a", "window": "DAY", "per": "USER", "maxUsd": 5, "over": "REFUSE",'
        ' "rails": ["wire"]}]}'
    )
    await admin.submit(path, {"document": document, "version": "0", "do": "set"})
    await make_transfer(org, await make_user(org, funds="9"), await make_user(org), "3")
    page = await admin.load(path, rule="a")
    assert "Change a rule" in page.text
    assert (page.value("id"), page.value("maxUsd"), page.value("replaces")) == ("a", "5", "a")
    new = {"id": "b", "window": "PAYMENT", "per": "ORG", "maxUsd": "2", "over": "REFUSE"}
    tested = await admin.send(
        f"{path}/rules", {**new, "version": "1", "do": "simulate", "ruleDays": "30"}
    )
    assert tested.status == 200
    for each in ("With this rule", "1 rejected", "Nothing was changed"):
        assert each in tested.text
    assert tested.value("id") == "b"
    assert (await org.container.limits.rules(org.org_id)).version == 1
    await admin.submit(
        f"{path}/rules", {**new, "id": "a", "maxUsd": "7", "replaces": "a", "version": "1"}
    )
    (rule,) = (await org.container.limits.rules(org.org_id)).rules.rules
    # What the form has no field for stays.
    assert (rule.id, rule.per, rule.rails) == ("a", "ORG", frozenset({"wire"}))
    wrong = await admin.send(f"{path}/rules", {**new, "do": "simulate", "ruleDays": "0"})
    assert wrong.status == 422
    assert wrong.tree.xpath("//input[@id='f-ruleDays'][@aria-invalid]")


async def test_rules_are_simulated_and_invalid_rules_keep_their_text(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/limits"
    document = '{"rules": [{"id": "a", "window": "PAYMENT", "maxUsd": 5}]}'
    fields = {"document": document, "version": "0", "days": "30"}
    simulated = await admin.send(path, {**fields, "do": "simulate"})
    assert simulated.status == 200
    assert "Nothing was changed" in simulated.text
    assert (await org.container.limits.rules(org.org_id)).version == 0
    for wrong in (HOSTILE, "{", '{"rules": [{"id": "a"}]}', '{"rules": 1}', "1e999999"):
        for do in ("set", "simulate"):
            again = await admin.send(path, {**fields, "document": wrong, "do": do})
            assert again.status == 422, wrong
            assert HOSTILE not in again.response.text
    for wrong in ({"days": "x", "do": "simulate"}, {"version": "x", "do": "set"}):
        assert (await admin.send(path, {**fields, **wrong})).status == 422
    bad = {"id": "a", "window": "DAY", "maxUsd": "x", "version": "0"}
    assert (await admin.send(f"{path}/rules", bad)).status == 422
    assert (await admin.send(f"{path}/rules", {**bad, "maxCount": "x"})).status == 422


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
