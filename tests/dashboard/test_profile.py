"""One's own pages: profile, password, second factor, passkeys, sessions."""

import json
from html import unescape
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from pyotp.totp import TOTP

from landbridge.dashboard.entry.browsers import name_of
from landbridge.dashboard.entry.second_factor_pages import qr
from landbridge.members.model import Theme
from landbridge.members.throttle import FREE, Subject
from landbridge.web.caller import Role
from tests.dashboard.browsing import Visit, visit
from tests.members.authenticator import Authenticator
from tests.members.people import PASSWORD, come_in, first_admin, host_of
from tests.members.test_proof import age
from tests.tenants import URL, Tenant

PROFILE = "/dashboard/profile"
TABS = ("", "/password", "/second-factor", "/passkeys", "/sessions")
HOSTILE = "<script>alert(1)</script>"
OTHER = "another lantern, another bridge"


async def admin_with_password(org: Tenant) -> tuple[Visit, str]:
    admin = await first_admin(org)
    signed = admin.signed
    return Visit(org.client, admin.id, Role.ADMIN, admin.secret, signed.csrf), admin.email


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_has_a_profile(org: Tenant, role: Role) -> None:
    somebody = await visit(org, role)
    for tab in TABS:
        page = await somebody.see(f"{PROFILE}{tab}")
        assert f"{somebody.member_id}@example.com" in page.text
    page = await somebody.see(PROFILE)
    assert bool(page.tree.xpath('//*[@name="wantsApprovalMails"]')) is (role is not Role.ANALYST)


async def test_one_says_how_one_likes_it(org: Tenant) -> None:
    somebody = await visit(org, Role.MEMBER)
    told = {"name": "Ada & Grace", "language": "es", "theme": "dark"}
    assert await somebody.done(PROFILE, told) == PROFILE
    page = await somebody.see(PROFILE)
    assert page.value("name") == "Ada & Grace"
    assert page.tree.get("lang") == "es"
    assert page.tree.get("data-theme") == "dark"
    person = await org.house.members.get(org.org_id, somebody.member_id)
    assert (person.name, person.language, person.theme) == ("Ada & Grace", "es", Theme.DARK)
    assert not person.wants_approval_mails
    version = person.version
    await somebody.done(PROFILE, told)
    unchanged = await org.house.members.get(org.org_id, somebody.member_id)
    assert unchanged.version == version


async def test_an_analyst_keeps_what_is_not_offered(org: Tenant) -> None:
    somebody = await visit(org, Role.ANALYST)
    await somebody.done(PROFILE, {"name": "Ada", "language": "", "theme": "light"})
    person = await org.house.members.get(org.org_id, somebody.member_id)
    assert person.wants_approval_mails
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
async def test_what_is_wrong_is_said(org: Tenant, change: dict[str, str], field: str) -> None:
    somebody = await visit(org)
    fields = {"name": "Ada", "language": "en", "theme": "light", **change}
    sent = await somebody.send(PROFILE, fields)
    assert sent.status == 422
    assert HOSTILE not in sent.answer.text
    assert sent.tree.xpath(f'//*[@id="w-{field}"]')
    person = await org.house.members.get(org.org_id, somebody.member_id)
    assert person.name == "Test admin"


async def test_a_nul_is_refused(org: Tenant) -> None:
    somebody = await visit(org)
    sent = await somebody.send(PROFILE, {"name": "a\x00b", "language": "", "theme": "dark"})
    assert sent.status == 422


async def test_the_password_is_changed_by_who_knows_it(org: Tenant) -> None:
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
        assert PASSWORD not in sent.answer.text
        assert OTHER not in sent.answer.text
    assert await admin.done(path, {"old": PASSWORD, "new": OTHER, "again": OTHER}) == path
    assert await org.house.sessions.find(other.secret) is None
    await admin.see(path)
    await come_in(org, email, OTHER)


