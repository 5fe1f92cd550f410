"""Direct routes respond as the framework does: every operation is sent both ways."""

import re
from typing import Any, cast

import httpx2
import pytest
from litestar import Litestar

from landbridge.platform.http.direct_routes import DirectLitestar
from landbridge.platform.http.telemetry import with_telemetry
from tests.applications import app_of
from tests.contract.resources import make_things
from tests.contract.schema_requests import (
    GeneratedRequest,
    Operation,
    drawn,
    operations,
    values_for,
)
from tests.long import few_of
from tests.tenants import URL, Tenant

# Values that vary between two responses to the same request.
_VARYING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)?|whsec_[\w+/=]+|(?<=session=)[\w-]+"
    r"|-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----|0x[0-9a-fA-F]{40,64}"
    r"|(?<=Code: )[0-9a-f]{32}"
    r'|(?<="balance":")\d+|(?<="offsetSeconds":)\d+'
)
_ODD_REQUESTS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("GET", "/v2/users/", {}),
    ("GET", "/v2//users", {}),
    ("HEAD", "/v2/users", {}),
    ("OPTIONS", "/v2/users", {}),
    ("PUT", "/v2/users", {}),
    ("GET", "/v2/nothing", {}),
    ("GET", "/v2/users", {"host": "a b"}),
    ("GET", "/v2/users?limit=2&limit=1", {}),
    ("GET", "/v2/users?createdBefore=%00", {}),
    ("GET", "/v2/wallets/swaps?dryrun=true", {}),
    ("POST", "/v2/wallets/swaps", {}),
    ("POST", "/v2/wallets/swaps", {"authorization": "Bearer lb_test_no_such_key_at_all"}),
    ("POST", "/v2/wallets/swaps", {"authorization": ""}),
    ("POST", "/v2/wallets/swaps", {"landbridge-sandbox": "payout=return"}),
    ("PATCH", "/v2/users/x", {"idempotency-key": "a"}),
)


class FrameworkApp:
    """The same application, with each request handled by the framework."""

    def __init__(self, app: Litestar) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await Litestar.__call__(self._app, scope, receive, send)


@pytest.mark.parametrize("examples", few_of([1, 2]))
async def test_direct_routes_answer_every_operation_like_the_framework(
    org: Tenant, examples: int
) -> None:
    app = app_of(org.container)
    document = (await org.client.get("/openapi.json")).json()
    things = await make_things(org)
    differences: list[str] = []
    count = 0
    async with _client(app) as direct, _client(FrameworkApp(app)) as framework:
        for operation in operations(document):
            for sent in drawn(operation, values_for(document, operation, things), examples):
                # The first request may create what later ones repeat.
                if operation.method != "GET":
                    await _send(direct, org, operation, sent)
                ways = [
                    _comparable(await _send(client, org, operation, sent))
                    for client in (direct, framework)
                ]
                count += 1
                # Nor is it the time that makes the difference.
                if ways[0] != ways[1] and ways[1] != _comparable(
                    await _send(direct, org, operation, sent)
                ):
                    differences.append(f"{operation} {sent}: {ways[0]} {ways[1]}")
    assert differences == []
    assert count > 125 * examples


async def test_direct_routes_answer_odd_requests_like_the_framework(org: Tenant) -> None:
    app = app_of(org.container)
    async with _client(app) as direct, _client(FrameworkApp(app)) as framework:
        for method, path, headers in _ODD_REQUESTS:
            ways = [
                _comparable(await client.request(method, path, headers={**org.headers, **headers}))
                for client in (direct, framework)
            ]
            assert ways[0] == ways[1], (method, path)


def test_every_route_is_direct(org: Tenant) -> None:
    app = app_of(org.container)
    assert isinstance(app, DirectLitestar)
    methods = {
        (route.path_format, method)
        for route in app.routes
        for method in cast("Any", route).methods - {"OPTIONS"}
        if route.path_format.startswith("/v2/")
    }
    assert app.compile_routes() == len(methods) > 150


def _client(app: Any) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(cast("Any", with_telemetry(app)))
    return httpx2.AsyncClient(transport=transport, base_url=URL)


async def _send(
    client: httpx2.AsyncClient, org: Tenant, operation: Operation, sent: GeneratedRequest
) -> httpx2.Response:
    body = {} if operation.body is None or sent.body is None else {"json": sent.body}
    return await client.request(
        operation.method, sent.path, params=sent.query or None, headers=org.headers, **body
    )


def _comparable(answer: httpx2.Response) -> tuple[int, list[tuple[str, str]], str]:
    headers = [
        (name, _VARYING.sub("*", value))
        for name, value in answer.headers.multi_items()
        if name not in {"x-request-id", "content-length"} and not name.startswith("ratelimit")
    ]
    return answer.status_code, headers, _VARYING.sub("*", answer.text)
