"""Settings, the audit log and the sandbox on their pages."""

from uuid import uuid4

import pytest

from landbridge.changes.service import history
from landbridge.core.ids import derived_id
from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.tenants import Tenant, held
from tests.virtual_accounts.made import make_account, make_receiver

SETTINGS, AUDIT, SANDBOX = "/dashboard/settings", "/dashboard/audit-log", "/dashboard/sandbox"
SECTIONS = ("", "/approvals", "/limits", "/fees", "/time-zone", "/installation")
HOSTILE = "<script>alert(1)</script>"
MOVE = f"{SANDBOX}/clock"


@pytest.mark.parametrize("section", SECTIONS)
async def test_settings_are_for_admins(org: Tenant, section: str) -> None:
    await (await visit(org)).see(SETTINGS + section)
    for role in (Role.MEMBER, Role.ANALYST):
        assert (await (await visit(org, role)).open(SETTINGS + section)).status == 403


async def test_an_admin_renames_the_organisation(org: Tenant) -> None:
    admin = await visit(org)
    await admin.done(SETTINGS, {"name": HOSTILE})
    page = await admin.see(SETTINGS)
    assert page.value("name") == HOSTILE
    assert HOSTILE not in page.answer.text
    told = (await org.house.database.single(lambda tx: history(tx, org.org_id, [org.org_id])))[
        org.org_id
    ]
    assert (told[-1].what, told[-1].actor) == ("rename", f"member:{admin.member_id}")
    refused = await admin.send(SETTINGS, {"name": ""})
    assert refused.status == 422
    member = await visit(org, Role.MEMBER)
    assert (await member.send(SETTINGS, {"name": "x"})).status == 403


async def test_an_admin_freezes_and_unfreezes(org: Tenant) -> None:
    admin = await visit(org)
    await admin.done(f"{SETTINGS}/freeze", {"reason": "an audit"})
    assert "an audit" in (await admin.see(SETTINGS)).text
    assert (await org.house.orgs.get(org.org_id)).frozen_at is not None
    await admin.done(f"{SETTINGS}/unfreeze")
    assert (await org.house.orgs.get(org.org_id)).frozen_at is None
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await visit(org, role)
        assert (await somebody.send(f"{SETTINGS}/freeze", {})).status == 403
        assert (await somebody.send(f"{SETTINGS}/unfreeze", {})).status == 403


async def test_an_admin_sets_what_approvals_need(org: Tenant) -> None:
    admin = await visit(org)
    path = f"{SETTINGS}/approvals"
    await admin.done(path, {"threshold": "2", "needsSecond": "yes"})
    policy = await org.house.approvals.policy(org.org_id)
    assert (policy.threshold, policy.needs_second) == (2, True)
    for wrong in ("0", "x", "", "99999999"):
        assert (await admin.send(path, {"threshold": wrong})).status == 422
    assert (await (await visit(org, Role.ANALYST)).send(path, {"threshold": "1"})).status == 403


