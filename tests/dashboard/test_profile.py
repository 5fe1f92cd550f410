"""The member's own pages: profile, password, second factor, passkeys, sessions."""

import json
from dataclasses import replace
from html import unescape
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from pyotp.totp import TOTP

from landbridge.customers.team.login_rate_limit import FREE, AttemptSubject
from landbridge.customers.team.model import Theme, csrf_of
from landbridge.dashboard.auth.browsers import browser_and_system
from landbridge.dashboard.auth.mfa_pages import qr
from landbridge.platform.http.caller import MemberRole
from tests.customers.team.authenticator import Authenticator
from tests.customers.team.people import PASSWORD, come_in, first_admin, host_of
from tests.customers.team.test_reauthentication import age
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.tenants import URL, Tenant

PROFILE = "/dashboard/profile"
TABS = ("", "/password", "/second-factor", "/passkeys", "/sessions")
HOSTILE = "<script>alert(1)</script>"
OTHER = "another lantern, another bridge"


async def admin_with_password(org: Tenant) -> tuple[Visitor, str]:
    admin = await first_admin(org)
    signed = admin.signed
    return Visitor(org.client, admin.id, MemberRole.ADMIN, admin.secret, signed.csrf), admin.email


@pytest.mark.parametrize("role", list(MemberRole))
async def test_every_role_has_a_profile(org: Tenant, role: MemberRole) -> None:
    visitor = await visit(org, role)
    for tab in TABS:
        page = await visitor.load(f"{PROFILE}{tab}")
        assert f"{visitor.member_id}@example.com" in page.text
    page = await visitor.load(PROFILE)
    assert bool(page.tree.xpath('//*[@name="wantsApprovalMails"]')) is (
        role is not MemberRole.ANALYST
    )


async def test_member_sets_preferences(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    fields = {"name": "Ada & Grace", "language": "es", "theme": "dark"}
    assert await visitor.submit(PROFILE, fields) == PROFILE
    page = await visitor.load(PROFILE)
    assert page.value("name") == "Ada & Grace"
    assert page.tree.get("lang") == "es"
    assert page.tree.get("data-theme") == "dark"
    person = await org.container.team.get(org.org_id, visitor.member_id)
    assert (person.name, person.language, person.theme) == ("Ada & Grace", "es", Theme.DARK)
    assert not person.receives_approval_emails
    version = person.version
    await visitor.submit(PROFILE, fields)
    unchanged = await org.container.team.get(org.org_id, visitor.member_id)
    assert unchanged.version == version


async def test_analyst_keeps_settings_not_in_the_form(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.ANALYST)
    await visitor.submit(PROFILE, {"name": "Ada", "language": "", "theme": "light"})
    person = await org.container.team.get(org.org_id, visitor.member_id)
    assert person.receives_approval_emails
    assert person.language == ""


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": HOSTILE}, "name"),
        ({"language": "xx"}, "language"),
        ({"theme": "pink"}, "theme"),
        ({"theme": ""}, "theme"),
    ],
)
async def test_invalid_profile_shows_errors(
    org: Tenant, change: dict[str, str], field: str
) -> None:
    visitor = await visit(org)
    fields = {"name": "Ada", "language": "en", "theme": "light", **change}
    sent = await visitor.send(PROFILE, fields)
    assert sent.status == 422
    assert HOSTILE not in sent.response.text
    assert sent.tree.xpath(f'//*[@id="w-{field}"]')
    person = await org.container.team.get(org.org_id, visitor.member_id)
    assert person.name == "Test admin"


async def test_nul_character_is_refused(org: Tenant) -> None:
    visitor = await visit(org)
    sent = await visitor.send(PROFILE, {"name": "a\x00b", "language": "", "theme": "dark"})
    assert sent.status == 422


async def test_password_change_needs_the_current_password(org: Tenant) -> None:
    admin, email = await admin_with_password(org)
    other = await come_in(org, email)
    path = f"{PROFILE}/password"
    for fields, field in (
        ({"old": OTHER, "new": OTHER, "again": OTHER}, "old"),
        ({"old": PASSWORD, "new": OTHER, "again": PASSWORD}, "again"),
        ({"old": PASSWORD, "new": "short", "again": "short"}, "new"),
    ):
        sent = await admin.send(path, fields)
        assert sent.status == 422
        assert sent.tree.xpath(f'//*[@id="w-{field}"]')
        assert PASSWORD not in sent.response.text
        assert OTHER not in sent.response.text
    sent = await admin.send(path, {"old": PASSWORD, "new": OTHER, "again": OTHER})
    assert sent.response.headers["location"] == path
    assert await org.container.sessions.find(other.secret) is None
    assert (await admin.open(path)).status == 303  # with the cookie from before
    await _renewed(admin, sent).submit(f"{PROFILE}/sessions/end-others")
    await come_in(org, email, OTHER)


