"""Every route that answers without a key is in the document, and bounds what it reads."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest

from landbridge.app import build_app
from landbridge.wiring import House

DOCUMENT = Path(__file__).parents[2] / "docs/reference/limits-of-requests.md"
ROUTE = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`]*)`")
FORM = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Sec-Fetch-Site": "same-origin",
}
# The largest that any of them says, and more fields than any takes.
LARGE = b"a" * 300_000
MANY = b"&".join([b"a"] * 2_000)
REFUSED = {303, 400, 403, 404, 405, 413}


@pytest.fixture(scope="module")
def keyless(house: House) -> list[tuple[str, str]]:
    """Method and path of every route that needs no key, and no session."""
    return sorted(set(_keyless(build_app(house))))


def _keyless(app: Any) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            is_page = route.path_format.startswith("/dashboard")
            is_open = handler.opt.get("signed_out") if is_page else handler.opt.get("public")
            if is_open:
                for method in handler.http_methods - {"OPTIONS", "HEAD"}:
                    yield method, route.path_format


def test_the_document_names_each(keyless: list[tuple[str, str]]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Without a key")[2]
    assert sorted(set(ROUTE.findall(text))) == keyless


async def test_none_reads_what_is_too_much(
    keyless: list[tuple[str, str]], client: httpx2.AsyncClient
) -> None:
    for method, template in keyless:
        path = re.sub(r"\{[^}]*\}", str(UUID(int=1)), template)
        for content in (LARGE, MANY):
            answer = await client.request(method, path, content=content, headers=FORM)
            is_looked_at = method == "GET" and answer.status_code in {200, 304, 401}
            assert is_looked_at or answer.status_code in REFUSED, (method, path, answer.text)


async def test_nobody_else_reads_a_body(house: House, client: httpx2.AsyncClient) -> None:
    """What is not open answers strangers before it reads: 401, or the page to sign in."""
    for route in build_app(house).routes:
        for handler in getattr(route, "route_handlers", ()):
            is_page = route.path_format.startswith("/dashboard")
            if handler.opt.get("signed_out") or (handler.opt.get("public") and not is_page):
                continue
            path = re.sub(r"\{[^}]*\}", str(UUID(int=1)), route.path_format)
            for method in handler.http_methods & {"POST", "PUT", "PATCH", "DELETE"}:
                answer = await client.request(method, path, content=LARGE, headers=FORM)
                assert answer.status_code == (303 if is_page else 401), (method, path)
