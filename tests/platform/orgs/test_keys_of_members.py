"""API keys that members create and revoke in their own name: admins only."""

from dataclasses import replace
from datetime import timedelta

import pytest

from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller, KeyScope, MemberRole, SignedInMember
from landbridge.platform.orgs.service import EXPIRY_MAX
from tests.customers.team.people import store_member
from tests.tenants import Tenant


def somebody(org: Tenant, role: MemberRole) -> Caller:
    return replace(org.caller, key_id=None, member=SignedInMember(new_id(), role))


async def test_admin_creates_a_key_in_their_own_name(org: Tenant) -> None:
    admin, orgs = somebody(org, MemberRole.ADMIN), org.container.orgs
    await store_member(org, admin)
    key, secret = await orgs.create_key_for(
        admin, name=" mine ", expires_at=None, scopes=[KeyScope.APPROVE]
    )
    assert secret is not None
    assert (key.name, key.can_review, key.can_approve) == ("mine", False, True)
    assert key.created_by == admin.id
    assert (await orgs.authenticate(secret)).org_id == org.org_id
    await orgs.revoke_key_for(admin, key.id)
    await orgs.revoke_key_for(admin, key.id)
    rows = await org.container.database.rows(
        "select change_type, actor, facts::text from changes where org_id = $1 and object_id = $2"
        " order by seq",
        org.org_id,
        key.id,
    )
    actor = f"member:{admin.id}"
    assert [(each["change_type"], each["actor"]) for each in rows] == [
        ("create", actor),
        ("revoke", actor),
    ]
    assert secret not in repr(rows)


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_other_roles_create_and_revoke_no_keys(org: Tenant, role: MemberRole) -> None:
    caller, orgs = somebody(org, role), org.container.orgs
    with pytest.raises(RoleNotAllowed):
        await orgs.create_key_for(caller, name="mine", expires_at=None)
    with pytest.raises(RoleNotAllowed):
        await orgs.revoke_key_for(caller, org.caller.id)
    (key,) = await orgs.keys(org.org_id)
    assert key.revoked_at is None


async def test_a_key_expires_in_time_to_come(org: Tenant) -> None:
    admin, now = somebody(org, MemberRole.ADMIN), org.container.clock.now()
    for expires_at in (now, now + EXPIRY_MAX + timedelta(days=1)):
        with pytest.raises(FieldInvalid) as refused:
            await org.container.orgs.create_key_for(admin, name="mine", expires_at=expires_at)
        assert refused.value.field == "expiresAt"
    at = now + timedelta(days=1)
    await store_member(org, admin)
    key, _ = await org.container.orgs.create_key_for(admin, name="mine", expires_at=at)
    assert key.expires_at == at


async def test_keys_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    admin = somebody(org, MemberRole.ADMIN)
    for key_id in (other_org.caller.id, new_id()):
        with pytest.raises(ResourceNotFound):
            await org.container.orgs.revoke_key_for(admin, key_id)
    await other_org.get("/v2/ping")
