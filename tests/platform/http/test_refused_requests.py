"""A refused request stays out of memory: no reference cycle keeps it or its body.

The garbage collector runs rarely while the server is under load, so what only the collector can
free is effectively leaked.
"""

import asyncio
import gc
from collections.abc import Generator
from typing import Any

import pytest
from litestar import Request

from landbridge.app.processes import spare_the_collector
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
PATIENCE_S = 5.0
UNKNOWN_ID = "01a21062-862c-7754-b378-9eaadae5859e"


@pytest.fixture(autouse=True)
def uncollected() -> Generator[None]:
    """Disable garbage collection during the test."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v2/users", b'{"a": x'),
        ("POST", "/v2/users", b'{"a": "' + b"x" * 100_000 + b'"}'),
        ("POST", "/v2/users", b"x" * 1_000_001),
        ("POST", "/v2/reporting/metrics", b"{}"),
        ("POST", f"/v2/users/{UNKNOWN_ID}/accounts", b'{"type": 1}'),
        ("GET", "/v2/users?limit=0", b""),
        ("GET", f"/v2/users/{UNKNOWN_ID}", b""),
        ("GET", "/v2/users?limit=%00", b""),
    ],
)
async def test_with_a_key(org: Tenant, method: str, path: str, body: bytes) -> None:
    answer = await org.client.request(method, path, headers={**org.headers, **JSON}, content=body)
    assert answer.status_code in {400, 404, 413}
    assert not requests_in_memory()


@pytest.mark.long
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
async def test_without_a_key(org: Tenant, headers: dict[str, str]) -> None:
    answer = await org.client.post("/v2/users", headers=headers, content=b"x" * 10_000)
    assert answer.status_code == 401
    assert not requests_in_memory()


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/dashboard/sign-in?next=%00"),
        ("POST", "/dashboard/sign-in"),
        ("GET", "/dashboard/nothing"),
        ("GET", "/kyc/nobody?session=x"),
        ("POST", "/kyc/nobody/terms"),
        ("POST", "/tos/nobody/accept"),
        ("GET", "/tos/nobody?session=%00"),
    ],
)
async def test_pages_of_strangers(org: Tenant, method: str, path: str) -> None:
    await org.client.request(method, path, headers=FORM, content=b"a=b")
    assert not requests_in_memory()


async def test_pages_of_a_member(org: Tenant) -> None:
    member = await visit(org)
    for path in (f"/dashboard/users/{UNKNOWN_ID}", "/dashboard/nothing"):
        assert (await member.open(path)).status == 404
    assert (await member.send("/dashboard/users/new", {"email": "x" * 10_000})).status == 422
    # A page may still wait for the second of two calls when the first one was refused.
    async with asyncio.timeout(PATIENCE_S):
        while requests_in_memory():  # noqa: ASYNC110  the memory sends no event
            await asyncio.sleep(0.01)


def test_reference_cycles_are_freed_soon() -> None:
    """The oldest generation is collected after a few of the youngest, not after a hundred."""
    before = gc.get_threshold()
    try:
        spare_the_collector()
        objects, young, middle = gc.get_threshold()
    finally:
        # What it froze stays so, beside what the run has frozen: collections need not look at it.
        gc.set_threshold(*before)
    assert objects * (young + 1) * (middle + 1) <= 100_000


def requests_in_memory() -> list[str]:
    """Return the paths of requests that are still referenced."""
    found: list[Any] = gc.get_objects()
    kind: Any = Request
    return [each.scope["path"] for each in found if isinstance(each, kind)]
