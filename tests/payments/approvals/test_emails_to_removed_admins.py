"""No email and no data key is created for an admin who is being removed."""

import asyncio
from uuid import UUID

import pytest

from landbridge.payments.approvals.model import Approval
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller, MemberRole
from tests.payments.approvals.flow import World
from tests.payments.approvals.test_emails import ApprovalEmailSetup, mailing_of
from tests.tenants import Tenant
from tests.waiting import done_or_waiting, waits_for

_KEYS = "select id from data_keys where org_id = $1 and id = any($2::uuid[])"
_MAILED = "select owner_id from outbound_emails where org_id = $1"


@pytest.fixture
def mailing(world: World, still_org: Tenant) -> ApprovalEmailSetup:
    return mailing_of(world, still_org)


async def two_admins(mailing: ApprovalEmailSetup) -> tuple[Caller, Caller]:
    """Return the first and the second recipient."""
    admins = [await mailing.person(name=name) for name in ("Adam Admin", "Anna Admin")]
    first, second = sorted(admins, key=lambda each: each.id)
    return first, second


async def keep_mailed(mailing: ApprovalEmailSetup, org: Tenant, *admins: Caller) -> None:
    """Give these admins a data key, as earlier emails would."""
    for each in admins:
        await mailing.world.database.transact(
            lambda tx, owner_id=each.id: org.container.vault.make(tx, org.org_id, owner_id)
        )


async def with_keys(org: Tenant, *admins: Caller) -> set[UUID]:
    rows = await org.container.database.rows(_KEYS, org.org_id, [each.id for each in admins])
    return {row["id"] for row in rows}


async def test_removal_of_an_admin_waits_for_a_notification_in_progress(
    mailing: ApprovalEmailSetup, still_org: Tenant
) -> None:
    org, database = still_org, mailing.world.database
    first, second = await two_admins(mailing)
    await keep_mailed(mailing, org, second)
    member = await mailing.person(MemberRole.MEMBER, name="Mia Member")

    async def work(tx: Tx) -> tuple["asyncio.Task[Approval]", "asyncio.Task[None]"]:
        # Both admins have been selected by then, and none has an email.
        await org.container.vault.make(tx, org.org_id, first.id)
        asking = asyncio.create_task(mailing.world.request_payment(member))
        requester = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        removing = asyncio.create_task(org.container.team.remove(first, second.id))
        await done_or_waiting(database, removing, requester)
        return asking, removing

    asking, removing = await database.transact(work)
    await asking
    await removing
    assert await with_keys(org, first, second) == {first.id}
    (mail,) = await mailing.sent()
    assert mail.to.endswith(f"+{first.id}@example.com")


async def test_admin_under_removal_gets_no_email(
    mailing: ApprovalEmailSetup, still_org: Tenant
) -> None:
    org, database = still_org, mailing.world.database
    first, second = await two_admins(mailing)
    await keep_mailed(mailing, org, first, second)
    member = await mailing.person(MemberRole.MEMBER, name="Mia Member")

    async def work(tx: Tx) -> tuple["asyncio.Task[Approval]", "asyncio.Task[None]"]:
        # Removing does all else before, and destroys the key last.
        await tx.fetch(
            "select from data_keys where org_id = $1 and id = $2 for update", org.org_id, second.id
        )
        removing = asyncio.create_task(org.container.team.remove(first, second.id))
        remover = await waits_for(database, await tx.fetchval("select pg_backend_pid()"))
        asking = asyncio.create_task(mailing.world.request_payment(member))
        await done_or_waiting(database, asking, remover)
        return asking, removing

    asking, removing = await database.transact(work)
    await asking
    await removing
    assert await with_keys(org, first, second) == {first.id}
    assert [row["owner_id"] for row in await database.rows(_MAILED, org.org_id)] == [first.id]
