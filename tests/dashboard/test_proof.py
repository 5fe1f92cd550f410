"""Sensitive actions require the password, confirmed within the last ten minutes."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import Container
from tests.applications import app_of
from tests.dashboard.browsing import Visitor, visit
from tests.tenants import Tenant

ID = UUID(int=7)
ACCOUNT = "/dashboard/users/{user_id}/virtual-accounts/{account_id}"
ACCOUNT_PAGE = f"/dashboard/users/{ID}/virtual-accounts/{ID}"
# All protected routes, with the page of each form.
FORMS = {
    "GET /dashboard/keys/new": "/dashboard/keys/new",
    "POST /dashboard/keys/new": "/dashboard/keys/new",
    "GET /dashboard/team/invite": "/dashboard/team/invite",
    "POST /dashboard/team/invite": "/dashboard/team/invite",
    "POST /dashboard/team/{member_id}/invite-again": f"/dashboard/team/{ID}",
    "POST /dashboard/team/{member_id}/role": f"/dashboard/team/{ID}",
    "POST /dashboard/team/{member_id}/remove": f"/dashboard/team/{ID}",
    "POST /dashboard/settings/unfreeze": "/dashboard/settings",
    "POST /dashboard/settings/approvals": "/dashboard/settings/approvals",
    "POST /dashboard/settings/limits": "/dashboard/settings/limits",
    "POST /dashboard/settings/limits/document": "/dashboard/settings/limits",
    "POST /dashboard/settings/addresses": "/dashboard/settings/addresses",
    "POST /dashboard/settings/fees": "/dashboard/settings/fees",
    "POST /dashboard/settings/fees/remove": "/dashboard/settings/fees",
    "POST /dashboard/settings/swap-providers": "/dashboard/settings/fees",
    "POST /dashboard/settings/travel-rule": "/dashboard/settings/travel-rule",
    "POST /dashboard/settings/travel-rule-exchange": "/dashboard/settings/travel-rule-exchange",
    "POST /dashboard/chains/{name}/resume": f"/dashboard/chains/{ID}",
    "GET /dashboard/webhooks/new": "/dashboard/webhooks/new",
    "POST /dashboard/webhooks/new": "/dashboard/webhooks/new",
    "GET /dashboard/webhooks/{webhook_id}/edit": f"/dashboard/webhooks/{ID}/edit",
    "POST /dashboard/webhooks/{webhook_id}/edit": f"/dashboard/webhooks/{ID}/edit",
    "POST /dashboard/webhooks/{webhook_id}/rotate": f"/dashboard/webhooks/{ID}/keys",
    "POST /dashboard/settlement-rules/{rule_id}": f"/dashboard/settlement-rules/{ID}",
    "GET /dashboard/users/{user_id}/erase": f"/dashboard/users/{ID}/erase",
    "POST /dashboard/users/{user_id}/erase": f"/dashboard/users/{ID}/erase",
    f"GET {ACCOUNT}/edit": f"{ACCOUNT_PAGE}/edit",
    f"POST {ACCOUNT}/edit": f"{ACCOUNT_PAGE}/edit",
    f"POST {ACCOUNT}/apply-rule": ACCOUNT_PAGE,
    f"POST {ACCOUNT}/remove-rule": ACCOUNT_PAGE,
}


def test_only_listed_pages_require_confirmation(container: Container) -> None:
    app: Any = app_of(container)
    guarded = {
        f"{method} {re.sub(r':[a-z]+', '', route.path_format)}"
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        if "fresh" in handler.opt
        for method in handler.http_methods - {"HEAD", "OPTIONS"}
    }
    assert guarded == FORMS.keys()


@pytest.mark.parametrize("route", FORMS)
async def test_old_session_must_confirm_first(org: Tenant, route: str) -> None:
    admin = await visit(org)
    await age_session(org, admin)
    before = await change_counts(org)
    method, _, template = route.partition(" ")
    path = re.sub(r"\{\w+\}", str(ID), template)
    page = await (admin.open(path) if method == "GET" else admin.send(path))
    assert page.status == 303
    to = f"/dashboard/profile/proof?next={quote(FORMS[route], safe='')}"
    assert page.response.headers["location"] == to
    assert await change_counts(org) == before
    assert "password" in (await admin.load(to)).text


async def test_confirmed_session_performs_the_action(org: Tenant) -> None:
    admin = await visit(org)
    key = {"name": "a", "expiresAt": "", "requestId": str(uuid4())}
    assert (await admin.send("/dashboard/keys/new", key)).status == 200
    await age_session(org, admin)
    again = {**key, "requestId": str(uuid4())}
    assert (await admin.send("/dashboard/keys/new", again)).status == 303
    await age_session(org, admin, -timedelta(minutes=11))
    assert (await admin.send("/dashboard/keys/new", again)).status == 200
    assert len(await org.container.orgs.keys(org.org_id)) == 3


async def age_session(org: Tenant, visitor: Visitor, by: timedelta = timedelta(minutes=11)) -> None:
    """Backdate the session, as if the member had signed in this long ago."""
    await org.container.database.rows(
        "update sessions set verified_at = verified_at - $2::interval where member_id = $1",
        *(visitor.member_id, by),
    )


async def change_counts(org: Tenant) -> Mapping[str, int]:
    """Return the number of recorded changes by kind."""
    rows = await org.container.database.rows(
        "select kind, count(*) as count from changes where org_id = $1 group by kind", org.org_id
    )
    return {row["kind"]: row["count"] for row in rows}
