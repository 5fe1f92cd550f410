"""What the database keeps of members, and for how long."""

from datetime import timedelta

from tests.members.people import PASSWORD, first_admin, join
from tests.tenants import Tenant


async def test_where_a_session_began_is_sealed(org: Tenant) -> None:
    admin = await first_admin(org)
    await join(org, admin)
    rows = await org.house.database.rows(
        "select s::text as whole, sealed_origin from sessions s where org_id = $1", org.org_id
    )
    assert len(rows) == 2
    for row in rows:
        assert row["sealed_origin"] is not None
        for secret in ("203.0.113.9", f"host-{org.org_id}", "Test"):
            assert secret not in row["whole"]
            assert secret.encode().hex() not in row["whole"]


async def test_an_origin_in_clear_is_swept(org: Tenant) -> None:
    admin = await first_admin(org)
    database = org.house.database
    await database.rows(
        "update sessions set ip_address = '203.0.113.9', browser = 'Test' where org_id = $1",
        org.org_id,
    )
    await org.house.member_sweeping.sweep([org.org_id])
    rows = await database.rows(
        "select ip_address, browser from sessions where org_id = $1", org.org_id
    )
    assert [(row["ip_address"], row["browser"]) for row in rows] == [(None, None)]
    assert await org.house.sessions.find(admin.secret) is not None


async def test_a_removed_member_is_an_id_after_thirty_days(org: Tenant) -> None:
    house, admin = org.house, await first_admin(org)
    gone = await join(org, admin)
    await house.members.remove(admin.signed.caller, gone.id)
    await house.member_sweeping.sweep([org.org_id])
    assert (await _former(org)) == (gone.email, "Grace Example")
    await house.database.rows(
        "update members set removed_at = $2 where org_id = $1 and removed_at is not null",
        *(org.org_id, house.clock.now() - timedelta(days=31)),
    )
    await house.member_sweeping.sweep([org.org_id])
    assert (await _former(org)) == (f"{gone.id}@removed.invalid", str(gone.id))
    people = {each.id: each.email for each in await house.members.everybody(org.org_id)}
    assert people[admin.id] == admin.email


async def test_a_preset_address_brings_no_blanked_member_back(org: Tenant) -> None:
    house, admin = org.house, await first_admin(org)
    gone = await join(org, admin)
    await house.members.remove(admin.signed.caller, gone.id)
    await house.database.rows(
        "update members set removed_at = $2 where org_id = $1 and removed_at is not null",
        *(org.org_id, house.clock.now() - timedelta(days=31)),
    )
    await house.member_sweeping.sweep([org.org_id])
    assert await house.members.first(org.org_id, email=gone.email, password=PASSWORD) is None


async def _former(org: Tenant) -> tuple[str, str]:
    rows = await org.house.database.rows(
        "select email, name from members where org_id = $1 and removed_at is not null", org.org_id
    )
    ((email, name),) = [(row["email"], row["name"]) for row in rows]
    return email, name