async def test_an_admin_adds_and_removes_rules_and_is_told_of_others(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/limits"
    rule = {"id": "day", "window": "DAY", "per": "USER", "maxUsd": "1000.5", "over": "REFUSE"}
    await admin.done(f"{path}/rules", {**rule, "version": "0"})
    (held,) = (await org.house.limits.rules(org.org_id)).rules.rules
    assert held.id == "day"
    # Somebody who still looks at no rules overwrites nothing.
    stale = await admin.send(path, {"document": '{"rules": []}', "version": "0", "do": "set"})
    assert stale.status == 409
    assert "somebody else" in stale.text
    assert (await org.house.limits.rules(org.org_id)).version == 1
    assert "day" in (await admin.see(path)).text
    await admin.done(f"{path}/rules/remove", {"rule": "day", "version": "1"})
    assert (await org.house.limits.rules(org.org_id)).is_empty
    object_id = derived_id(org.org_id, "LIMITS")
    told = (await org.house.database.single(lambda tx: history(tx, org.org_id, [object_id])))[
        object_id
    ]
    assert {each.actor for each in told} == {f"member:{admin.member_id}"}


async def test_rules_are_rehearsed_and_wrong_ones_come_back(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/limits"
    document = '{"rules": [{"id": "a", "window": "PAYMENT", "maxUsd": 5}]}'
    told = {"document": document, "version": "0", "days": "30"}
    played = await admin.send(path, {**told, "do": "rehearse"})
    assert played.status == 200
    assert "Nothing was changed" in played.text
    assert (await org.house.limits.rules(org.org_id)).version == 0
    for wrong in (HOSTILE, "{", '{"rules": [{"id": "a"}]}', '{"rules": 1}', "1e999999"):
        for do in ("set", "rehearse"):
            again = await admin.send(path, {**told, "document": wrong, "do": do})
            assert again.status == 422, wrong
            assert HOSTILE not in again.answer.text
    for wrong in ({"days": "x", "do": "rehearse"}, {"version": "x", "do": "set"}):
        assert (await admin.send(path, {**told, **wrong})).status == 422
    bad = {"id": "a", "window": "DAY", "maxUsd": "x", "version": "0"}
    assert (await admin.send(f"{path}/rules", bad)).status == 422
    assert (await admin.send(f"{path}/rules", {**bad, "maxCount": "x"})).status == 422


async def test_an_admin_sets_the_time_zone(org: Tenant) -> None:
    admin, path = await visit(org), f"{SETTINGS}/time-zone"
    wrong = await admin.send(path, {"timeZone": "Mars/Olympus"})
    assert wrong.status == 422
    await admin.done(path, {"timeZone": "Europe/Berlin"})
    assert "Europe/Berlin" in (await admin.see(path)).text


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_reads_the_audit_log_with_names(org: Tenant, role: Role) -> None:
    admin = await visit(org, name=HOSTILE)
    await admin.done(SETTINGS, {"name": "Other"})
    page = await (await visit(org, role)).see(AUDIT, actorType="member", kind="ORG")
    assert "ORG rename" in page.text
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text
    wrong = await admin.open(AUDIT, objectId="x")
    assert wrong.status == 422


async def test_the_audit_log_is_downloaded_without_formulas(org: Tenant) -> None:
    admin = await visit(org, name="=1+1")
    for name in ("A", "B", "C"):
        await admin.done(SETTINGS, {"name": name})
    file = await admin.see(f"{AUDIT}/csv", actorType="member", kind="ORG")
    lines = file.answer.text.split("\r\n")
    assert file.answer.headers["content-disposition"].startswith("attachment")
    assert len(lines) == 5
    assert ",'=1+1,ORG,rename," in lines[1]
    assert (await admin.open(f"{AUDIT}/csv", objectId="x")).status == 400


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_sees_the_sandbox(org: Tenant, role: Role) -> None:
    page = await (await visit(org, role)).see(SANDBOX)
    assert "payout=return" in page.text
    assert "RETRY" in page.text


async def test_the_clock_moves_and_one_is_back_where_one_was(org: Tenant) -> None:
    member = await visit(org, Role.MEMBER)
    back = "/dashboard/users?q=a"
    assert await member.done(MOVE, {"seconds": "3600", "back": back}) == back
    await member.done(MOVE, {"by": "2", "unit": "days", "back": SANDBOX})
    offset = await org.house.orgs.clock_offset(org.org_id)
    assert offset.total_seconds() == 3600 + 2 * 86400
    for evil in ("https://evil.example/dashboard", "//evil.example/dashboard", "/\\evil", "/x"):
        assert await member.done(MOVE, {"seconds": "0", "back": evil}) == SANDBOX
    for wrong in ("", "-1", "x", "9999999999"):
        assert (await member.send(MOVE, {"by": wrong, "unit": "days"})).status == 422
    analyst = await visit(org, Role.ANALYST)
    assert (await analyst.send(MOVE, {"seconds": "1"})).status == 403


async def test_the_pace_is_set(org: Tenant) -> None:
    member = await visit(org, Role.MEMBER)
    await member.done(f"{SANDBOX}/pace", {"chains": "real", "rails": "instant"})
    assert (await org.house.sandbox.paces(org.caller)).chains.value == "real"
    assert (await member.send(f"{SANDBOX}/pace", {"chains": "warp", "rails": "x"})).status == 422


async def test_nobody_of_another_organisation_is_funded(org: Tenant, other_org: Tenant) -> None:
    member = await visit(org, Role.MEMBER)
    fund = {"userId": str(uuid4()), "coin": "POLYGON:usdc", "amount": "5"}
    assert (await member.send(f"{SANDBOX}/fund", fund)).status == 404
    assert (await member.send(f"{SANDBOX}/fund", {**fund, "userId": "x"})).status == 422
    assert (await member.send(f"{SANDBOX}/fund", {**fund, "coin": HOSTILE})).status in {404, 422}
    assert (await member.send(f"{SANDBOX}/deposit", {"userId": "x"})).status == 422
    assert other_org.org_id != org.org_id


async def test_a_chosen_user_is_funded_and_gets_deposits(org: Tenant) -> None:
    user = await make_receiver(org)
    made = await make_account(org, user)
    member = await visit(org, Role.MEMBER)
    page = await member.see(SANDBOX, userId=user)
    assert made["id"] in page.answer.text
    fund = {"userId": user, "coin": "POLYGON:usdc", "amount": "5"}
    assert await member.done(f"{SANDBOX}/fund", fund) == f"{SANDBOX}?userId={user}"
    assert float(await held(org, user)) == 5
    assert (await member.send(f"{SANDBOX}/fund", {**fund, "amount": HOSTILE})).status == 422
    deposit = {
        "userId": user,
        "accountId": made["id"],
        "requestId": page.value("requestId"),
        "amount": "100",
        "paymentRail": "WIRE",
        "source.name": "Ada",
        "source.bankName": "Test Bank",
    }
    await member.done(f"{SANDBOX}/deposit", deposit)
    again = await member.send(f"{SANDBOX}/deposit", {**deposit, "amount": "x"})
    assert again.status == 422
