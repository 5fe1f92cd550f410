"""`Allow` names every method of a path, also where separate handlers serve them."""

import re
from typing import Any
from uuid import UUID

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.dashboard.authentication import HEADER as CSRF
from tests.applications import app_of
from tests.dashboard.browsing import visit
from tests.tenants import URL, Tenant

pytestmark = pytest.mark.usefixtures("unlimited_pages")

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
PARAMETER = re.compile(r"\{[^}]*\}")


@pytest.fixture(scope="module")
def methods(container: Container) -> dict[str, set[str]]:
    """Return the methods of each path. Paths that differ only in parameter names count as one."""
    found: dict[str, set[str]] = {}
    app: Any = app_of(container)
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            path = PARAMETER.sub(str(UUID(int=1)), route.path_format)
            found.setdefault(path, set()).update(handler.http_methods)
    assert len(found) > 150
    return found


async def test_405_names_every_method_of_the_path(
    methods: dict[str, set[str]], client: httpx2.AsyncClient
) -> None:
    for path, expected in methods.items():
        for method in METHODS - expected:
            answer = await client.request(method, path)
            assert answer.status_code == 405, (method, path)
            assert allowed(answer) == expected, (method, path)


async def test_options_names_every_method_of_the_path(
    methods: dict[str, set[str]], org: Tenant
) -> None:
    key = {"Authorization": f"Bearer {org.key}"}
    admin = await visit(org)
    session = {"Cookie": f"landbridge={admin.cookie}", "Origin": URL, CSRF: admin.csrf}
    wrong: dict[str, set[str]] = {}
    for path, expected in methods.items():
        headers = session if path.startswith("/dashboard") else key
        answer = await org.client.options(path, headers=headers)
        assert answer.status_code == 204, (path, answer.status_code)
        assert not answer.content
        if allowed(answer) != expected:
            wrong[path] = allowed(answer)
    assert not wrong


async def test_options_requires_a_key(client: httpx2.AsyncClient) -> None:
    answer = await client.options("/v2/users")
    assert answer.status_code == 401
    assert "allow" not in answer.headers


def allowed(answer: httpx2.Response) -> set[str]:
    """Return the methods in the Allow header."""
    return {each.strip() for each in answer.headers["allow"].split(",")}
