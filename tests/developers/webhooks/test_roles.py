"""Roles for endpoints: they are settings, which only admins change."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.developers.webhooks.model import ResendSelection, WebhookStatus
from landbridge.developers.webhooks.schemas import NewWebhook, WebhookChange
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from tests.developers.webhooks.rows import URL, add, make_endpoint, row
from tests.tenants import Tenant

Verb = Callable[[Tenant, Caller, UUID], Awaitable[object]]

SETTINGS: dict[str, Verb] = {
    "create": lambda org, caller, _: org.container.endpoints.create(caller, NewWebhook(url=URL)),
    "update": lambda org, caller, hook: org.container.endpoints.update(
        caller, hook, WebhookChange(status=WebhookStatus.PAUSED)
    ),
    "rotate": lambda org, caller, hook: org.container.endpoints.rotate(
        caller, hook, overlap=timedelta()
    ),
    "delete": lambda org, caller, hook: org.container.endpoints.delete(caller, hook),
}


def member_caller(org: Tenant, role: MemberRole) -> Caller:
    return replace(org.caller, key_id=None, member=SignedInMember(new_id(), role))


@pytest.mark.parametrize("verb", SETTINGS)
async def test_only_an_admin_changes_endpoints(org: Tenant, verb: str) -> None:
    hook = UUID(await make_endpoint(org))
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        with pytest.raises(RoleNotAllowed):
            await SETTINGS[verb](org, member_caller(org, role), hook)
    assert [each.version for each in await org.container.endpoints.page(org.org_id)] == [1]
    await SETTINGS[verb](org, member_caller(org, MemberRole.ADMIN), hook)


async def test_editors_may_test_and_resend(org: Tenant) -> None:
    hook, deliveries = await make_endpoint(org), org.container.deliveries
    created, since = row(org, hook), org.container.clock.now()
    await add(org, hook, [created])
    for role in (MemberRole.ADMIN, MemberRole.MEMBER):
        caller = member_caller(org, role)
        await org.container.endpoints.test(caller, UUID(hook))
        await deliveries.resend(caller, UUID(hook), created.id)
        await deliveries.resend_since(caller, UUID(hook), since, ResendSelection.FAILED)
    analyst = member_caller(org, MemberRole.ANALYST)
    with pytest.raises(RoleNotAllowed):
        await org.container.endpoints.test(analyst, UUID(hook))
    with pytest.raises(RoleNotAllowed):
        await deliveries.resend(analyst, UUID(hook), created.id)
    assert (await deliveries.get(analyst, UUID(hook), created.id)).id == created.id


async def test_the_actor_is_recorded(org: Tenant) -> None:
    admin = member_caller(org, MemberRole.ADMIN)
    shown = await org.container.endpoints.create(admin, NewWebhook(url=URL))
    rows = await org.container.database.rows(
        "select actor from changes where org_id = $1 and object_id = $2",
        org.org_id,
        shown.endpoint.id,
    )
    assert [each["actor"] for each in rows] == [f"member:{admin.id}"]