async def test_second_factor_is_set_up_used_and_turned_off(org: Tenant) -> None:
    admin, email = await admin_with_password(org)
    home = f"{PROFILE}/second-factor"
    set_up = await admin.send(f"{home}/set-up")
    assert set_up.status == 200
    assert set_up.response.headers["cache-control"] == "no-store"
    shown = str(set_up.tree.xpath("//pre")[0].text_content())
    secret = shown.replace(" ", "")
    assert set_up.tree.xpath('//*[@class="qr"]')
    assert "style=" not in set_up.response.text
    assert shown not in (await admin.load(home)).response.text

    wrong = await admin.send(f"{home}/confirm", {"code": "000000"})
    assert wrong.status == 401
    assert shown in wrong.text
    totp, now = TOTP(secret), org.container.clock.now()
    right = await admin.send(f"{home}/confirm", {"code": totp.at(now)})
    codes = [str(each.text_content()) for each in right.tree.xpath("//ol//code")]
    assert len(codes) == 10
    assert "\n".join(codes) in unescape(right.response.text)
    assert (await admin.open(home)).status == 303  # with the cookie from before
    admin = _renewed(admin, right)
    assert right.value("csrf") == admin.csrf
    page = await admin.load(home)
    assert "10 recovery codes left" in page.text
    assert codes[0] not in page.response.text
    assert (await come_in(org, email)).signed.needs_second
    assert (await admin.send(f"{home}/set-up")).status in {409, 422, 400}
    assert (await admin.send(f"{home}/confirm", {"code": "1"})).status != 500

    refused = await admin.send(f"{home}/recovery-codes", {"code": "nothing"})
    assert refused.status == 401
    assert refused.tree.xpath('//*[@id="f-code"]')
    renewed = await admin.send(f"{home}/recovery-codes", {"code": codes[0]})
    others = [str(each.text_content()) for each in renewed.tree.xpath("//ol//code")]
    assert not set(others) & set(codes)
    assert (await admin.send(f"{home}/remove", {"code": codes[1]})).status == 401
    assert await admin.submit(f"{home}/remove", {"code": others[0]}) == home
    assert not (await come_in(org, email)).signed.needs_second


async def test_code_attempts_are_rate_limited(still_org: Tenant) -> None:
    # The frozen clock keeps the two-second pause from ending on a slow machine.
    admin, _ = await admin_with_password(still_org)
    home = f"{PROFILE}/second-factor"
    await admin.send(f"{home}/set-up")
    statuses = [(await admin.send(f"{home}/confirm", {"code": "1"})).status for _ in range(12)]
    free = FREE[AttemptSubject.SECOND]
    assert statuses == [401] * free + [429] * (12 - free)


def test_qr_code_is_a_plain_svg_path() -> None:
    text = str(qr("otpauth://totp/Landbridge:a?secret=ABC"))
    assert text.startswith("<svg")
    assert "style" not in text
    assert "script" not in text


async def test_passkeys_are_created_renamed_and_removed(org: Tenant) -> None:
    admin, _ = await admin_with_password(org)
    home = f"{PROFILE}/passkeys"
    options = (await _ask(admin, f"{home}/options", {})).json()
    device = Authenticator(URL, str(options["rp"]["id"]))
    body = {"name": HOSTILE, "credential": device.make(options)}
    finished = await _ask(admin, f"{home}/finish", body)
    assert finished.json() == {"next": home}, finished.text
    page = await admin.load(home)
    assert HOSTILE in page.text
    assert HOSTILE not in page.response.text
    (one,) = [each for each in page.links() if each.startswith(f"{home}/")]
    wrong = await admin.send(one, {"name": ""})
    assert wrong.status == 422
    assert await admin.submit(one, {"name": "Laptop"}) == home
    assert (await admin.load(one)).value("name") == "Laptop"

    outsider = await visit(org)
    assert (await outsider.open(one)).status == 303
    assert (await outsider.send(one, {"name": "x"})).status == 404
    assert (await outsider.send(f"{one}/remove")).status == 404
    assert await admin.submit(f"{one}/remove") == home
    assert "No passkeys yet" in (await admin.load(home)).text
    assert (await admin.send(f"{one}/remove")).status == 404
    assert (await admin.open(f"{home}/nonsense")).status == 404


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"name": "a"},
        {"name": 1, "credential": {}},
        {"name": "a", "credential": {}},
        {"name": "a", "credential": {"id": 1, "response": {}}},
        {"name": "a\u0000", "credential": {}},
    ],
)
async def test_invalid_passkey_is_refused(org: Tenant, body: Any) -> None:
    sent = await _ask(await visit(org), f"{PROFILE}/passkeys/finish", body)
    assert sent.status_code in {401, 422}
    assert sent.json()["message"]


