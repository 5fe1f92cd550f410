"""Authentication: access to pages, and protection of forms against forgery."""

import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlencode

import httpx2
import pytest
from litestar import Litestar

from landbridge.app.container import Container
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole
from tests.applications import app_of
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.test_proof import age_session
from tests.tenants import URL, Tenant

_FOREIGN = "https://evil.example"
_POLICY = (
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"),
    *("frame-ancestors 'none'", "form-action 'self'"),
)
_FORM = "/dashboard/reports/save"
_TOLD = {"template": "NEW_USERS", "name": "Mine"}


async def _send(visitor: Visitor, headers: dict[str, str], csrf: str | None) -> httpx2.Response:
    data = {**_TOLD, **({} if csrf is None else {"csrf": csrf})}
    cookie = {"Cookie": f"landbridge={visitor.cookie}"}
    return await visitor.client.post(_FORM, data=data, headers=cookie | headers)


async def test_signed_out_visitor_is_redirected_to_sign_in(org: Tenant) -> None:
    response = await org.client.get("/dashboard/users?q=ada")
    assert response.status_code == 303
    assert response.headers["location"] == "/dashboard/sign-in?next=%2Fdashboard%2Fusers%3Fq%3Dada"


async def test_signed_in_member_sees_pages(org: Tenant) -> None:
    for role in MemberRole:
        visitor = await visit(org, role)
        assert (await visitor.load("/dashboard")).title.startswith("Overview")


@pytest.mark.parametrize("cookie", ["", "x", "A" * 43, "💥", "a;b"])
async def test_invalid_cookie_is_rejected(org: Tenant, cookie: str) -> None:
    headers = {"Cookie": f"landbridge={cookie}".encode()}
    response = await org.client.get("/dashboard", headers=cast("Any", headers))
    assert response.status_code == 303


async def test_quoted_cookie_costs_time_in_proportion(org: Tenant) -> None:
    begun = time.process_time()
    for _ in range(3):
        cookie = {"Cookie": 'landbridge="' + "\\" * 30_000 + '"; x=1'}
        assert (await org.client.get("/dashboard", headers=cookie)).status_code == 303
    assert time.process_time() - begun < 1


async def test_api_keys_open_no_pages_and_cookies_no_api_routes(org: Tenant) -> None:
    visitor = await visit(org)
    page = await org.client.get("/dashboard", headers=org.headers)
    assert page.status_code == 303
    cookie = {"Cookie": f"landbridge={visitor.cookie}"}
    assert (await org.client.get("/v2/users", headers=cookie)).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": _FOREIGN},
        {"Origin": "null"},
        {"Origin": f"{URL}.evil.example"},
        {"Origin": URL, "Sec-Fetch-Site": "cross-site"},
        {"Origin": URL, "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Referer": f"{URL}/dashboard"},
    ],
)
async def test_cross_site_form_is_refused(org: Tenant, headers: dict[str, str]) -> None:
    visitor = await visit(org)
    response = await _send(visitor, headers, visitor.csrf)
    assert response.status_code == 403
    assert (await org.get("/v2/reporting/metrics"))["data"] == []


@pytest.mark.parametrize("origin", ["http://[", "//", "http://a:b:c", "x" * 5000])
async def test_malformed_origin_is_refused(org: Tenant, origin: str) -> None:
    visitor = await visit(org)
    assert (await _send(visitor, {"Origin": origin}, visitor.csrf)).status_code == 403


async def test_form_that_is_not_text_is_refused(org: Tenant) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n\xff\xfe\r\n--x--\r\n'
    headers = {"Origin": URL, "Content-Type": "multipart/form-data; boundary=x"}
    response = await org.client.post("/dashboard/sign-in", content=body, headers=headers)
    assert response.status_code == 403


async def test_form_needs_the_csrf_token_of_its_own_session(org: Tenant, other_org: Tenant) -> None:
    visitor, colleague = await visit(org), await visit(org)
    outsider = await visit(other_org)
    for csrf in (None, "", "x", colleague.csrf, outsider.csrf, visitor.cookie, "ü" * 43):
        reply = await _send(visitor, {"Origin": URL}, csrf)
        assert reply.status_code == 403, csrf
    assert (await _send(visitor, {"Origin": URL}, visitor.csrf)).status_code == 303
    response = await _send(visitor, {"Sec-Fetch-Site": "same-origin"}, visitor.csrf)
    assert response.status_code == 303


async def test_ended_session_is_rejected(org: Tenant) -> None:
    visitor = await visit(org)
    signed = await org.container.sessions.find(visitor.cookie)
    assert signed is not None
    await org.container.sessions.sign_out(signed)
    assert (await visitor.open("/dashboard")).status == 303
    assert (await visitor.send(_FORM, _TOLD)).status in {303, 403}
    assert (await org.get("/v2/reporting/metrics"))["data"] == []


