"""The door: who sees pages, and whose forms count."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import httpx2
import pytest
from litestar import Litestar

from landbridge.app import build_app
from landbridge.db.pool import Tx
from landbridge.web.caller import Role
from landbridge.wiring import House
from tests.dashboard.browsing import Visit, visit
from tests.tenants import URL, Tenant

_FOREIGN = "https://evil.example"
_POLICY = (
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"),
    *("frame-ancestors 'none'", "form-action 'self'"),
)
_FORM = "/dashboard/reports/save"
_TOLD = {"template": "NEW_USERS", "name": "Mine"}


async def _send(somebody: Visit, headers: dict[str, str], csrf: str | None) -> httpx2.Response:
    told = {**_TOLD, **({} if csrf is None else {"csrf": csrf})}
    cookie = {"Cookie": f"landbridge={somebody.cookie}"}
    return await somebody.client.post(_FORM, data=told, headers=cookie | headers)


async def test_who_has_not_signed_in_is_sent_to_do_so(org: Tenant) -> None:
    answer = await org.client.get("/dashboard/users?q=ada")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/dashboard/sign-in?next=%2Fdashboard%2Fusers%3Fq%3Dada"


async def test_who_has_signed_in_sees_pages(org: Tenant) -> None:
    for role in Role:
        somebody = await visit(org, role)
        assert (await somebody.see("/dashboard")).title.startswith("Overview")


@pytest.mark.parametrize("cookie", ["", "x", "A" * 43, "💥", "a;b"])
async def test_a_cookie_that_is_none_opens_nothing(org: Tenant, cookie: str) -> None:
    headers = {"Cookie": f"landbridge={cookie}".encode()}
    answer = await org.client.get("/dashboard", headers=cast("Any", headers))
    assert answer.status_code == 303


async def test_an_api_key_opens_no_page_and_a_cookie_no_route(org: Tenant) -> None:
    somebody = await visit(org)
    page = await org.client.get("/dashboard", headers=org.headers)
    assert page.status_code == 303
    cookie = {"Cookie": f"landbridge={somebody.cookie}"}
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
async def test_a_form_of_another_site_counts_for_nothing(
    org: Tenant, headers: dict[str, str]
) -> None:
    somebody = await visit(org)
    answer = await _send(somebody, headers, somebody.csrf)
    assert answer.status_code == 403
    assert (await org.get("/v2/reporting/metrics"))["data"] == []


@pytest.mark.parametrize("origin", ["http://[", "//", "http://a:b:c", "x" * 5000])
async def test_an_origin_that_no_browser_says_is_not_ours(org: Tenant, origin: str) -> None:
    somebody = await visit(org)
    assert (await _send(somebody, {"Origin": origin}, somebody.csrf)).status_code == 403


async def test_a_form_that_is_no_text_counts_for_nothing(org: Tenant) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n\xff\xfe\r\n--x--\r\n'
    headers = {"Origin": URL, "Content-Type": "multipart/form-data; boundary=x"}
    answer = await org.client.post("/dashboard/sign-in", content=body, headers=headers)
    assert answer.status_code == 403


async def test_a_form_needs_the_token_of_its_own_session(org: Tenant, other_org: Tenant) -> None:
    somebody, colleague = await visit(org), await visit(org)
    stranger = await visit(other_org)
    for csrf in (None, "", "x", colleague.csrf, stranger.csrf, somebody.cookie, "ü" * 43):
        answer = await _send(somebody, {"Origin": URL}, csrf)
        assert answer.status_code == 403, csrf
    assert (await _send(somebody, {"Origin": URL}, somebody.csrf)).status_code == 303
    told = await _send(somebody, {"Sec-Fetch-Site": "same-origin"}, somebody.csrf)
    assert told.status_code == 303


async def test_a_session_that_ended_opens_nothing(org: Tenant) -> None:
    somebody = await visit(org)
    signed = await org.house.sessions.find(somebody.cookie)
    assert signed is not None
    await org.house.sessions.sign_out(signed)
    assert (await somebody.open("/dashboard")).status == 303
    assert (await somebody.send(_FORM, _TOLD)).status in {303, 403}
    assert (await org.get("/v2/reporting/metrics"))["data"] == []


async def test_before_the_second_factor_there_is_nothing_but_its_page(org: Tenant) -> None:
    somebody = await visit(org)

    async def begin(tx: Tx) -> str:
        return await org.house.sessions.begin(tx, org.org_id, somebody.member_id, is_verified=False)

    cookie = await org.house.database.transact(begin)
    half = replace(somebody, cookie=cookie)
    page = await half.open("/dashboard")
    assert page.status == 303
    assert page.answer.headers["location"].startswith("/dashboard/sign-in/code")


async def test_every_page_says_what_browsers_may_do(org: Tenant) -> None:
    somebody = await visit(org)
    nobody = replace(somebody, cookie="")
    for who, path in (
        (somebody, "/dashboard"),
        (nobody, "/dashboard/sign-in"),
        (somebody, "/dashboard/users/nobody"),
        (somebody, "/dashboard/nowhere"),
    ):
        page = await who.open(path)
        policy = page.answer.headers["content-security-policy"]
        assert all(each in policy for each in _POLICY), path
        assert "unsafe" not in policy
        assert page.answer.headers["x-frame-options"] == "DENY"
        assert page.answer.headers["x-content-type-options"] == "nosniff"
        assert page.answer.headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def app(house: House) -> Litestar:
    return build_app(house)


def _pages(app: Litestar) -> Iterator[tuple[str, str, Any]]:
    for route in app.routes:
        if route.path.startswith("/dashboard"):
            for handler in cast("Any", route).route_handlers:
                for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                    yield method, route.path, handler


def test_every_page_stands_behind_the_door(app: Litestar) -> None:
    pages = list(_pages(app))
    assert len(pages) > 50
    for method, path, handler in pages:
        assert handler.resolve_guards(), path
        assert method in {"GET", "POST"}, path


def test_what_is_open_to_all_is_what_leads_in(app: Litestar) -> None:
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


async def test_no_form_counts_without_its_token(org: Tenant, app: Litestar) -> None:
    somebody = await visit(org)
    nothing = "01a20146-cd55-76a3-8870-37bfb017078a"
    for method, path, _ in _pages(app):
        if method == "POST":
            filled = "/".join(nothing if part.startswith("{") else part for part in path.split("/"))
            answer = await somebody.client.post(
                filled,
                data={"csrf": "wrong"},
                headers={"Cookie": f"landbridge={somebody.cookie}", "Origin": URL},
            )
            assert answer.status_code == 403, path
