"""Stored data of members, and its retention."""

from datetime import timedelta

from tests.customers.team.people import PASSWORD, first_admin, join
from tests.tenants import Tenant


async def test_where_a_session_began_is_sealed(org: Tenant) -> None:
    admin = await first_admin(org)
    await join(org, admin)
    rows = await org.container.database.rows(
        "select s::text as whole, sealed_origin from sessions s where org_id = $1", org.org_id
    )
    assert len(rows) == 2
    for row in rows:
        assert row["sealed_origin"] is not None
        for secret in ("203.0.113.9", f"host-{org.org_id}", "Test"):
            assert secret not in row["whole"]
            assert secret.encode().hex() not in row["whole"]


async def test_a_removed_member_is_an_id_after_thirty_days(org: Tenant) -> None:
    container, admin = org.container, await first_admin(org)
    removed = await join(org, admin)
    await container.team.remove(admin.signed.caller, removed.id)
    await container.team_cleanup.sweep([org.org_id])
    assert (await _former(org)) == (removed.email, "Grace Example")
    await container.database.rows(
        "update team_members set removed_at = $2 where org_id = $1 and removed_at is not null",
        *(org.org_id, container.clock.now() - timedelta(days=31)),
    )
    await container.team_cleanup.sweep([org.org_id])
    assert (await _former(org)) == (f"{removed.id}@removed.invalid", str(removed.id))
    people = {each.id: each.email for each in await container.team.list_members(org.org_id)}
    assert people[admin.id] == admin.email


async def test_a_preset_address_brings_no_blanked_member_back(org: Tenant) -> None:
    container, admin = org.container, await first_admin(org)
    removed = await join(org, admin)
    await container.team.remove(admin.signed.caller, removed.id)
    await container.database.rows(
        "update team_members set removed_at = $2 where org_id = $1 and removed_at is not null",
        *(org.org_id, container.clock.now() - timedelta(days=31)),
    )
    await container.team_cleanup.sweep([org.org_id])
    assert await container.team.first(org.org_id, email=removed.email, password=PASSWORD) is None


async def _former(org: Tenant) -> tuple[str, str]:
    rows = await org.container.database.rows(
        "select email, name from team_members where org_id = $1 and removed_at is not null",
        org.org_id,
    )
    ((email, name),) = [(row["email"], row["name"]) for row in rows]
    return email, name
