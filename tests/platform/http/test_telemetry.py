import asyncio
import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import httpx2
import msgspec
import pytest
from prometheus_client import generate_latest

from tests.tenants import METRICS_TOKEN, Tenant, make_user, served

OPERATOR = {"Authorization": f"Bearer {METRICS_TOKEN}"}
MISSING = "8d3a7cfe-0000-4000-8000-000000000000"


def _requests(logged: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in logged.splitlines()]
    return [line for line in lines if line["event"] == "http.request"]


@pytest.mark.parametrize("request_id", ["a", "7c9e-_.Z", "x" * 64])
async def test_a_request_id_of_a_plain_form_is_sent_back(org: Tenant, request_id: str) -> None:
    headers = {**org.headers, "X-Request-Id": request_id}
    answer = await org.client.get("/v2/ping", headers=headers)
    assert answer.headers.get_list("x-request-id") == [request_id]


@pytest.mark.parametrize("request_id", ["", "x" * 65, "a b", "a\tb", "é", "a;b", "<script>", '"'])
async def test_any_other_request_id_is_replaced(org: Tenant, request_id: str) -> None:
    headers = {
        b"authorization": f"Bearer {org.key}".encode(),
        b"x-request-id": request_id.encode("latin-1"),
    }
    answer = await org.client.get("/v2/ping", headers=headers)
    assert answer.status_code == 200
    (created,) = answer.headers.get_list("x-request-id")
    assert created != request_id
    assert len(created) == 36


async def test_each_request_gets_a_separate_id(client: httpx2.AsyncClient) -> None:
    created = {(await client.get("/healthz")).headers["x-request-id"] for _ in range(5)}
    assert len(created) == 5


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("DELETE", "/v2/ping", 405),
        ("GET", "/v2/ping", 401),
        ("GET", f"/tos/{MISSING}", 404),
    ],
)
async def test_refusals_carry_the_request_id_too(
    client: httpx2.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path, headers={"X-Request-Id": "mine"})
    assert answer.status_code == status
    assert answer.headers["x-request-id"] == "mine"


async def test_too_large_response_carries_the_request_id(org: Tenant) -> None:
    headers = {**org.headers, "X-Request-Id": "mine"}
    answer = await org.client.post("/v2/tos-link", content=b" " * 1_000_001, headers=headers)
    assert answer.status_code == 413
    assert answer.headers["x-request-id"] == "mine"


async def test_log_line_has_the_route_template_and_no_query(
    org: Tenant, logged: Callable[[], str]
) -> None:
    user = await make_user(org)
    before = len(_requests(logged()))
    path = f"/v2/users/{user}/wallets/balance?chain=POLYGON&currency=usdc"
    headers = {**org.headers, "X-Request-Id": "mine"}
    await org.client.get(path, headers=headers)
    (line,) = _requests(logged())[before:]
    assert line["route"] == "/v2/users/{userId}/wallets/balance"
    assert (line["method"], line["status"], line["request_id"]) == ("GET", 200, "mine")
    assert line["level"] == "info"
    assert line["ms"] > 0
    assert set(line) == {
        *("event", "level", "timestamp", "request_id", "method", "route", "status", "ms")
    }
    assert user not in json.dumps(line)


async def test_an_unknown_path_is_logged_as_unknown(
    client: httpx2.AsyncClient, logged: Callable[[], str]
) -> None:
    await client.get("/some/secret?token=abc")
    (line,) = _requests(logged())
    assert (line["route"], line["status"]) == ("unknown", 404)


async def test_probes_leave_no_line(client: httpx2.AsyncClient, logged: Callable[[], str]) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        await client.get(path)
    assert not _requests(logged())


def _count(labels: str) -> float:
    lines = generate_latest().decode().splitlines()
    found = [line for line in lines if line.startswith(labels)]
    return float(found[0].rpartition(" ")[2]) if found else 0.0


async def test_metrics_count_requests_by_route_and_status(
    org: Tenant, client: httpx2.AsyncClient
) -> None:
    good = 'landbridge_http_requests_total{method="GET",route="/v2/ping",status="200"}'
    bad = 'landbridge_http_requests_total{method="GET",route="/v2/ping",status="401"}'
    unknown = 'landbridge_http_requests_total{method="GET",route="unknown",status="404"}'
    timed = 'landbridge_http_request_seconds_count{method="GET",route="/v2/ping"}'
    before = [_count(each) for each in (good, bad, unknown, timed)]
    await org.get("/v2/ping")
    await client.get("/v2/ping")
    await client.get("/nothing/here")
    after = [_count(each) for each in (good, bad, unknown, timed)]
    assert [after[each] - before[each] for each in range(4)] == [1, 1, 1, 2]


async def test_every_response_forbids_content_sniffing(
    org: Tenant, client: httpx2.AsyncClient
) -> None:
    paths = ("/docs", "/docs/assets/swagger-ui.css", "/metrics", "/nothing", "/v2/ping")
    for path in paths:
        answer = await client.get(path)
        assert answer.headers.get_list("X-Content-Type-Options") == ["nosniff"]
    assert (await client.get(paths[1])).headers["Content-Type"].startswith("text/css")
    answer = await client.get("/metrics", headers=OPERATOR)
    assert answer.headers["Content-Type"].count("charset") == 1


async def test_metrics_are_the_operators(org: Tenant, client: httpx2.AsyncClient) -> None:
    assert (await client.get("/metrics")).status_code == 401
    assert (await client.get("/metrics", headers=org.headers)).status_code == 401
    answer = await client.get("/metrics", headers=OPERATOR)
    assert answer.status_code == 200
    assert "landbridge_http_requests_total" in answer.text


async def test_without_a_token_there_are_no_metrics(org: Tenant) -> None:
    settings = msgspec.structs.replace(org.container.settings, metrics_token=None)
    async with served(dataclasses.replace(org.container, settings=settings)) as client:
        for headers in (None, OPERATOR, {"Authorization": "Bearer None"}):
            assert (await client.get("/metrics", headers=headers)).status_code == 404


async def test_metrics_are_rendered_once_for_many_readers(client: httpx2.AsyncClient) -> None:
    answers = await asyncio.gather(*(client.get("/metrics", headers=OPERATOR) for _ in range(20)))
    # Each response is counted, so texts of different moments differ.
    assert len({each.text for each in answers}) <= 2


async def test_metrics_have_no_label_invented_by_callers(
    client: httpx2.AsyncClient,
) -> None:
    await client.get("/made-up-path")
    await client.get(f"/v2/users/{MISSING}")
    text = generate_latest().decode()
    assert "made-up-path" not in text
    assert MISSING not in text


async def test_responses_are_not_cached_by_default(org: Tenant) -> None:
    for path in ("/v2/users", "/v2/users/none", "/nothing", "/healthz"):
        answer = await org.send("GET", path)
        assert answer.headers.get_list("cache-control") == ["no-store"], path
    document = await org.client.get("/openapi.json")
    assert document.headers.get_list("cache-control") == ["no-cache"]


async def test_explorer_runs_only_our_scripts_and_in_no_frame(
    client: httpx2.AsyncClient,
) -> None:
    answer = await client.get("/docs/operations/swaps")
    assert answer.headers["x-frame-options"] == "DENY"
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    (script,) = re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in policy
