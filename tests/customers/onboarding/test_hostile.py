"""Any request to the hosted form is answered by a page, never by an internal error."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landbridge.app.container import Container
from landbridge.platform.core.ids import new_id
from tests.applications import app_of
from tests.customers.onboarding.person import (
    ADA,
    ADA_DETAILS,
    COMPANY,
    Person,
    at_documents,
    invite,
)
from tests.tenants import Tenant

PAGES = ("terms", "about", "details", "questions", "owners", "owners/remove", "documents", "submit")
NAMES = [*ADA, *ADA_DETAILS, *COMPANY, "item", "step", "roles", "x"]

BODIES: list[dict[str, Any]] = [
    {},
    {"json": {"session": "x"}},
    {
        "content": b"\xff\xfe=%ff&&&==",
        "headers": {"Content-Type": "application/x-www-form-urlencoded"},
    },
    {"content": b"&" * 60_000, "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    {"content": b"a" * 100_000, "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    {"content": b"x" * 100, "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
    {"content": b"x" * 100, "headers": {"Content-Type": "multipart/form-data"}},
    {
        "content": b"--x\r\n\r\n" * 100,
        "headers": {"Content-Type": "multipart/form-data; boundary=x"},
    },
    {"files": {"file": ("\0", b"\0", "\u00e9")}, "data": {"item": "identity"}},
    {"data": {"session": "\0"}},
]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("body", BODIES)
async def test_any_body_is_answered_by_a_page(
    client: httpx2.AsyncClient, page: str, body: dict[str, Any]
) -> None:
    answer = await client.post(f"/kyc/x/{page}", **body)
    _check(answer)
    assert 400 <= answer.status_code < 500


@pytest.mark.parametrize(
    "query", ["?session=%00", "?session=%ff", "?step=%00", "?item[]=1&session"]
)
async def test_any_query_is_answered_by_a_page(client: httpx2.AsyncClient, query: str) -> None:
    answer = await client.get(f"/kyc/<script>{query}")
    _check(answer)
    assert 400 <= answer.status_code < 500


async def test_a_file_beyond_everything_is_answered_by_a_page(org: Tenant) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    answer = await org.client.post(
        person.form("/documents").action, files={"file": ("a.pdf", b"0" * (41 * 1024 * 1024))}
    )
    assert answer.status_code == 413
    _check(answer)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_any_answers_at_any_step_are_answered_by_a_page(
    org: Tenant, data: st.DataObject
) -> None:
    answers = data.draw(
        st.dictionaries(st.sampled_from(NAMES), st.lists(st.text(max_size=20), max_size=2))
    )
    await _walk(org, answers, data.draw(st.lists(st.sampled_from(PAGES), max_size=3)))


async def _walk(org: Tenant, answers: dict[str, list[str]], pages: list[str]) -> None:
    person = await invite(org, rails=["USD"])
    await person.open()
    await person.press("/terms")
    await person.press("/about", ADA)
    await _send(person, answers, [*pages, "details"])


async def _send(person: Person, answers: dict[str, list[str]], pages: list[str]) -> None:
    path, _, session = person.url.partition("?session=")
    for page in pages:
        body = {**answers, "session": session}
        sent: dict[str, Any] = {"data": body}
        if page == "documents":
            sent["files"] = {"file": ("a.pdf", b"%PDF-1.7\n%%EOF")}
            sent["params"] = {"session": session}
        _check(await person.client.post(f"{path}/{page}", follow_redirects=True, **sent))


def _check(answer: httpx2.Response) -> None:
    assert answer.headers["content-type"].startswith("text/html"), answer.text
    assert answer.status_code < 500, answer.text
    assert "<script>" not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


async def test_a_client_that_disconnects_during_a_form_is_no_error(
    container: Container, logged: Callable[[], str]
) -> None:
    waiting = [{"type": "http.request", "body": b"token=", "more_body": True}]

    async def receive() -> Any:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        pass

    headers = [(b"content-type", b"application/x-www-form-urlencoded"), (b"content-length", b"99")]
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": f"/kyc/{new_id()}/terms",
        "raw_path": b"/kyc/x/terms",
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "scheme": "http",
        "server": ("landbridge.test", 80),
        "client": ("127.0.0.1", 1),
        "http_version": "1.1",
        "asgi": {"version": "3.0"},
    }
    app: Any = app_of(container)
    await app(scope, receive, send)
    assert "form.broken" not in logged()
