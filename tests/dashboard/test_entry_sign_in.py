"""Sign-in, sign-out, second factor and links, as a browser sees them."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from pyotp.totp import TOTP

from landbridge.app.container import wire
from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject
from landbridge.dashboard.local_paths import local_path
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.orgs.clock_nodes import take_node
from tests.customers.team.people import PASSWORD, first_admin, token_of
from tests.dashboard.browsing import DashboardPage, visit
from tests.tenants import SETTINGS, URL, Tenant, make_tenant, served

OTHER = "another lantern, another bridge"


@dataclass
class CookieBrowser:
    """Signed-out browser that keeps its cookies."""

    client: httpx2.AsyncClient
    cookies: dict[str, str] = field(default_factory=dict[str, str])
    csrf: str = ""

    async def open(self, path: str) -> DashboardPage:
        return self._remember(DashboardPage(await self.client.get(path, headers=self._headers())))

    async def send(self, path: str, **fields: str) -> DashboardPage:
        data = {"csrf": self.csrf, **fields}
        return self._remember(
            DashboardPage(await self.client.post(path, data=data, headers=self._headers()))
        )

    async def post_json(self, path: str, body: Any) -> httpx2.Response:
        headers = self._headers() | {"X-CSRF-Token": self.csrf}
        return await self.client.post(path, json=body, headers=headers)

    async def post_raw(self, path: str, body: str) -> httpx2.Response:
        headers = {"X-CSRF-Token": self.csrf, "Content-Type": "application/json"}
        return await self.client.post(path, content=body, headers=self._headers() | headers)

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Origin": URL} | ({"Cookie": cookies} if cookies else {})

    def _remember(self, page: DashboardPage) -> DashboardPage:
        for line in page.response.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        if "<form" in page.response.text and page.status != 303:
            self.csrf = page.value("csrf")
        return page


@pytest.fixture
def browser(org: Tenant) -> CookieBrowser:
    return CookieBrowser(org.client)


async def sign_in(
    browser: CookieBrowser, email: str, password: str = PASSWORD, **more: str
) -> DashboardPage:
    page = await browser.open("/dashboard/sign-in")
    assert page.status == 200
    return await browser.send("/dashboard/sign-in", email=email, password=password, **more)


async def test_member_signs_in_and_out(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    before = dict(browser.cookies)
    sent = await sign_in(browser, admin.email, next="/dashboard/sign-in?x=1")
    assert sent.status == 303
    assert "landbridge" not in before
    secret = browser.cookies["landbridge"]
    line = next(
        each
        for each in sent.response.headers.get_list("set-cookie")
        if each.startswith("landbridge=")
    )
    assert "HttpOnly" in line
    assert "samesite=lax" in line.lower()
    profile = await org.container.sessions.find(secret)
    assert profile is not None
    assert (await browser.open("/dashboard/sign-in")).response.headers["location"] == "/dashboard"

    browser.csrf = profile.csrf
    out = await browser.send("/dashboard/sign-out")
    assert out.response.headers["location"] == "/dashboard/sign-in"
    assert await org.container.sessions.find(secret) is None
    assert "Signed out" in (await browser.open("/dashboard/sign-in")).text


async def test_failed_sign_in_does_not_reveal_the_cause(
    org: Tenant, browser: CookieBrowser
) -> None:
    admin = await first_admin(org)
    texts: set[str] = set()
    for email, password in ((admin.email, OTHER), (f"n-{org.org_id}@x.test", PASSWORD)):
        sent = await sign_in(browser, email, password)
        assert sent.status == 401
        assert sent.value("email") == email
        assert password not in sent.response.text
        texts.add(sent.text)
    assert len(texts) == 1
    hostile = await sign_in(browser, '"><script>alert(1)</script>@x.test', OTHER)
    assert "<script>alert" not in hostile.response.text


async def test_sign_in_form_needs_a_csrf_token(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    await browser.open("/dashboard/sign-in")
    browser.csrf = "forged"
    sent = await browser.send("/dashboard/sign-in", email=admin.email, password=PASSWORD)
    assert sent.status == 403
    assert "landbridge" not in browser.cookies
    assert (await browser.post_json("/dashboard/sign-in/passkey/options", {})).status_code == 403


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/dashboard/users?q=a", "/dashboard/users?q=a"),
        ("/dashboard", "/dashboard"),
        ("//evil.example/dashboard", "/dashboard"),
        ("https://evil.example/dashboard/", "/dashboard"),
        ("/\\evil.example", "/dashboard"),
        ("/dashboard/.%2E/v2", "/dashboard"),
        ("/dashboard/..//evil.example", "/dashboard"),
        ("/dashboardevil", "/dashboard"),
        ("/v2/users", "/dashboard"),
        ("//[x", "/dashboard"),
        ("https://[::1/dashboard", "/dashboard"),
        ("javascript:alert(1)", "/dashboard"),
        ("/dashboard/\r\nSet-Cookie: a=b", "/dashboard"),
        ("/dashboard/" + "x" * 5000, "/dashboard"),
        (None, "/dashboard"),
    ],
)
def test_redirect_target_is_a_local_path(text: str | None, path: str) -> None:
    assert local_path(text) == path


async def test_sign_in_returns_to_the_requested_page(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    page = await browser.open("/dashboard/sign-in?next=%2Fdashboard%2Fusers")
    assert page.value("next") == "/dashboard/users"
    sent = await browser.send(
        "/dashboard/sign-in", email=admin.email, password=PASSWORD, next="/dashboard/users"
    )
    assert sent.response.headers["location"] == "/dashboard/users"


async def test_second_factor_is_required(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    factors, caller = org.container.mfa, admin.signed.caller
    secret, _ = await factors.begin(caller)
    now = int(org.container.clock.now().timestamp()) // 30
    await factors.confirm(admin.signed, TOTP(secret).generate_otp(now))

    sent = await sign_in(browser, admin.email, next="/dashboard/team")
    assert sent.response.headers["location"] == "/dashboard/sign-in/code?next=%2Fdashboard%2Fteam"
    half = browser.cookies["landbridge"]
    elsewhere = await browser.open("/dashboard")
    assert elsewhere.response.headers["location"].startswith("/dashboard/sign-in/code")
    page = await browser.open("/dashboard/sign-in/code?next=%2Fdashboard%2Fteam")
    assert page.value("next") == "/dashboard/team"
    wrong = await browser.send("/dashboard/sign-in/code", code="000000")
    assert wrong.status == 401
    right = await browser.send(
        "/dashboard/sign-in/code",
        code=TOTP(secret).generate_otp(now + 1),
        next="/dashboard/team",
    )
    assert (right.status, right.response.headers["location"]) == (303, "/dashboard/team")
    assert browser.cookies["landbridge"] != half
    assert await org.container.sessions.find(half) is None


async def test_invitation_is_accepted(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    invited = await org.container.team.invite(
        admin.signed.caller, email=f"g-{org.org_id}@x.test", name="Grace", role=MemberRole.MEMBER
    )
    path = f"/dashboard/invitations/{token_of(invited.link)}"
    page = await browser.open(path)
    assert "Test" in page.text
    assert page.value("name") == "Grace"
    unlike = await browser.send(path, name="<b>", password=PASSWORD, again=OTHER)
    assert unlike.status == 422
    assert PASSWORD not in unlike.response.text
    weak = await browser.send(path, name="Grace", password="password1234", again="password1234")
    assert "too easy to guess" in weak.text
    sent = await browser.send(path, name="Grace E.", password=PASSWORD, again=PASSWORD)
    assert sent.response.headers["location"] == "/dashboard"
    signed = await org.container.sessions.find(browser.cookies["landbridge"])
    assert signed is not None
    assert (signed.person.name, signed.person.role) == ("Grace E.", MemberRole.MEMBER)
    assert (await browser.open(path)).status == 404
    assert (await browser.open("/dashboard/invitations/nothing")).status == 404


async def test_forgotten_password_is_reset(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    texts: set[str] = set()
    for email in (admin.email, f"n-{org.org_id}@x.test"):
        await browser.open("/dashboard/forgot")
        sent = await browser.send("/dashboard/forgot", email=email)
        assert sent.status == 200
        texts.add(sent.text.replace(email, "…"))
    assert len(texts) == 1
    link = await org.container.team.reset_by_operator(
        org.org_id, admin.signed.caller.clock_offset, email=admin.email, drops_factors=False
    )
    path = f"/dashboard/reset/{token_of(link)}"
    assert (await browser.open(path)).status == 200
    assert (await browser.send(path, password="short", again="short")).status == 422
    sent = await browser.send(path, password=OTHER, again=OTHER)
    assert sent.response.headers["location"] == "/dashboard/sign-in"
    assert "Password changed" in (await browser.open("/dashboard/sign-in")).text
    assert (await browser.open(path)).status == 404
    assert (await sign_in(browser, admin.email, OTHER)).status == 303


async def test_invalid_passkey_is_refused_in_json(org: Tenant, browser: CookieBrowser) -> None:
    await browser.open("/dashboard/sign-in")
    options = await browser.post_json("/dashboard/sign-in/passkey/options", {})
    assert options.json()["userVerification"] == "required"
    bodies: list[Any] = [{}, [], {"id": str(new_id())}]
    for body in bodies:
        response = await browser.post_json("/dashboard/sign-in/passkey/finish", body)
        assert response.status_code == 401
        assert "passkey" in json.loads(response.content)["message"]


async def test_new_sign_in_ends_the_previous_session(org: Tenant) -> None:
    admin = await first_admin(org)
    visitor = await visit(org, MemberRole.ANALYST)
    sent = await visitor.send("/dashboard/sign-in", {"email": admin.email, "password": PASSWORD})
    assert sent.status == 303
    assert await org.container.sessions.find(visitor.cookie) is None


async def test_malformed_redirect_targets_are_ignored(org: Tenant, browser: CookieBrowser) -> None:
    admin = await first_admin(org)
    page = await browser.open("/dashboard/sign-in?next=%2F%2F%5Bx")
    assert (page.status, page.value("next")) == (200, "/dashboard")
    browser.cookies["landbridge"] = admin.secret
    code = await browser.open("/dashboard/sign-in/code?next=%2F%2F%5Bx")
    assert code.response.headers["location"] == "/dashboard"
    del browser.cookies["landbridge"]
    sent = await sign_in(browser, admin.email, next="//[x")
    assert sent.response.headers["location"] == "/dashboard"
    origin = await org.client.post("/dashboard/sign-in", headers={"Origin": "http://[x"})
    assert origin.status_code == 403


async def test_deeply_nested_json_is_refused(browser: CookieBrowser) -> None:
    await browser.open("/dashboard/sign-in")
    response = await browser.post_raw("/dashboard/sign-in/passkey/finish", "[" * 16_000)
    assert response.status_code == 401
    assert "passkey" in response.json()["message"]


async def test_rate_limited_sign_in_says_when_to_retry(own_database: Database) -> None:
    # The frozen clock keeps the two-second pause from ending on a slow machine. The separate
    # database keeps attempts apart from those other tests count by the real clock.
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    container = wire(SETTINGS, own_database, FrozenClock(noon, node=await take_node(own_database)))
    async with served(container) as client:
        browser, email = CookieBrowser(client), "nobody@x.test"
        statuses = [
            (await sign_in(browser, email)).status for _ in range(FREE[AttemptSubject.ADDRESS])
        ]
        assert set(statuses) == {401}
        sent = await sign_in(browser, email)
        assert sent.status == 429
        assert int(sent.response.headers["retry-after"]) == 2


async def test_browser_is_remembered_after_the_first_sign_in(own_database: Database) -> None:
    # As above: no pause ends here, and no attempt counts for other tests.
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    container = wire(SETTINGS, own_database, FrozenClock(noon, node=await take_node(own_database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        admin, browser, outsider = (
            await first_admin(org),
            CookieBrowser(client),
            CookieBrowser(client),
        )
        sent = await sign_in(browser, admin.email)
        (line,) = (
            each.lower()
            for each in sent.response.headers.get_list("set-cookie")
            if each.startswith("landbridge-browser=")
        )
        assert {"httponly", "samesite=strict", "max-age=15552000"} <= set(line.split("; "))
        for _ in range(FREE[AttemptSubject.ADDRESS]):
            assert (await sign_in(outsider, admin.email, OTHER)).status == 401
        assert (await sign_in(outsider, admin.email)).status == 429
        browser.cookies = {"landbridge-browser": browser.cookies["landbridge-browser"]}
        assert (await sign_in(browser, admin.email)).status == 303
