"""Every route without authentication is documented, and bounds its input."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

import httpx2
import pytest

from landbridge.app.container import Container
from tests.applications import app_of
from tests.customers.onboarding.person import at_documents
from tests.tenants import URL, Tenant, make_agreement

DOCUMENT = Path(__file__).parents[3] / "docs/reference/limits-of-requests.md"
ROUTE = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`]*)`")
FORM = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Sec-Fetch-Site": "same-origin",
}
# Above the largest documented bound, and more fields than any route accepts.
LARGE = b"a" * 300_000
MANY = b"&".join([b"a"] * 2_000)
REFUSED = {303, 400, 403, 404, 405, 413}
# Statuses that handlers return for forms within the bounds; 400, 403 and 413 come earlier.
PROCESSED = {200, 303, 401, 404, 422}


@pytest.fixture(scope="module")
def keyless(container: Container) -> list[tuple[str, str]]:
    """Method and path of every route that needs no key, and no session."""
    return sorted(set(_keyless(app_of(container))))


def _keyless(app: Any) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            is_page = route.path_format.startswith("/dashboard")
            is_open = handler.opt.get("signed_out") if is_page else handler.opt.get("public")
            if is_open:
                for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                    yield method, route.path_format


def test_document_lists_each_keyless_route(keyless: list[tuple[str, str]]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Without a key")[2]
    assert sorted(set(ROUTE.findall(text))) == keyless


async def test_no_keyless_route_reads_too_much(
    keyless: list[tuple[str, str]], client: httpx2.AsyncClient
) -> None:
    for method, template in keyless:
        path = re.sub(r"\{[^}]*\}", str(UUID(int=1)), template)
        for content in (LARGE, MANY):
            answer = await client.request(method, path, content=content, headers=FORM)
            is_looked_at = method == "GET" and answer.status_code in {200, 304, 401}
            assert is_looked_at or answer.status_code in REFUSED, (method, path, answer.text)


async def test_other_keyless_routes_read_no_body(
    container: Container, client: httpx2.AsyncClient
) -> None:
    """Other routes answer unauthenticated clients before reading: 401, or the sign-in page."""
    for route in app_of(container).routes:
        for handler in getattr(route, "route_handlers", ()):
            is_page = route.path_format.startswith("/dashboard")
            if handler.opt.get("signed_out") or (handler.opt.get("public") and not is_page):
                continue
            path = re.sub(r"\{[^}]*\}", str(UUID(int=1)), route.path_format)
            for method in handler.http_methods & {"POST", "PUT", "PATCH", "DELETE"}:
                answer = await client.request(method, path, content=LARGE, headers=FORM)
                assert answer.status_code == (303 if is_page else 401), (method, path)


async def test_link_does_not_lift_the_bounds(org: Tenant, client: httpx2.AsyncClient) -> None:
    """Bodies up to a documented bound are accepted, larger ones refused, also with real links."""
    bounds = list(_bounds())
    assert len(bounds) > 10
    forms = await _forms(org)
    for template, size, fields in bounds:
        root = template.split("/")[1]
        path = re.sub(r"\{[^}]*\}", forms[root].link_id, template)
        begin = urlencode(forms[root].fields)
        many = "&".join([begin, *(f"f{at}=" for at in range(fields - len(forms[root].fields)))])
        large = f"{begin}&a=".ljust(size, "a")
        expected = [(f"{large}a", 413), (f"{many}&a=", 400), (large, None), (many, None)]
        for content, status in expected:
            answer = await client.post(path, content=content, headers=forms[root].headers)
            expected_statuses = PROCESSED if status is None else {status}
            assert answer.status_code in expected_statuses, (path, len(content))


@dataclass(frozen=True)
class RealForm:
    """Fields and headers that a form needs so that its handler runs."""

    link_id: str
    fields: dict[str, str]
    headers: dict[str, str]


async def _forms(org: Tenant) -> dict[str, RealForm]:
    """Return the forms of each part of the site, by the first segment of their paths."""
    person = await at_documents(org)
    agreement = await make_agreement(org, is_signed=False)
    token = (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"]
    link = urlsplit(person.url)
    session = dict(parse_qsl(link.query))["session"]
    visit = {**FORM, "Origin": URL, "Cookie": "landbridge-visit=for-tests"}
    return {
        "tos": RealForm(agreement, {"session": token}, FORM),
        "kyc": RealForm(link.path.split("/")[2], {"session": session}, FORM),
        "dashboard": RealForm(str(UUID(int=1)), {"csrf": "for-tests"}, visit),
    }


def _bounds() -> Iterator[tuple[str, int, int]]:
    """Path, bytes and fields of each form that the document bounds so."""
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Without a key")[2]
    for line in text.splitlines():
        if found := re.search(r"\| (\d+) KB, (\d+) fields \|", line):
            for method, path in ROUTE.findall(line):
                assert method == "POST"
                yield path, int(found[1]) * 1024, int(found[2])
