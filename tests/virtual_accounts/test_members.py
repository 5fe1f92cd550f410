"""Virtual accounts and settlement rules of members: no money leaves without an admin."""

import pytest

from landbridge.core.errors import ProfileFrozen, RoleNotAllowed
from landbridge.web.caller import Role
from tests.tenants import Tenant, refusal, register
from tests.virtual_accounts.made import (
    OUTSIDE,
    RULES,
    account_body,
    at,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    rule_body,
)
from tests.web.asking import asked_by

OTHERS = [Role.MEMBER, Role.ANALYST]


async def test_a_members_account_delivers_inside(org: Tenant) -> None:
    user = await make_receiver(org)
    external = await register(org, user, OUTSIDE)
    outside = account_body(None, externalWalletId=external)
    member, admin = asked_by(org, Role.MEMBER), asked_by(org, Role.ADMIN)
    with pytest.raises(RoleNotAllowed, match="ask an admin"):
        await member.post(at(user), outside)
    made = (await member.post(at(user), account_body()))["accountInfo"]
    with pytest.raises(RoleNotAllowed):
        await member.post(at(user, made["id"], "update"), outside)
    found = await org.get(at(user, made["id"]))
    assert found["destination"]["externalWalletId"] is None
    moved = await admin.post(at(user, made["id"], "update"), outside)
    assert moved["accountInfo"]["destination"]["externalWalletId"] == external
    # What an admin lets out, a member may bring back.
    assert await member.post(at(user, made["id"], "update"), account_body())


async def test_a_member_turns_on_nothing_that_pays_others(org: Tenant) -> None:
    user = await make_receiver(org)
    external = await register(org, user, OUTSIDE)
    outside = await make_account(org, user, chain=None, externalWalletId=external)
    ruled, plain = await make_account(org, user), await make_account(org, user)
    rule = await make_rule(org)
    member, admin = asked_by(org, Role.MEMBER), asked_by(org, Role.ADMIN)
    await admin.post(at(user, ruled["id"], f"settlement-rules/{rule['id']}"))
    for each in (outside, ruled):
        await member.post(at(user, each["id"], "deactivate"))
        with pytest.raises(RoleNotAllowed):
            await member.post(at(user, each["id"], "reactivate"))
        await admin.post(at(user, each["id"], "reactivate"))
    await member.post(at(user, plain["id"], "deactivate"))
    await member.post(at(user, plain["id"], "reactivate"))


@pytest.mark.parametrize("role", OTHERS)
async def test_only_admins_make_rules(org: Tenant, role: Role) -> None:
    rule = f"{RULES}/{(await make_rule(org))['id']}"
    before = await org.get(rule)
    somebody, admin = asked_by(org, role), asked_by(org, Role.ADMIN)
    with pytest.raises(RoleNotAllowed):
        await somebody.post(RULES, rule_body())
    with pytest.raises(RoleNotAllowed):
        await somebody.post(f"{rule}/update", rule_body(fixed(1)))
    with pytest.raises(RoleNotAllowed):
        await somebody.delete(rule)
    assert await org.get(rule) == before
    assert (await org.get(RULES))["count"] == 1
    await admin.post(RULES, rule_body())
    await admin.post(f"{rule}/update", rule_body(fixed(1)))
    await admin.delete(rule)


@pytest.mark.parametrize("role", OTHERS)
async def test_only_admins_apply_rules(org: Tenant, role: Role) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    somebody, admin = asked_by(org, role), asked_by(org, Role.ADMIN)
    with pytest.raises(RoleNotAllowed):
        await somebody.post(at(user, account, f"settlement-rules/{rule}"))
    await admin.post(at(user, account, f"settlement-rules/{rule}"))
    with pytest.raises(RoleNotAllowed):
        await somebody.delete(at(user, account, "settlement-rules"))
    assert (await org.get(at(user, account)))["settlementRuleId"] == rule
    await admin.delete(at(user, account, "settlement-rules"))


async def test_rules_of_a_frozen_organisation_stay_as_they_are(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    await org.house.orgs.freeze(org.org_id)
    for method, path, body in (
        ("POST", RULES, rule_body()),
        ("POST", f"{RULES}/{rule}/update", rule_body(fixed(1))),
        ("DELETE", f"{RULES}/{rule}", None),
        ("POST", at(user, account, f"settlement-rules/{rule}"), None),
        ("DELETE", at(user, account, "settlement-rules"), None),
    ):
        answer = await org.send(method, path, body)
        assert refusal(answer) == f"403 {ProfileFrozen.name}", path