async def test_only_the_code_page_opens_before_the_second_factor(org: Tenant) -> None:
    visitor = await visit(org)

    async def begin(tx: Tx) -> str:
        return await org.container.sessions.begin(
            tx, org.org_id, visitor.member_id, is_verified=False
        )

    cookie = await org.container.database.transact(begin)
    half = replace(visitor, cookie=cookie)
    page = await half.open("/dashboard")
    assert page.status == 303
    assert page.response.headers["location"].startswith("/dashboard/sign-in/code")


async def test_every_page_has_security_headers(org: Tenant) -> None:
    visitor = await visit(org)
    signed_out = replace(visitor, cookie="")
    for member, path in (
        (visitor, "/dashboard"),
        (signed_out, "/dashboard/sign-in"),
        (visitor, "/dashboard/users/nobody"),
        (visitor, "/dashboard/nowhere"),
    ):
        page = await member.open(path)
        policy = page.response.headers["content-security-policy"]
        assert all(each in policy for each in _POLICY), path
        assert "unsafe" not in policy
        assert page.response.headers["x-frame-options"] == "DENY"
        assert page.response.headers["x-content-type-options"] == "nosniff"
        assert page.response.headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def app(container: Container) -> Litestar:
    return app_of(container)


def _pages(app: Litestar) -> Iterator[tuple[str, str, Any]]:
    for route in app.routes:
        if route.path.startswith("/dashboard"):
            for handler in cast("Any", route).route_handlers:
                for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                    yield method, route.path, handler


def test_every_page_requires_sign_in(app: Litestar) -> None:
    pages = list(_pages(app))
    assert len(pages) > 50
    for method, path, handler in pages:
        assert handler.resolve_guards(), path
        assert method in {"GET", "POST"}, path


def test_only_sign_in_pages_are_public(app: Litestar) -> None:
    is_open = {path for _, path, handler in _pages(app) if handler.opt.get("signed_out")}
    allowed = (
        "/dashboard/sign-in",
        "/dashboard/forgot",
        "/dashboard/reset",
        "/dashboard/invitations",
    )
    assert {
        path for path in is_open if not path.startswith((*allowed, "/dashboard/assets"))
    } == set()


async def test_every_form_requires_a_csrf_token(org: Tenant, app: Litestar) -> None:
    visitor = await visit(org)
    nothing = "01a20146-cd55-76a3-8870-37bfb017078a"
    for method, path, _ in _pages(app):
        if method == "POST":
            filled = "/".join(nothing if part.startswith("{") else part for part in path.split("/"))
            response = await visitor.client.post(
                filled,
                data={"csrf": "wrong"},
                headers={"Cookie": f"landbridge={visitor.cookie}", "Origin": URL},
            )
            assert response.status_code == 403, path


@pytest.mark.parametrize("change", ["remove", "demote", "sign_out", "age"])
async def test_form_is_refused_if_rights_end_while_it_arrives(org: Tenant, change: str) -> None:
    admin, leaving = await visit(org), await visit(org)
    path = f"/dashboard/team/{leaving.member_id}"
    fields = {"csrf": leaving.csrf, "email": "second@example.com", "name": "B", "role": "admin"}

    async def body() -> AsyncGenerator[bytes]:
        yield urlencode(fields).encode()
        if change == "remove":
            await admin.submit(f"{path}/remove")
        elif change == "demote":
            await admin.submit(f"{path}/role", {"role": "member"})
        elif change == "sign_out":
            await leaving.submit("/dashboard/sign-out")
        else:
            await age_session(org, leaving)
        yield b""

    response = await org.client.post(
        "/dashboard/team/invite",
        content=body(),
        headers={
            "Cookie": f"landbridge={leaving.cookie}",
            "Origin": URL,
            "Content-Type": "application/x-www-form-urlencoded",
        },
    )
    assert response.status_code == (403 if change == "demote" else 303)
    people = await org.container.team.list_members(org.org_id)
    assert "second@example.com" not in {each.email for each in people}


async def test_upload_is_refused_if_its_visitor_is_removed_meanwhile(org: Tenant) -> None:
    admin, leaving = await visit(org), await visit(org)

    async def body() -> AsyncGenerator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n'
        await admin.submit(f"/dashboard/team/{leaving.member_id}/remove")
        yield f"{leaving.csrf}\r\n--b--\r\n".encode()

    response = await org.client.post(
        f"/dashboard/reviews/transfers/{leaving.member_id}/answer",
        content=body(),
        headers={
            "Cookie": f"landbridge={leaving.cookie}",
            "Origin": URL,
            "Content-Type": "multipart/form-data; boundary=b",
        },
    )
    assert response.status_code == 303
    assert response.headers["location"].startswith("/dashboard/sign-in")