async def test_a_second_factor_is_set_up_used_and_switched_off(org: Tenant) -> None:
    admin, email = await admin_with_password(org)
    home = f"{PROFILE}/second-factor"
    begun = await admin.send(f"{home}/set-up")
    assert begun.status == 200
    assert begun.answer.headers["cache-control"] == "no-store"
    shown = str(begun.tree.xpath("//pre")[0].text_content())
    secret = shown.replace(" ", "")
    assert begun.tree.xpath('//*[@class="qr"]')
    assert "style=" not in begun.answer.text
    assert shown not in (await admin.see(home)).answer.text

    wrong = await admin.send(f"{home}/confirm", {"code": "000000"})
    assert wrong.status == 401
    assert shown in wrong.text
    totp, now = TOTP(secret), org.house.clock.now()
    right = await admin.send(f"{home}/confirm", {"code": totp.at(now)})
    codes = [str(each.text_content()) for each in right.tree.xpath("//ol//code")]
    assert len(codes) == 10
    assert "\n".join(codes) in unescape(right.answer.text)
    page = await admin.see(home)
    assert "10 recovery codes are left" in page.text
    assert codes[0] not in page.answer.text
    assert (await come_in(org, email)).signed.needs_second
    assert (await admin.send(f"{home}/set-up")).status in {409, 422, 400}
    assert (await admin.send(f"{home}/confirm", {"code": "1"})).status != 500

    refused = await admin.send(f"{home}/recovery-codes", {"code": "nothing"})
    assert refused.status == 401
    assert refused.tree.xpath('//*[@id="f-code"]')
    anew = await admin.send(f"{home}/recovery-codes", {"code": codes[0]})
    others = [str(each.text_content()) for each in anew.tree.xpath("//ol//code")]
    assert not set(others) & set(codes)
    assert (await admin.send(f"{home}/remove", {"code": codes[1]})).status == 401
    assert await admin.done(f"{home}/remove", {"code": others[0]}) == home
    assert not (await come_in(org, email)).signed.needs_second


async def test_codes_are_not_guessed(still_org: Tenant) -> None:
    # By a clock that stands still: a pause is two seconds, and a busy machine slow.
    admin, _ = await admin_with_password(still_org)
    home = f"{PROFILE}/second-factor"
    await admin.send(f"{home}/set-up")
    statuses = [(await admin.send(f"{home}/confirm", {"code": "1"})).status for _ in range(12)]
    free = FREE[Subject.SECOND]
    assert statuses == [401] * free + [429] * (12 - free)


def test_a_qr_code_is_a_path_and_nothing_else() -> None:
    text = str(qr("otpauth://totp/Landbridge:a?secret=ABC"))
    assert text.startswith("<svg")
    assert "style" not in text
    assert "script" not in text


async def test_passkeys_are_made_renamed_and_removed(org: Tenant) -> None:
    admin, _ = await admin_with_password(org)
    home = f"{PROFILE}/passkeys"
    options = (await _ask(admin, f"{home}/options", {})).json()
    device = Authenticator(URL, str(options["rp"]["id"]))
    body = {"name": HOSTILE, "credential": device.make(options)}
    done = await _ask(admin, f"{home}/finish", body)
    assert done.json() == {"next": home}, done.text
    page = await admin.see(home)
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text
    (one,) = [each for each in page.links() if each.startswith(f"{home}/")]
    wrong = await admin.send(one, {"name": ""})
    assert wrong.status == 422
    assert await admin.done(one, {"name": "Laptop"}) == home
    assert (await admin.see(one)).value("name") == "Laptop"

    stranger = await visit(org)
    assert (await stranger.open(one)).status == 303
    assert (await stranger.send(one, {"name": "x"})).status == 404
    assert (await stranger.send(f"{one}/remove")).status == 404
    assert await admin.done(f"{one}/remove") == home
    assert "No passkeys yet" in (await admin.see(home)).text
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
async def test_a_passkey_that_is_none_is_refused(org: Tenant, body: Any) -> None:
    sent = await _ask(await visit(org), f"{PROFILE}/passkeys/finish", body)
    assert sent.status_code in {401, 422}
    assert sent.json()["message"]