async def test_passkey_endpoints_need_a_csrf_token(org: Tenant) -> None:
    admin = await visit(org)
    for path in ("options", "finish"):
        sent = await _ask(admin, f"{PROFILE}/passkeys/{path}", {}, csrf="forged")
        assert sent.status_code == 403


async def test_sessions_are_listed_and_ended(org: Tenant) -> None:
    admin, email = await admin_with_password(org)
    others = [await come_in(org, email) for _ in range(3)]
    home = f"{PROFILE}/sessions"
    page = await admin.load(home)
    assert page.text.count("this session") == 1
    assert host_of(org) in page.text
    ends = [str(each) for each in page.tree.xpath('//form[contains(@action, "/end")]/@action')]
    assert len(ends) == 4
    assert await admin.submit(f"{home}/{others[0].signed.session_id}/end") == home
    assert await org.container.sessions.find(others[0].secret) is None
    assert await org.container.sessions.find(others[1].secret) is not None
    outsider = await visit(org)
    path = f"{home}/{others[1].signed.session_id}/end"
    for each in (path, f"{home}/{uuid4()}/end", f"{home}/nonsense/end"):
        assert (await outsider.send(each)).status == 404
    assert await admin.submit(f"{home}/end-others") == home
    assert await org.container.sessions.find(others[1].secret) is None
    assert len((await admin.load(home)).tree.xpath("//tbody/tr")) == 1


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox Linux"),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
            ),
            "Edge Windows",
        ),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
            ),
            "Safari iPhone",
        ),
        ("curl/8", ""),
        (None, ""),
    ],
)
def test_user_agents_have_readable_names(user_agent: str | None, name: str) -> None:
    assert " ".join(browser_and_system(user_agent)).strip() == name


def _renewed(visitor: Visitor, page: DashboardPage) -> Visitor:
    """Return the visitor with the cookie that came with a page."""
    cookie = page.response.cookies["landbridge"]
    return replace(visitor, cookie=cookie, csrf=csrf_of(cookie))


async def _ask(
    visitor: Visitor, path: str, body: Any, *, csrf: str | None = None
) -> httpx2.Response:
    headers = {
        "Cookie": f"landbridge={visitor.cookie}",
        "Origin": URL,
        "X-CSRF-Token": visitor.csrf if csrf is None else csrf,
        "Content-Type": "application/json",
    }
    return await visitor.client.post(path, content=json.dumps(body), headers=headers)


async def test_old_session_requires_the_password_first(org: Tenant) -> None:
    joined = await first_admin(org)
    admin = Visitor(org.client, joined.id, MemberRole.ADMIN, joined.secret, joined.signed.csrf)
    assert (await admin.send(f"{PROFILE}/second-factor/set-up")).status == 200
    await age(org, joined)
    proof = f"{PROFILE}/proof?next=%2Fdashboard%2Fprofile%2Fsecond-factor"
    for act in ("set-up", "confirm"):
        assert await admin.submit(f"{PROFILE}/second-factor/{act}", {"code": "1"}) == proof
    for act in ("options", "finish"):
        refused = await _ask(admin, f"{PROFILE}/passkeys/{act}", {})
        assert refused.status_code == 403
        assert "password" in refused.json()["message"]
    to = await admin.submit(f"{PROFILE}/passkeys/{uuid4()}/remove")
    assert to.startswith(f"{PROFILE}/proof")
    page = await admin.load(f"{PROFILE}/passkeys")
    assert not page.tree.xpath("//form[@data-passkey-add]")
    page = await admin.load(f"{PROFILE}/proof", next="//[evil")
    assert page.value("next") == PROFILE
    wrong = await admin.send(f"{PROFILE}/proof", {"password": OTHER, "next": PROFILE})
    assert wrong.status == 422
    assert OTHER not in wrong.response.text
    assert wrong.tree.xpath('//*[@id="w-password"]')
    fields = {"password": PASSWORD, "next": f"{PROFILE}/passkeys"}
    proven = await admin.send(f"{PROFILE}/proof", fields)
    assert proven.response.headers["location"] == f"{PROFILE}/passkeys"
    assert (await admin.open(PROFILE)).status == 303  # with the cookie from before
    admin = _renewed(admin, proven)
    assert (await admin.send(f"{PROFILE}/second-factor/set-up")).status == 200
    assert (await _ask(admin, f"{PROFILE}/passkeys/options", {})).status_code == 200


async def test_member_without_password_signs_in_again(org: Tenant) -> None:
    page = await (await visit(org)).load(f"{PROFILE}/proof")
    assert "Sign out and in again" in page.text
