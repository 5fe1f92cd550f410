"""Terms of service: the link, its acceptance, and the page for the person."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit
from uuid import UUID, uuid4

import httpx2
import pytest

from landbridge.customers.users.model import AGREEMENT_KIND
from landbridge.customers.users.terms import TermsOfService
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import derived_id
from tests.tenants import (
    URL,
    Tenant,
    individual,
    make_agreement,
    make_swap,
    make_user,
    refusal,
    sentence,
)

LINK = "/v2/tos-link"


async def _link(org: Tenant, **changes: str) -> tuple[str, str, str]:
    """Create a link; return its id, path and session token."""
    created = await org.post(LINK, {"idempotencyKey": str(uuid4()), **changes})
    parts = urlsplit(str(created["url"]))
    return created["signedAgreementId"], parts.path, parse_qs(parts.query)["session"][0]


async def _is_signed(org: Tenant, agreement: str) -> bool:
    return (await org.get(f"{LINK}/{agreement}"))["signed"]


async def test_a_link_has_the_callers_key_as_its_id(still_org: Tenant) -> None:
    key = str(uuid4())
    new = await still_org.post(LINK, {"idempotencyKey": key})
    assert new["signedAgreementId"] == key
    assert new["url"].startswith(f"{URL}/tos/{key}?session=")
    found = await still_org.get(f"{LINK}/{key}")
    assert found == {
        "id": key,
        "createdAt": found["createdAt"],
        "expiredAt": found["expiredAt"],
        "signed": False,
        "sessionToken": parse_qs(urlsplit(str(new["url"])).query)["session"][0],
        "signedAt": None,
        "signedFrom": None,
        "version": None,
    }
    created, ends = (datetime.fromisoformat(found[each]) for each in ("createdAt", "expiredAt"))
    assert ends - created == timedelta(days=5)


async def test_the_same_key_answers_the_same_link(org: Tenant) -> None:
    body = {
        "idempotencyKey": str(uuid4()),
        "redirectUrl": "https://example.com",
        "templateId": "t",
    }
    assert await org.post(LINK, body) == await org.post(LINK, body)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("redirectUrl", {"redirectUrl": "https://example.org"}),
        ("redirectUrl", {"redirectUrl": None}),
        ("templateId", {"templateId": "u"}),
    ],
)
async def test_the_same_key_with_another_body_conflicts(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    key = str(uuid4())
    body = {"idempotencyKey": key, "redirectUrl": "https://example.com", "templateId": "t"}
    await org.post(LINK, body)
    answer = await org.send("POST", LINK, {**body, **change})
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert field in sentence(answer)


async def test_two_organisations_may_use_one_key(org: Tenant, other_org: Tenant) -> None:
    key = str(uuid4())
    mine = await org.post(LINK, {"idempotencyKey": key})
    theirs = await other_org.post(LINK, {"idempotencyKey": key})
    assert mine["url"] != theirs["url"]
    token = (await org.get(f"{LINK}/{key}"))["sessionToken"]
    await org.post(f"{LINK}/{key}/accept", {"sessionToken": token})
    assert await _is_signed(org, key)
    assert not await _is_signed(other_org, key)


async def test_accepting_twice_answers_as_the_first_time(org: Tenant) -> None:
    agreement, _, token = await _link(org)
    path, body = f"{LINK}/{agreement}/accept", {"sessionToken": token}
    first = await org.post(path, body)
    assert first["signed"] is True
    assert await org.post(path, body) == first == await org.get(f"{LINK}/{agreement}")


@pytest.mark.parametrize("token", ["", "x", "é", "\u0001"])
async def test_a_wrong_token_accepts_nothing(org: Tenant, token: str) -> None:
    agreement, _, _ = await _link(org)
    answer = await org.send("POST", f"{LINK}/{agreement}/accept", {"sessionToken": token})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "sessionToken" in sentence(answer)
    assert not await _is_signed(org, agreement)


async def test_the_token_of_another_link_accepts_nothing(org: Tenant) -> None:
    agreement, _, _ = await _link(org)
    _, _, token = await _link(org)
    path, body = f"{LINK}/{agreement}/accept", {"sessionToken": token}
    assert await org.refused("POST", path, body) == "400 FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize("known", ["8d3a7cfe-0000-4000-8000-000000000000", "x"])
async def test_an_unknown_link_is_not_there(org: Tenant, known: str) -> None:
    assert await org.refused("GET", f"{LINK}/{known}") == "404 RESOURCE_NOT_FOUND"
    path, body = f"{LINK}/{known}/accept", {"sessionToken": "x"}
    assert await org.refused("POST", path, body) == "404 RESOURCE_NOT_FOUND"


async def test_a_link_can_be_accepted_for_five_days(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org = still_org
    early, _, early_token = await _link(org)
    late, page, late_token = await _link(org)
    still_clock.at += timedelta(days=5) - timedelta(seconds=1)
    await org.post(f"{LINK}/{early}/accept", {"sessionToken": early_token})
    still_clock.at += timedelta(seconds=2)
    body = {"sessionToken": late_token}
    assert await org.refused("POST", f"{LINK}/{late}/accept", body) == "409 RESOURCE_CONFLICT"
    shown = await org.client.get(page, params={"session": late_token})
    pressed = await org.client.post(f"{page}/accept", data={"session": late_token})
    assert (shown.status_code, pressed.status_code) == (410, 410)
    assert not await _is_signed(org, late)
    # An acceptance in time remains valid.
    await org.post("/v2/users", individual(early))
    again = await org.post(f"{LINK}/{early}/accept", {"sessionToken": early_token})
    assert again["signed"] is True


async def test_a_user_before_acceptance_is_refused_naming_the_agreement(org: Tenant) -> None:
    agreement = await make_agreement(org, is_signed=False)
    answer = await org.send("POST", "/v2/users", individual(agreement))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert sentence(answer).startswith("signedAgreementId: the terms have not been accepted yet")


async def test_another_organisations_agreement_makes_no_user(
    org: Tenant, other_org: Tenant
) -> None:
    theirs = await make_agreement(other_org)
    known = await org.send("POST", "/v2/users", individual(theirs))
    unknown = await org.send("POST", "/v2/users", individual(str(uuid4())))
    assert known.json() == unknown.json()
    assert refusal(known) == "400 FIELD_VALIDATION_ERROR"


async def test_a_person_accepts_on_the_page_and_is_sent_back(org: Tenant) -> None:
    target = "https://example.com/back?a=1&b=#top"
    agreement, page, token = await _link(org, redirectUrl=target)
    shown = await org.client.get(page, params={"session": token})
    assert shown.status_code == 200
    assert shown.headers["content-type"].startswith("text/html")
    assert shown.headers["cache-control"] == "no-store"
    assert shown.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert f'action="/tos/{agreement}/accept"' in shown.text
    assert "<script" not in shown.text
    pressed = await org.client.post(f"{page}/accept", data={"session": token})
    assert pressed.status_code == 303
    back = urlsplit(pressed.headers["location"])
    assert (back.scheme, back.netloc, back.path, back.fragment) == (
        *("https", "example.com", "/back", "top"),
    )
    assert parse_qsl(back.query, keep_blank_values=True) == [
        *(("a", "1"), ("b", ""), ("signedAgreementId", agreement))
    ]
    assert await _is_signed(org, agreement)
    again = await org.client.post(f"{page}/accept", data={"session": token})
    assert again.headers["location"] == pressed.headers["location"]


async def test_without_a_redirect_the_page_says_thank_you(org: Tenant) -> None:
    agreement, page, token = await _link(org)
    pressed = await org.client.post(f"{page}/accept", data={"session": token})
    assert pressed.status_code == 200
    assert "Thank you" in pressed.text
    shown = await org.client.get(page, params={"session": token})
    assert "Thank you" in shown.text
    assert "<form" not in shown.text
    assert await _is_signed(org, agreement)


@pytest.mark.parametrize("session", ["", "x", "é", "<script>alert(1)</script>", "a" * 3000])
async def test_an_incomplete_link_is_not_found(org: Tenant, session: str) -> None:
    agreement, page, _ = await _link(org)
    shown = await org.client.get(page, params={"session": session})
    pressed = await org.client.post(f"{page}/accept", data={"session": session})
    for answer in (shown, pressed):
        assert answer.status_code == 404
        assert "no longer valid" in answer.text
        assert "<script" not in answer.text
    assert not await _is_signed(org, agreement)


async def test_a_token_opens_no_other_link(org: Tenant, other_org: Tenant) -> None:
    _, page, _ = await _link(org)
    _, _, token = await _link(other_org)
    assert (await org.client.get(page, params={"session": token})).status_code == 404
    pressed = await org.client.post(f"{page}/accept", data={"session": token})
    assert pressed.status_code == 404


async def test_a_session_with_a_nul_is_refused_not_broken(org: Tenant) -> None:
    _, page, _ = await _link(org)
    assert (await org.client.get(f"{page}?session=%00")).status_code == 400
    assert (await org.client.post(f"{page}/accept", data={"session": "\0"})).status_code == 404


FORMS: list[dict[str, Any]] = [
    {},
    {"json": {"session": "x"}},
    {"content": b"session=a&session=b", "headers": {"Content-Type": "x-www-form-urlencoded"}},
    {"content": b"\xff\xfe=%ff", "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    {"content": b"x" * 100, "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
    {"content": b"&" * 50_000, "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    {"data": {"other": "x"}},
]


@pytest.mark.parametrize("form", FORMS)
async def test_any_other_form_is_refused_not_broken(org: Tenant, form: dict[str, Any]) -> None:
    _, page, _ = await _link(org)
    answer = await org.client.post(f"{page}/accept", **form)
    assert answer.status_code in {400, 404, 413}


async def test_the_page_escapes_what_it_shows(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/tos/<script>", params={"session": '"><script>'})
    assert answer.status_code == 404
    assert "<script" not in answer.text


async def test_the_acceptor_is_recorded(org: Tenant) -> None:
    by_api = await make_agreement(org)
    by_page, page, token = await _link(org)
    await org.client.post(f"{page}/accept", data={"session": token})
    rows = await org.container.database.rows(
        "select object_id, change_type, actor from changes where org_id = $1"
        " and kind = $2 order by occurred_at",
        *(org.org_id, AGREEMENT_KIND),
    )
    recorded = [(row["object_id"], row["change_type"], row["actor"]) for row in rows]
    assert recorded == [
        (derived_id(UUID(by_api), AGREEMENT_KIND), "update", f"key:{org.caller.key_id}"),
        (derived_id(UUID(by_page), AGREEMENT_KIND), "update", "person:terms"),
    ]


async def test_a_key_that_equals_another_id_is_accepted_all_the_same(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    swap = (await make_swap(org, user))["id"]
    for key in (user, swap):
        url = str((await org.post(LINK, {"idempotencyKey": key}))["url"])
        token = parse_qs(urlsplit(url).query)["session"][0]
        accepted = await org.post(f"{LINK}/{key}/accept", {"sessionToken": token})
        assert accepted["signed"] is True


async def test_an_acceptance_is_kept_with_time_address_and_version(still_org: Tenant) -> None:
    org = still_org
    agreement, page, token = await _link(org)
    await org.client.post(f"{page}/accept", data={"session": token})
    found = await org.get(f"{LINK}/{agreement}")
    assert (found["signed"], found["version"], found["signedFrom"]) == (True, "1", "127.0.0.1")
    assert found["signedAt"] >= found["createdAt"]
    newer = TermsOfService(
        org.container.database, org.container.vault, org.container.clock, version="2026-12"
    )
    by_api = await newer.get(org.org_id, UUID(await make_agreement(org, is_signed=False)))
    signed = await newer.accept(
        by_api, by_api.session_token, offset=timedelta(), signed_from=None, actor="test"
    )
    assert signed == await newer.get(org.org_id, by_api.id)
    assert (signed.version, signed.signed_from) == ("2026-12", None)


@pytest.mark.parametrize(
    ("redirect", "back"),
    [
        ("https://a.example", "https://a.example?signedAgreementId={}"),
        ("https://a.example/b?", "https://a.example/b?signedAgreementId={}"),
        ("https://a.example/?c", "https://a.example/?c&signedAgreementId={}"),
        (
            "https://a.example/?c=%C3%BC+d;e&",
            "https://a.example/?c=%C3%BC+d;e&signedAgreementId={}",
        ),
        (
            "http://a.example:81/?c=1&c=2#f?g",
            "http://a.example:81/?c=1&c=2&signedAgreementId={}#f?g",
        ),
    ],
)
async def test_a_redirect_keeps_the_callers_url_as_it_is(
    org: Tenant, redirect: str, back: str
) -> None:
    agreement, page, token = await _link(org, redirectUrl=redirect)
    pressed = await org.client.post(f"{page}/accept", data={"session": token})
    assert pressed.status_code == 303
    assert pressed.headers["location"] == back.format(agreement)


@pytest.mark.parametrize(
    "redirect",
    [
        *("ftp://a.example", "https://", "https://u:p@a.example", "https://a b.example", "/b", ""),
        *("https://m\u00fcnchen.example", "https://a.example/\n", "https://a/" + "b" * 2000),
    ],
)
async def test_an_odd_redirect_is_refused(org: Tenant, redirect: str) -> None:
    answer = await org.send("POST", LINK, {"idempotencyKey": str(uuid4()), "redirectUrl": redirect})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "redirectUrl" in sentence(answer)


async def test_the_page_has_the_language_of_the_browser(org: Tenant) -> None:
    _, page, token = await _link(org)
    spanish = {"accept-language": "es-ES,es;q=0.9"}
    shown = await org.client.get(page, params={"session": token}, headers=spanish)
    assert '<html lang="es">' in shown.text
    assert "Aceptar los términos" in shown.text
    english = await org.client.get(page, params={"session": token})
    assert '<html lang="en">' in english.text
    assert "Accept terms" in english.text
