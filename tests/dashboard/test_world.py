"""Every page, as each role and as a stranger: who sees what, and that nobody meets a fault."""

import re

import pytest

from landbridge.app import build_app
from landbridge.web.caller import Role
from tests.bank_files.incoming import make_bank_line
from tests.dashboard.browsing import visit
from tests.dashboard.world import FOR_ADMINS, FOR_EDITORS, World, build, inside
from tests.receipts.play import make_held
from tests.tenants import Tenant

# No pages: downloads, pictures, and what our own script asks for.
FILES = {
    "/dashboard/assets/{version:str}/{name:str}",
    "/dashboard/audit-log/csv",
    "/dashboard/files/{file_id:str}",
    "/dashboard/files/{file_id:str}/picture",
    "/dashboard/new/batch/template.csv",
    "/dashboard/new/users",
    "/dashboard/reports/download",
    "/dashboard/reports/runs/{runId:str}/file",
    "/dashboard/reports/saved/{metricId:str}/download",
    "/dashboard/reports/statements/file",
    "/dashboard/webhooks/{webhook_id:str}/keys/{kid:str}",
}
# Pages that are opened by other tests, in a browser and with axe, for a reason.
ELSEWHERE = {
    "/dashboard/sign-in": "nobody is signed in",
    "/dashboard/forgot": "nobody is signed in",
    "/dashboard/sign-in/code": "half signed in",
    "/dashboard/invitations/{token:str}": "its link is mailed",
    "/dashboard/reset/{token:str}": "its link is mailed",
    "/dashboard/profile/passkeys/{passkey_id:str}": "a browser makes the passkey",
    "/dashboard/reviews/kyc/{case_id:str}": "a server where people decide on people",
    "/dashboard/webhooks/{webhook_id:str}/deliveries/{delivery_id:str}": "a worker delivers",
    "/dashboard/{rest:path}": "what is not there",
}

# The pages of other organisations' things are not there; what has no id shows one's own.
_OWN = ("?userId=", "/dashboard/search", "statements?")


@pytest.fixture
async def world(org: Tenant) -> World:
    world, admin = await build(inside(org)), await visit(org)

    async def links(path: str) -> list[str]:
        return (await admin.see(path)).links()

    deposit = await make_held(org)
    world.deposit, world.line = str(deposit.id), await make_bank_line(org)
    # What is written a moment later.
    await org.house.request_log.flush()
    world.request = (await org.get("/v2/request-log", limit=1))["requests"][0]["xRequestId"]
    await org.house.outbox.run_once([org.org_id])
    await world.look_around(links)
    return world


async def test_every_page_is_one_of_the_world(org: Tenant, world: World) -> None:
    """So that a new page meets each role, a stranger, axe and the camera, too."""
    routes_of = build_app(org.house).routes
    paths = {each.path for each in routes_of if "GET" in getattr(each, "methods", ())}
    # What is told by its own name goes before what has an id there.
    routes = sorted((path for path in paths if path.startswith("/dashboard")), key=_ids)
    shapes = {path: re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)) for path in routes}
    opened = {
        next(path for path, shape in shapes.items() if shape.fullmatch(address))
        for address in (each.partition("?")[0] for each in world.pages().values())
    }
    assert set(routes) - opened == FILES | ELSEWHERE.keys()


def _ids(path: str) -> int:
    return path.count("{")


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
    ids += [*world.payments.values(), world.approval, world.resolution_approval]
    ids += [world.virtual_account]
    for name, path in world.pages().items():
        page = await stranger.open(path)
        if any(each in path for each in ids) and not any(each in path for each in _OWN):
            assert page.status == 404, f"{name}: {page.status}"
        else:
            assert page.status in {200, 404, 422}, f"{name}: {page.status}"
        # What was asked for may be said again; nothing else of the others is.
        told = page.text
        assert not [each for each in ids if each in told and each not in path], name
