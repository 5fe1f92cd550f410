"""What gives power takes a fresh proof of who asks: a password, typed within ten minutes."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest

from landbridge.app import build_app
from landbridge.wiring import House
from tests.dashboard.browsing import Visit, visit
from tests.tenants import Tenant

ID = UUID(int=7)
# Every one of them, and where its form is.
FORMS = {
    "GET /dashboard/keys/new": "/dashboard/keys/new",
    "POST /dashboard/keys/new": "/dashboard/keys/new",
    "GET /dashboard/team/invite": "/dashboard/team/invite",
    "POST /dashboard/team/invite": "/dashboard/team/invite",
    "POST /dashboard/team/{member_id}/invite-again": f"/dashboard/team/{ID}",
    "POST /dashboard/team/{member_id}/role": f"/dashboard/team/{ID}",
    "POST /dashboard/settings/approvals": "/dashboard/settings/approvals",
    "POST /dashboard/settings/limits": "/dashboard/settings/limits",
    "POST /dashboard/settings/limits/rules": "/dashboard/settings/limits",
    "POST /dashboard/settings/limits/rules/remove": "/dashboard/settings/limits",
    "POST /dashboard/settings/fees": "/dashboard/settings/fees",
    "POST /dashboard/settings/fees/remove": "/dashboard/settings/fees",
    "POST /dashboard/webhooks/{webhook_id}/rotate": f"/dashboard/webhooks/{ID}/keys",
}


def test_these_pages_ask_for_it_and_no_others(house: House) -> None:
    app: Any = build_app(house)
    asking = {
        f"{method} {re.sub(r':[a-z]+', '', route.path_format)}"
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        if "fresh" in handler.opt
        for method in handler.http_methods - {"HEAD", "OPTIONS"}
    }
    assert asking == FORMS.keys()


@pytest.mark.parametrize("route", FORMS)
async def test_whoever_signed_in_a_while_ago_proves_it_first(org: Tenant, route: str) -> None:
    admin = await visit(org)
    await age(org, admin)
    before = await written(org)
    method, _, template = route.partition(" ")
    path = re.sub(r"\{\w+\}", str(ID), template)
    opened = await (admin.open(path) if method == "GET" else admin.send(path))
    assert opened.status == 303
    to = f"/dashboard/profile/proof?next={quote(FORMS[route], safe='')}"
    assert opened.answer.headers["location"] == to
    assert await written(org) == before
    assert "password" in (await admin.see(to)).text


async def test_after_the_proof_it_is_done(org: Tenant) -> None:
    admin = await visit(org)
    key = {"name": "a", "expiresAt": "", "requestId": str(uuid4())}
    assert (await admin.send("/dashboard/keys/new", key)).status == 200
    await age(org, admin)
    again = {**key, "requestId": str(uuid4())}
    assert (await admin.send("/dashboard/keys/new", again)).status == 303
    await age(org, admin, -timedelta(minutes=11))
    assert (await admin.send("/dashboard/keys/new", again)).status == 200
    assert len(await org.house.orgs.keys(org.org_id)) == 3


async def age(org: Tenant, who: Visit, by: timedelta = timedelta(minutes=11)) -> None:
    """As if they had signed in so long ago."""
    await org.house.database.rows(
        "update sessions set verified_at = verified_at - $2::interval where member_id = $1",
        *(who.member_id, by),
    )


async def written(org: Tenant) -> Mapping[str, int]:
    """How many changes of each kind there are."""
    rows = await org.house.database.rows(
        "select kind, count(*) as count from changes where org_id = $1 group by kind", org.org_id
    )
    return {row["kind"]: row["count"] for row in rows}
