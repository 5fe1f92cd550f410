"""Every page, as each role and as another organisation: permissions, no server errors."""

import re

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.platform.http.caller import MemberRole
from tests.applications import app_of
from tests.dashboard.browsing import visit
from tests.dashboard.world import (
    ADMIN_PAGES,
    EDITOR_PAGES,
    LISTS,
    TEMPLATE,
    World,
    build_with_linked_pages,
)
from tests.tenants import Tenant, make_tenant

pytestmark = pytest.mark.usefixtures("unlimited_pages")

# Not pages: downloads, images, and responses for the dashboard's scripts.
FILES = {
    "/dashboard/assets/{version:str}/{name:str}",
    "/dashboard/audit-log/csv",
    "/dashboard/transactions/csv",
    "/dashboard/transactions/parquet",
    *(f"/dashboard/{each}/csv" for each in LISTS),
    "/dashboard/fees/csv",
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
# Pages that other tests open in a browser with axe, with the reason.
TESTED_ELSEWHERE = {
    "/dashboard/chains": "needs a connected chain",
    "/dashboard/chains/{name:str}": "needs a connected chain",
    "/dashboard/sign-in": "needs a signed-out browser",
    "/dashboard/forgot": "needs a signed-out browser",
    "/dashboard/sign-in/code": "needs an open second factor",
    "/dashboard/invitations/{token:str}": "its link is e-mailed",
    "/dashboard/reset/{token:str}": "its link is e-mailed",
    "/dashboard/profile/passkeys/{passkey_id:str}": "a browser creates the passkey",
    "/dashboard/reviews/kyc/{case_id:str}": "needs a server with manual reviews",
    "/dashboard/webhooks/{webhook_id:str}/deliveries/{delivery_id:str}": "needs a worker",
    "/dashboard/travel-rule/{screening_id:str}": "needs an installation with the travel rule",
    "/dashboard/inquiries/{exchange_id:str}": "needs the inquiry of another provider",
    "/dashboard/{path:path}": "unknown paths",
}

# Addresses that show the visitor's own data, even with an ID of another organisation.
_OWN = ("?userId=", "/dashboard/search", "statements?")


@pytest.fixture(scope="module")
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """One organisation for all tests of this module, which only read it."""
    return await make_tenant(container, client)


@pytest.fixture(scope="module")
async def world(org: Tenant) -> World:
    return await build_with_linked_pages(org)


async def test_every_page_is_in_the_catalogue(org: Tenant, world: World) -> None:
    """A new page must be listed, so that roles, axe and screenshots cover it."""
    routes_of = app_of(org.container).routes
    paths = {each.path for each in routes_of if "GET" in getattr(each, "methods", ())}
    # Match fixed path segments before parameters.
    routes = sorted((path for path in paths if path.startswith("/dashboard")), key=_ids)
    shapes = {path: re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)) for path in routes}
    page = {
        next(path for path, shape in shapes.items() if shape.fullmatch(address))
        for address in (each.partition("?")[0] for each in world.pages().values())
    }
    assert set(routes) - page == FILES | TESTED_ELSEWHERE.keys()


def _ids(path: str) -> int:
    return path.count("{")


@pytest.mark.long
async def test_each_role_sees_permitted_pages(org: Tenant, world: World) -> None:
    for role in MemberRole:
        visitor = await visit(org, role)
        found = {name: (await visitor.open(path)).status for name, path in world.pages().items()}
        refused = {
            name
            for name in found
            if (name in ADMIN_PAGES and role is not MemberRole.ADMIN)
            or (name in EDITOR_PAGES and role is MemberRole.ANALYST)
        }
        wrong = {
            name: status
            for name, status in found.items()
            if status != (403 if name in refused else 200)
        }
        assert not wrong, f"{role}: {wrong}"


async def test_each_form_has_the_csrf_token_of_its_session(org: Tenant, world: World) -> None:
    visitor = await visit(org)
    for name, path in world.pages().items():
        page = await visitor.load(path)
        for form in page.tree.xpath('//form[@method="post"]'):
            tokens = form.xpath('.//input[@name="csrf"]/@value')
            assert tokens == [visitor.csrf], f"{name}: {form.get('action')} has {tokens}"


async def test_other_organisation_finds_nothing(
    org: Tenant, other_org: Tenant, world: World
) -> None:
    outsider = await visit(other_org)
    ids = [world.user, world.account, world.rule, world.webhook, world.metric, world.schedule]
    ids += [*world.payments.values(), world.approval, world.resolution_approval]
    ids += [world.virtual_account, TEMPLATE]
    for name, path in world.pages().items():
        page = await outsider.open(path)
        if any(each in path for each in ids) and not any(each in path for each in _OWN):
            assert page.status == 404, f"{name}: {page.status}"
        else:
            assert page.status in {200, 404, 422}, f"{name}: {page.status}"
        # The page may repeat an ID from its address; it shows no other ID.
        text = page.text
        assert not [each for each in ids if each in text and each not in path], name
