"""Virtual accounts and settlement rules of members: no money leaves without an admin."""

import pytest

from landbridge.platform.core.errors import ProfileFrozen, RoleNotAllowed
from landbridge.platform.http.caller import MemberRole
from tests.payments.virtual_accounts.virtual_account_setup import (
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
from tests.platform.http.member_clients import member_client
from tests.tenants import Tenant, refusal, register

OTHERS = [MemberRole.MEMBER, MemberRole.ANALYST]


async def test_a_members_account_delivers_inside(org: Tenant) -> None:
    user = await make_receiver(org)
    external = await register(org, user, OUTSIDE)
    outside = account_body(None, externalWalletId=external)
    member, admin = member_client(org, MemberRole.MEMBER), member_client(org, MemberRole.ADMIN)
    with pytest.raises(RoleNotAllowed, match="need an admin"):
        await member.post(at(user), outside)
    created = (await member.post(at(user), account_body()))["accountInfo"]
    with pytest.raises(RoleNotAllowed):
        await member.post(at(user, created["id"], "update"), outside)
    found = await org.get(at(user, created["id"]))
    assert found["destination"]["externalWalletId"] is None
    moved = await admin.post(at(user, created["id"], "update"), outside)
    assert moved["accountInfo"]["destination"]["externalWalletId"] == external
    # A member may restore what an admin has released.
    assert await member.post(at(user, created["id"], "update"), account_body())


async def test_member_activates_no_rule_that_pays_others(org: Tenant) -> None:
    user = await make_receiver(org)
    external = await register(org, user, OUTSIDE)
    outside = await make_account(org, user, chain=None, externalWalletId=external)
    ruled, plain = await make_account(org, user), await make_account(org, user)
    rule = await make_rule(org)
    member, admin = member_client(org, MemberRole.MEMBER), member_client(org, MemberRole.ADMIN)
    await admin.post(at(user, ruled["id"], f"settlement-rules/{rule['id']}"))
    for each in (outside, ruled):
        await member.post(at(user, each["id"], "deactivate"))
        with pytest.raises(RoleNotAllowed):
            await member.post(at(user, each["id"], "reactivate"))
        await admin.post(at(user, each["id"], "reactivate"))
    await member.post(at(user, plain["id"], "deactivate"))
    await member.post(at(user, plain["id"], "reactivate"))


@pytest.mark.parametrize("role", OTHERS)
async def test_only_admins_create_rules(org: Tenant, role: MemberRole) -> None:
    rule = f"{RULES}/{(await make_rule(org))['id']}"
    before = await org.get(rule)
    member, admin = member_client(org, role), member_client(org, MemberRole.ADMIN)
    with pytest.raises(RoleNotAllowed):
        await member.post(RULES, rule_body())
    with pytest.raises(RoleNotAllowed):
        await member.post(f"{rule}/update", rule_body(fixed(1)))
    with pytest.raises(RoleNotAllowed):
        await member.delete(rule)
    assert await org.get(rule) == before
    assert (await org.get(RULES))["count"] == 1
    await admin.post(RULES, rule_body())
    await admin.post(f"{rule}/update", rule_body(fixed(1)))
    await admin.delete(rule)


@pytest.mark.parametrize("role", OTHERS)
async def test_only_admins_apply_rules(org: Tenant, role: MemberRole) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    member, admin = member_client(org, role), member_client(org, MemberRole.ADMIN)
    with pytest.raises(RoleNotAllowed):
        await member.post(at(user, account, f"settlement-rules/{rule}"))
    await admin.post(at(user, account, f"settlement-rules/{rule}"))
    with pytest.raises(RoleNotAllowed):
        await member.delete(at(user, account, "settlement-rules"))
    assert (await org.get(at(user, account)))["settlementRuleId"] == rule
    await admin.delete(at(user, account, "settlement-rules"))


async def test_frozen_organisation_cannot_change_rules(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    await org.container.orgs.freeze(org.org_id)
    for method, path, body in (
        ("POST", RULES, rule_body()),
        ("POST", f"{RULES}/{rule}/update", rule_body(fixed(1))),
        ("DELETE", f"{RULES}/{rule}", None),
        ("POST", at(user, account, f"settlement-rules/{rule}"), None),
        ("DELETE", at(user, account, "settlement-rules"), None),
    ):
        answer = await org.send(method, path, body)
        assert refusal(answer) == f"403 {ProfileFrozen.name}", path
