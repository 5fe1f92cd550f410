"""Every page, as each role and as a stranger: who sees what, and that nobody meets a fault."""

import pytest

from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.dashboard.world import FOR_ADMINS, FOR_EDITORS, World, build, inside
from tests.tenants import Tenant

# The pages of other organisations' things are not there; what has no id shows one's own.
_OWN = ("?userId=", "/dashboard/search", "statements?")


@pytest.fixture
async def world(org: Tenant) -> World:
    return await build(inside(org))


async def test_each_role_sees_what_it_may(org: Tenant, world: World) -> None:
    for role in Role:
        somebody = await visit(org, role)
        found = {name: (await somebody.open(path)).status for name, path in world.pages().items()}
        refused = {
            name
            for name in found
            if (name in FOR_ADMINS and role is not Role.ADMIN)
            or (name in FOR_EDITORS and role is Role.ANALYST)
        }
        wrong = {
            name: status
            for name, status in found.items()
            if status != (403 if name in refused else 200)
        }
        assert not wrong, f"{role}: {wrong}"


async def test_each_form_holds_the_token_of_its_session(org: Tenant, world: World) -> None:
    somebody = await visit(org)
    for name, path in world.pages().items():
        page = await somebody.see(path)
        for form in page.tree.xpath('//form[@method="post"]'):
            told = form.xpath('.//input[@name="csrf"]/@value')
            assert told == [somebody.csrf], f"{name}: {form.get('action')} has {told}"


async def test_a_stranger_finds_nothing(org: Tenant, other_org: Tenant, world: World) -> None:
    stranger = await visit(other_org)
    ids = [world.user, world.account, world.rule, world.webhook, world.metric, world.schedule]
    ids += [*world.payments.values(), world.approval, world.virtual_account]
    for name, path in world.pages().items():
        page = await stranger.open(path)
        if any(each in path for each in ids) and not any(each in path for each in _OWN):
            assert page.status == 404, f"{name}: {page.status}"
        else:
            assert page.status in {200, 404, 422}, f"{name}: {page.status}"
        # What was asked for may be said again; nothing else of the others is.
        told = page.text
        assert not [each for each in ids if each in told and each not in path], name
