"""Who may do what with endpoints: they are settings, so admins alone change them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.errors import RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.web.caller import Caller, Member, Role
from landbridge.webhooks.model import Resending, Status
from landbridge.webhooks.shapes import NewWebhook, WebhookChange
from tests.tenants import Tenant
from tests.webhooks.rows import URL, add, make_endpoint, row

Verb = Callable[[Tenant, Caller, UUID], Awaitable[object]]

SETTINGS: dict[str, Verb] = {
    "create": lambda org, caller, _: org.house.endpoints.create(caller, NewWebhook(url=URL)),
    "update": lambda org, caller, hook: org.house.endpoints.update(
        caller, hook, WebhookChange(status=Status.PAUSED)
    ),
    "rotate": lambda org, caller, hook: org.house.endpoints.rotate(
        caller, hook, overlap=timedelta()
    ),
    "delete": lambda org, caller, hook: org.house.endpoints.delete(caller, hook),
}


def somebody(org: Tenant, role: Role) -> Caller:
    return replace(org.caller, key_id=None, member=Member(new_id(), role))


@pytest.mark.parametrize("verb", SETTINGS)
async def test_only_an_admin_changes_endpoints(org: Tenant, verb: str) -> None:
    hook = UUID(await make_endpoint(org))
    for role in (Role.MEMBER, Role.ANALYST):
        with pytest.raises(RoleNotAllowed):
            await SETTINGS[verb](org, somebody(org, role), hook)
    assert [each.version for each in await org.house.endpoints.page(org.org_id)] == [1]
    await SETTINGS[verb](org, somebody(org, Role.ADMIN), hook)


async def test_whoever_may_edit_tests_and_sends_again(org: Tenant) -> None:
    hook, deliveries = await make_endpoint(org), org.house.deliveries
    made, since = row(org, hook), org.house.clock.now()
    await add(org, hook, [made])
    for role in (Role.ADMIN, Role.MEMBER):
        caller = somebody(org, role)
        await org.house.endpoints.test(caller, UUID(hook))
        await deliveries.resend(caller, UUID(hook), made.id)
        await deliveries.resend_since(caller, UUID(hook), since, Resending.FAILED)
    analyst = somebody(org, Role.ANALYST)
    with pytest.raises(RoleNotAllowed):
        await org.house.endpoints.test(analyst, UUID(hook))
    with pytest.raises(RoleNotAllowed):
        await deliveries.resend(analyst, UUID(hook), made.id)
    assert (await deliveries.get(analyst, UUID(hook), made.id)).id == made.id


async def test_who_did_it_is_told(org: Tenant) -> None:
    admin = somebody(org, Role.ADMIN)
    shown = await org.house.endpoints.create(admin, NewWebhook(url=URL))
    rows = await org.house.database.rows(
        "select actor from changes where org_id = $1 and object_id = $2",
        org.org_id,
        shown.endpoint.id,
    )
    assert [each["actor"] for each in rows] == [f"member:{admin.id}"]
