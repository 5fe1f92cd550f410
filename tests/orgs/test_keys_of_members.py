"""Keys that people make and revoke, in their own names: admins alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from landbridge.core.errors import FieldInvalid, ResourceNotFound, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.orgs.service import EXPIRY_MAX
from landbridge.web.caller import Caller, Member, Role
from tests.tenants import Tenant


def somebody(org: Tenant, role: Role) -> Caller:
    return replace(org.caller, key_id=None, member=Member(new_id(), role))


async def test_an_admin_makes_a_key_in_their_own_name(org: Tenant) -> None:
    admin, orgs = somebody(org, Role.ADMIN), org.house.orgs
    key, secret = await orgs.create_key_for(admin, name=" mine ", expires_at=None, can_approve=True)
    assert secret is not None
    assert (key.name, key.can_review, key.can_approve) == ("mine", False, True)
    assert key.made_by == admin.id
    assert (await orgs.authenticate(secret)).org_id == org.org_id
    await orgs.revoke_key_for(admin, key.id)
    await orgs.revoke_key_for(admin, key.id)
    rows = await org.house.database.rows(
        "select what, actor, facts::text from changes where org_id = $1 and object_id = $2"
        " order by seq",
        org.org_id,
        key.id,
    )
    actor = f"member:{admin.id}"
    assert [(each["what"], each["actor"]) for each in rows] == [
        ("create", actor),
        ("revoke", actor),
    ]
    assert secret not in repr(rows)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_others_make_and_revoke_none(org: Tenant, role: Role) -> None:
    caller, orgs = somebody(org, role), org.house.orgs
    with pytest.raises(RoleNotAllowed):
        await orgs.create_key_for(caller, name="mine", expires_at=None)
    with pytest.raises(RoleNotAllowed):
        await orgs.revoke_key_for(caller, org.caller.id)
    (key,) = await orgs.keys(org.org_id)
    assert key.revoked_at is None


async def test_a_key_expires_in_time_to_come(org: Tenant) -> None:
    admin, now = somebody(org, Role.ADMIN), org.house.clock.now()
    for expires_at in (now, now + EXPIRY_MAX + timedelta(days=1)):
        with pytest.raises(FieldInvalid) as refused:
            await org.house.orgs.create_key_for(admin, name="mine", expires_at=expires_at)
        assert refused.value.field == "expiresAt"
    at = now + timedelta(days=1)
    key, _ = await org.house.orgs.create_key_for(admin, name="mine", expires_at=at)
    assert key.expires_at == at


async def test_keys_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    admin = somebody(org, Role.ADMIN)
    for key_id in (other_org.caller.id, new_id()):
        with pytest.raises(ResourceNotFound):
            await org.house.orgs.revoke_key_for(admin, key_id)
    await other_org.get("/v2/ping")
