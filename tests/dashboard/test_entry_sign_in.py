"""Signing in and out, codes, links: what a browser sees."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from pyotp.totp import TOTP

from landbridge.core.clock import FrozenClock
from landbridge.core.ids import new_id
from landbridge.dashboard.local_paths import local_path
from landbridge.db.pool import Database
from landbridge.members.throttle import FREE, Subject
from landbridge.orgs.service import take_lane
from landbridge.web.caller import Role
from landbridge.wiring import wire
from tests.dashboard.browsing import Opened, visit
from tests.members.people import PASSWORD, first_admin, token_of
from tests.tenants import SETTINGS, URL, Tenant, served

OTHER = "another lantern, another bridge"


@dataclass
class Stranger:
    """A browser in which nobody has signed in yet; it keeps its cookies."""

    client: httpx2.AsyncClient
    cookies: dict[str, str] = field(default_factory=dict[str, str])
    csrf: str = ""

    async def open(self, path: str) -> Opened:
        return self._note(Opened(await self.client.get(path, headers=self._headers())))

    async def send(self, path: str, **fields: str) -> Opened:
        told = {"csrf": self.csrf, **fields}
        return self._note(Opened(await self.client.post(path, data=told, headers=self._headers())))

    async def ask(self, path: str, body: Any) -> httpx2.Response:
        headers = self._headers() | {"X-CSRF-Token": self.csrf}
        return await self.client.post(path, json=body, headers=headers)

    async def ask_raw(self, path: str, body: str) -> httpx2.Response:
        headers = {"X-CSRF-Token": self.csrf, "Content-Type": "application/json"}
        return await self.client.post(path, content=body, headers=self._headers() | headers)

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Origin": URL} | ({"Cookie": cookies} if cookies else {})

    def _note(self, opened: Opened) -> Opened:
        for line in opened.answer.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        if "<form" in opened.answer.text and opened.status != 303:
            self.csrf = opened.value("csrf")
        return opened


@pytest.fixture
def browser(org: Tenant) -> Stranger:
    return Stranger(org.client)


async def sign_in(browser: Stranger, email: str, password: str = PASSWORD, **more: str) -> Opened:
    opened = await browser.open("/dashboard/sign-in")
    assert opened.status == 200
    return await browser.send("/dashboard/sign-in", email=email, password=password, **more)


async def test_one_signs_in_and_out(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    before = dict(browser.cookies)
    sent = await sign_in(browser, admin.email, next="/dashboard/sign-in?x=1")
    assert sent.status == 303
    assert "landbridge" not in before
    secret = browser.cookies["landbridge"]
    line = next(
        each
        for each in sent.answer.headers.get_list("set-cookie")
        if each.startswith("landbridge=")
    )
    assert "HttpOnly" in line
    assert "samesite=lax" in line.lower()
    profile = await org.house.sessions.find(secret)
    assert profile is not None
    assert (await browser.open("/dashboard/sign-in")).answer.headers["location"] == "/dashboard"

    browser.csrf = profile.csrf
    out = await browser.send("/dashboard/sign-out")
    assert out.answer.headers["location"] == "/dashboard/sign-in"
    assert await org.house.sessions.find(secret) is None
    assert "You are signed out." in (await browser.open("/dashboard/sign-in")).text


async def test_what_was_wrong_is_not_told(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    told: set[str] = set()
    for email, password in ((admin.email, OTHER), (f"n-{org.org_id}@x.test", PASSWORD)):
        sent = await sign_in(browser, email, password)
        assert sent.status == 401
        assert sent.value("email") == email
        assert password not in sent.answer.text
        told.add(sent.text)
    assert len(told) == 1
    hostile = await sign_in(browser, '"><script>alert(1)</script>@x.test', OTHER)
    assert "<script>alert" not in hostile.answer.text


async def test_without_the_token_of_the_form_nothing_happens(
    org: Tenant, browser: Stranger
) -> None:
    admin = await first_admin(org)
    await browser.open("/dashboard/sign-in")
    browser.csrf = "forged"
    sent = await browser.send("/dashboard/sign-in", email=admin.email, password=PASSWORD)
    assert sent.status == 403
    assert "landbridge" not in browser.cookies
    assert (await browser.ask("/dashboard/sign-in/passkey/options", {})).status_code == 403


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/dashboard/users?q=a", "/dashboard/users?q=a"),
        ("/dashboard", "/dashboard"),
        ("//evil.example/dashboard", "/dashboard"),
        ("https://evil.example/dashboard/", "/dashboard"),
        ("/\\evil.example", "/dashboard"),
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
def test_one_comes_back_to_our_pages_only(text: str | None, path: str) -> None:
    assert local_path(text) == path


async def test_a_page_that_was_wanted_is_come_back_to(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    opened = await browser.open("/dashboard/sign-in?next=%2Fdashboard%2Fusers")
    assert opened.value("next") == "/dashboard/users"
    sent = await browser.send(
        "/dashboard/sign-in", email=admin.email, password=PASSWORD, next="/dashboard/users"
    )
    assert sent.answer.headers["location"] == "/dashboard/users"


async def test_the_second_factor_is_asked_for(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    factors, caller = org.house.second_factors, admin.signed.caller
    secret, _ = await factors.begin(caller)
    now = int(org.house.clock.now().timestamp()) // 30
    await factors.confirm(caller, admin.signed.session_id, TOTP(secret).generate_otp(now))

    sent = await sign_in(browser, admin.email, next="/dashboard/team")
    assert sent.answer.headers["location"] == "/dashboard/sign-in/code?next=%2Fdashboard%2Fteam"
    half = browser.cookies["landbridge"]
    elsewhere = await browser.open("/dashboard")
    assert elsewhere.answer.headers["location"].startswith("/dashboard/sign-in/code")
    page = await browser.open("/dashboard/sign-in/code?next=%2Fdashboard%2Fteam")
    assert page.value("next") == "/dashboard/team"
    wrong = await browser.send("/dashboard/sign-in/code", code="000000")
    assert wrong.status == 401
    right = await browser.send(
        "/dashboard/sign-in/code",
        code=TOTP(secret).generate_otp(now + 1),
        next="/dashboard/team",
    )
    assert (right.status, right.answer.headers["location"]) == (303, "/dashboard/team")
    assert browser.cookies["landbridge"] != half
    assert await org.house.sessions.find(half) is None


async def test_an_invitation_is_taken_up(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    invited = await org.house.members.invite(
        admin.signed.caller, email=f"g-{org.org_id}@x.test", name="Grace", role=Role.MEMBER
    )
    path = f"/dashboard/invitations/{token_of(invited.link)}"
    page = await browser.open(path)
    assert "Test" in page.text
    assert page.value("name") == "Grace"
    unlike = await browser.send(path, name="<b>", password=PASSWORD, again=OTHER)
    assert unlike.status == 422
    assert PASSWORD not in unlike.answer.text
    weak = await browser.send(path, name="Grace", password="password1234", again="password1234")
    assert "too easy to guess" in weak.text
    sent = await browser.send(path, name="Grace E.", password=PASSWORD, again=PASSWORD)
    assert sent.answer.headers["location"] == "/dashboard"
    signed = await org.house.sessions.find(browser.cookies["landbridge"])
    assert signed is not None
    assert (signed.person.name, signed.person.role) == ("Grace E.", Role.MEMBER)
    assert (await browser.open(path)).status == 404
    assert (await browser.open("/dashboard/invitations/nothing")).status == 404


async def test_a_forgotten_password_is_replaced(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    told: set[str] = set()
    for email in (admin.email, f"n-{org.org_id}@x.test"):
        await browser.open("/dashboard/forgot")
        sent = await browser.send("/dashboard/forgot", email=email)
        assert sent.status == 200
        told.add(sent.text.replace(email, "…"))
    assert len(told) == 1
    link = await org.house.members.reset_from_desk(
        org.org_id, admin.signed.caller.clock_offset, email=admin.email, drops_factors=False
    )
    path = f"/dashboard/reset/{token_of(link)}"
    assert (await browser.open(path)).status == 200
    assert (await browser.send(path, password="short", again="short")).status == 422
    sent = await browser.send(path, password=OTHER, again=OTHER)
    assert sent.answer.headers["location"] == "/dashboard/sign-in"
    assert "The password was changed" in (await browser.open("/dashboard/sign-in")).text
    assert (await browser.open(path)).status == 404
    assert (await sign_in(browser, admin.email, OTHER)).status == 303


async def test_a_passkey_that_is_none_is_refused_in_json(org: Tenant, browser: Stranger) -> None:
    await browser.open("/dashboard/sign-in")
    options = await browser.ask("/dashboard/sign-in/passkey/options", {})
    assert options.json()["userVerification"] == "required"
    bodies: list[Any] = [{}, [], {"id": str(new_id())}]
    for body in bodies:
        answer = await browser.ask("/dashboard/sign-in/passkey/finish", body)
        assert answer.status_code == 401
        assert "passkey" in json.loads(answer.content)["message"]


async def test_signing_in_again_ends_the_session_before(org: Tenant) -> None:
    admin = await first_admin(org)
    somebody = await visit(org, Role.ANALYST)
    sent = await somebody.send("/dashboard/sign-in", {"email": admin.email, "password": PASSWORD})
    assert sent.status == 303
    assert await org.house.sessions.find(somebody.cookie) is None


async def test_addresses_that_are_none_are_no_fault_of_ours(org: Tenant, browser: Stranger) -> None:
    admin = await first_admin(org)
    opened = await browser.open("/dashboard/sign-in?next=%2F%2F%5Bx")
    assert (opened.status, opened.value("next")) == (200, "/dashboard")
    browser.cookies["landbridge"] = admin.secret
    code = await browser.open("/dashboard/sign-in/code?next=%2F%2F%5Bx")
    assert code.answer.headers["location"] == "/dashboard"
    del browser.cookies["landbridge"]
    sent = await sign_in(browser, admin.email, next="//[x")
    assert sent.answer.headers["location"] == "/dashboard"
    origin = await org.client.post("/dashboard/sign-in", headers={"Origin": "http://[x"})
    assert origin.status_code == 403


async def test_json_as_deep_as_a_well_is_refused(browser: Stranger) -> None:
    await browser.open("/dashboard/sign-in")
    answer = await browser.ask_raw("/dashboard/sign-in/passkey/finish", "[" * 16_000)
    assert answer.status_code == 401
    assert "passkey" in answer.json()["message"]


async def test_who_must_wait_is_told_how_long(own_database: Database) -> None:
    # By a clock that stands still: the first pause is two seconds, and a busy machine slow. In a
    # database of its own, for tries from here are counted by the real clock in the other one.
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    house = wire(SETTINGS, own_database, FrozenClock(noon, lane=await take_lane(own_database)))
    async with served(house) as client:
        browser, email = Stranger(client), "nobody@x.test"
        statuses = [(await sign_in(browser, email)).status for _ in range(FREE[Subject.ADDRESS])]
        assert set(statuses) == {401}
        sent = await sign_in(browser, email)
        assert sent.status == 429
        assert int(sent.answer.headers["retry-after"]) == 2