async def test_a_passkey_is_asked_for_by_our_pages_only(org: Tenant) -> None:
    admin = await visit(org)
    for path in ("options", "finish"):
        sent = await _ask(admin, f"{PROFILE}/passkeys/{path}", {}, csrf="forged")
        assert sent.status_code == 403


async def test_sessions_are_seen_and_ended(org: Tenant) -> None:
    admin, email = await admin_with_password(org)
    others = [await come_in(org, email) for _ in range(3)]
    home = f"{PROFILE}/sessions"
    page = await admin.see(home)
    assert page.text.count("this one") == 1
    assert host_of(org) in page.text
    ends = [str(each) for each in page.tree.xpath('//form[contains(@action, "/end")]/@action')]
    assert len(ends) == 4
    assert await admin.done(f"{home}/{others[0].signed.session_id}/end") == home
    assert await org.house.sessions.find(others[0].secret) is None
    assert await org.house.sessions.find(others[1].secret) is not None
    stranger = await visit(org)
    path = f"{home}/{others[1].signed.session_id}/end"
    for each in (path, f"{home}/{uuid4()}/end", f"{home}/nonsense/end"):
        assert (await stranger.send(each)).status == 404
    assert await admin.done(f"{home}/end-others") == home
    assert await org.house.sessions.find(others[1].secret) is None
    assert len((await admin.see(home)).tree.xpath("//tbody/tr")) == 1


@pytest.mark.parametrize(
    ("told", "name"),
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
def test_browsers_are_called_as_people_call_them(told: str | None, name: str) -> None:
    assert " ".join(name_of(told)).strip() == name


async def _ask(who: Visit, path: str, body: Any, *, csrf: str | None = None) -> httpx2.Response:
    headers = {
        "Cookie": f"landbridge={who.cookie}",
        "Origin": URL,
        "X-CSRF-Token": who.csrf if csrf is None else csrf,
        "Content-Type": "application/json",
    }
    return await who.client.post(path, content=json.dumps(body), headers=headers)


async def test_after_a_while_the_password_is_asked_for_first(org: Tenant) -> None:
    joined = await first_admin(org)
    admin = Visit(org.client, joined.id, Role.ADMIN, joined.secret, joined.signed.csrf)
    assert (await admin.send(f"{PROFILE}/second-factor/set-up")).status == 200
    await age(org, joined)
    proof = f"{PROFILE}/proof?next=%2Fdashboard%2Fprofile%2Fsecond-factor"
    for act in ("set-up", "confirm"):
        assert await admin.done(f"{PROFILE}/second-factor/{act}", {"code": "1"}) == proof
    for act in ("options", "finish"):
        asked = await _ask(admin, f"{PROFILE}/passkeys/{act}", {})
        assert asked.status_code == 403
        assert "password" in asked.json()["message"]
    to = await admin.done(f"{PROFILE}/passkeys/{uuid4()}/remove")
    assert to.startswith(f"{PROFILE}/proof")
    page = await admin.see(f"{PROFILE}/passkeys")
    assert not page.tree.xpath("//form[@data-passkey-add]")
    page = await admin.see(f"{PROFILE}/proof", next="//[evil")
    assert page.value("next") == PROFILE
    wrong = await admin.send(f"{PROFILE}/proof", {"password": OTHER, "next": PROFILE})
    assert wrong.status == 422
    assert OTHER not in wrong.answer.text
    assert wrong.tree.xpath('//*[@id="w-password"]')
    fields = {"password": PASSWORD, "next": f"{PROFILE}/passkeys"}
    assert await admin.done(f"{PROFILE}/proof", fields) == f"{PROFILE}/passkeys"
    assert (await admin.send(f"{PROFILE}/second-factor/set-up")).status == 200
    assert (await _ask(admin, f"{PROFILE}/passkeys/options", {})).status_code == 200


async def test_who_has_no_password_signs_in_anew(org: Tenant) -> None:
    page = await (await visit(org)).see(f"{PROFILE}/proof")
    assert "Sign out and in again" in page.text
