"""No mail about an approval, and no data key, is made for an admin who is removed meanwhile."""

import asyncio
from uuid import UUID

import pytest

from landbridge.approvals.model import Approval
from landbridge.db.pool import Tx
from landbridge.web.caller import Caller, Role
from tests.approvals.flow import World
from tests.approvals.test_mails import Desk, desk_of
from tests.tenants import Tenant
from tests.waiting import done_or_waiting, waits_for

_KEYS = "select id from data_keys where org_id = $1 and id = any($2::uuid[])"
_MAILED = "select owner_id from mails where org_id = $1"


@pytest.fixture
def desk(world: World, still_org: Tenant) -> Desk:
    return desk_of(world, still_org)


async def two_admins(desk: Desk) -> tuple[Caller, Caller]:
    """Who is mailed first and second."""
    admins = [await desk.person(name=name) for name in ("Adam Admin", "Anna Admin")]
    first, second = sorted(admins, key=lambda each: each.id)
    return first, second


async def keep_mailed(desk: Desk, org: Tenant, *admins: Caller) -> None:
    """These have a data key, as of mails before."""
    for each in admins:
        await desk.world.database.transact(
            lambda tx, whose=each.id: org.house.vault.make(tx, org.org_id, whose)
        )


async def with_keys(org: Tenant, *admins: Caller) -> set[UUID]:
    rows = await org.house.database.rows(_KEYS, org.org_id, [each.id for each in admins])
    return {row["id"] for row in rows}


async def test_removing_an_admin_waits_for_who_has_just_found_them(
    desk: Desk, still_org: Tenant
) -> None:
    org, database = still_org, desk.world.database
    first, second = await two_admins(desk)
    await keep_mailed(desk, org, second)
    member = await desk.person(Role.MEMBER, name="Mia Member")

    async def work(tx: Tx) -> tuple["asyncio.Task[Approval]", "asyncio.Task[None]"]:
        # Both admins are found by then, and none is mailed.
        await org.house.vault.make(tx, org.org_id, first.id)
        asking = asyncio.create_task(desk.world.ask(member))
        asker = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        removing = asyncio.create_task(org.house.members.remove(first, second.id))
        await done_or_waiting(database, removing, asker)
        return asking, removing

    asking, removing = await database.transact(work)
    await asking
    await removing
    assert await with_keys(org, first, second) == {first.id}
    (mail,) = await desk.sent()
    assert mail.to.endswith(f"+{first.id}@example.com")


async def test_who_is_being_removed_is_not_mailed(desk: Desk, still_org: Tenant) -> None:
    org, database = still_org, desk.world.database
    first, second = await two_admins(desk)
    await keep_mailed(desk, org, first, second)
    member = await desk.person(Role.MEMBER, name="Mia Member")

    async def work(tx: Tx) -> tuple["asyncio.Task[Approval]", "asyncio.Task[None]"]:
        # Removing does all else before, and destroys the key last.
        await tx.fetch(
            "select from data_keys where org_id = $1 and id = $2 for update", org.org_id, second.id
        )
        removing = asyncio.create_task(org.house.members.remove(first, second.id))
        remover = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        asking = asyncio.create_task(desk.world.ask(member))
        await done_or_waiting(database, asking, remover)
        return asking, removing

    asking, removing = await database.transact(work)
    await asking
    await removing
    assert await with_keys(org, first, second) == {first.id}
    assert [row["owner_id"] for row in await database.rows(_MAILED, org.org_id)] == [first.id]
