"""Request log as an organisation sees it, and its bounds."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import msgspec
import pytest

from landbridge.app.container import Container, wire
from landbridge.developers.request_log.model import RequestLogFilters
from landbridge.developers.request_log.service import RequestLog
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Tx
from tests.applications import app_of
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    good,
    make_tenant,
    make_user,
    refusal,
    served,
    swap_body,
)

LOG = "/v2/request-log"
_WAITING = "select from pg_locks where relation = 'request_log'::regclass and not granted"


async def _logged(org: Tenant, **query: str | int) -> list[dict[str, Any]]:
    """Return the logged requests, newest first."""
    await org.container.request_log.flush()
    return good(await _search(org, {"limit": 100, **query}))["requests"]


async def _search(org: Tenant, query: Mapping[str, str | int]) -> httpx2.Response:
    return await org.client.get(LOG, params=query, headers=org.headers)


async def _ping(org: Tenant, times: int = 1) -> None:
    for _ in range(times):
        await org.get("/v2/ping")


async def test_a_request_is_found_by_the_id_of_its_answer(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    body = swap_body(user, "5")
    answer = await org.send("POST", SWAPS, body)
    await org.container.request_log.flush()
    found = await org.get(f"{LOG}/{answer.headers['x-request-id']}")
    assert found["requestId"] == body["requestId"]
    assert (found["method"], found["route"], found["path"]) == ("POST", SWAPS, SWAPS)
    assert found["status"] == 200
    assert 0 < found["milliseconds"] < 10_000
    assert found["keyId"] == str(org.caller.key_id)
    assert found["requestBody"] == body
    assert found["answerBody"]["transferDetails"]["id"] == answer.json()["transferDetails"]["id"]
    assert found["answerBody"]["transferDetails"]["status"] == "OPEN_QUOTE"


async def test_nothing_personal_is_kept(org: Tenant) -> None:
    user = await make_user(org, firstName="Xantippe", email="xantippe@example.com")
    await org.get("/v2/users", firstName="Xantippe")
    await org.send("GET", "/v2/users/Xantippe")
    lines = await _logged(org)
    rows = await org.container.database.rows(
        "select request_log::text as whole from request_log where org_id = $1", org.org_id
    )
    assert len(rows) == len(lines)
    whole = "\n".join(row["whole"] for row in rows)
    assert "xantippe" not in whole.lower()
    assert user in whole
    assert lines[0]["path"] == "/v2/users/[redacted]"
    assert lines[1]["query"] == {"firstName": "[redacted]"}


async def test_an_unparsable_query_hides_no_other_request(org: Tenant) -> None:
    other = await make_tenant(org.container, org.client)
    await _ping(other)
    odd = await org.client.get(f"/v2/ping?{'&' * 200}", headers=org.headers)
    assert odd.status_code == 200
    await _ping(org)
    assert [each["query"] for each in await _logged(org)] == [{}, {}]
    assert len(await _logged(other)) == 1


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ({"method": "POST"}, [f"POST {SWAPS}"]),
        ({"status": "4xx"}, [f"POST {SWAPS}", "GET /v2/users"]),
        ({"status": "404"}, []),
        ({"path": "/v2/p"}, ["GET /v2/ping"]),
        ({"method": "GET", "status": "400"}, ["GET /v2/users"]),
        ({"createdBefore": "2020-01-01"}, []),
        ({"createdAfter": "2999-01-01"}, []),
    ],
)
async def test_lines_are_filtered(org: Tenant, query: dict[str, str], paths: list[str]) -> None:
    await org.get("/v2/ping")
    await org.send("GET", "/v2/users", limit=0)
    await org.send("POST", SWAPS, {})
    found = [f"{each['method']} {each['path']}" for each in await _logged(org, **query)]
    assert found == paths


async def test_lines_are_filtered_by_their_ids(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    body = swap_body(user, "1")
    answers = [await org.send("POST", SWAPS, body) for _ in range(2)]
    both = await _logged(org, requestId=body["requestId"])
    request_ids = [each.headers["x-request-id"] for each in reversed(answers)]
    assert [each["xRequestId"] for each in both] == request_ids
    assert len(await _logged(org, xRequestId=request_ids[0])) == 1
    assert await _logged(org, requestId=str(uuid4())) == []


async def test_the_id_in_the_header_counts_too(org: Tenant) -> None:
    body = swap_body(await make_user(org, funds="10"), "1")
    key = body.pop("requestId")
    headers = {**org.headers, "Idempotency-Key": key}
    assert (await org.client.post(SWAPS, json=body, headers=headers)).status_code == 200
    assert len(await _logged(org, requestId=key)) == 1


@pytest.mark.parametrize(
    "query",
    [
        *({"status": "4"}, {"status": "abc"}, {"status": "4XX"}, {"status": "600"}),
        *({"method": "post"}, {"requestId": "x"}, {"path": "x" * 201}, {"limit": "0"}),
    ],
)
async def test_an_invalid_filter_is_refused(org: Tenant, query: dict[str, str]) -> None:
    assert refusal(await _search(org, query)) == "400 FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize("request_id", ["x", "x" * 65, "%00", "a%20b", "é", "%ED%A0%80"])
async def test_an_unlogged_request_is_not_found(org: Tenant, request_id: str) -> None:
    answer = await org.client.get(f"{LOG}/{request_id}", headers=org.headers)
    assert refusal(answer) == "404 RESOURCE_NOT_FOUND"


async def test_pages_follow_one_another(org: Tenant) -> None:
    await _ping(org, 7)
    await org.container.request_log.flush()
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await org.get(LOG, limit=3, **cursor)
        ids += [each["xRequestId"] for each in page["requests"]]
        if page.get("nextCursor") is None:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert len(ids) == len(set(ids)) == 7


async def test_a_long_search_may_end_a_page_early(org: Tenant) -> None:
    await org.send("GET", "/v2/users", limit=0)
    await _ping(org, 4)
    await org.container.request_log.flush()
    log = RequestLog(org.container.database, Clock(node=9), retention=timedelta(days=1), scan_max=3)
    window = PageWindow(limit=10, after=None, before=None)
    page = await log.page(org.org_id, RequestLogFilters(statuses=(400, 400)), window)
    assert page.lines == []
    page = await log.page(
        org.org_id, RequestLogFilters(statuses=(400, 400)), replace(window, before=page.next)
    )
    assert [each.status for each in page.lines] == [400]
    assert page.next is None


async def test_strangers_see_nothing(org: Tenant, other_org: Tenant) -> None:
    answer = await org.send("GET", "/v2/ping")
    assert len(await _logged(org)) == 1
    assert await _logged(other_org) == []
    path = f"{LOG}/{answer.headers['x-request-id']}"
    assert await other_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


async def test_requests_without_an_organisation_are_not_logged(org: Tenant) -> None:
    for path in ("/healthz", "/v2/ping", "/nothing"):
        await org.client.get(path)
    await org.client.get("/v2/ping", headers={"Authorization": "Bearer no"})
    assert await _logged(org) == []
    assert await _logged(org) == []  # nor is reading the log


async def test_a_file_is_a_line_without_its_bytes(org: Tenant) -> None:
    file = ("ada.pdf", b"%PDF-1.7\n" + b"a" * 20_000 + b"%%EOF")
    await org.client.post("/v2/files", files={"file": file}, headers=org.headers)
    (line,) = await _logged(org)
    found = await org.get(f"{LOG}/{line['xRequestId']}")
    assert found["requestBody"] is None
    assert found["answerBody"]["fileName"] == "[redacted]"


async def test_the_end_of_the_service_loses_nothing(database: Database) -> None:
    container = wire(SETTINGS, database, Clock(node=9))
    async with served(container) as client:
        org = await make_tenant(container, client)
        await _ping(org, 3)
    count = "select count(*) as count from request_log where org_id = $1"
    assert (await database.rows(count, org.org_id))[0]["count"] == 3


async def test_an_end_while_lines_are_being_written_loses_none(
    database: Database, org: Tenant
) -> None:
    log = RequestLog(database, Clock(node=9), retention=timedelta(days=1))
    container = replace(org.container, request_log=log)
    is_held, may_write = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        await tx.execute("lock table request_log in share mode")
        is_held.set()
        await may_write.wait()

    holding = asyncio.create_task(database.transact(hold))
    await is_held.wait()
    async with served(container) as client:
        asking = replace(org, container=container, client=client)
        await _ping(asking, 1)
        while not await database.rows(_WAITING):  # noqa: ASYNC110  the server rings no bell
            await asyncio.sleep(0.05)
        await _ping(asking, 1)
        asyncio.get_running_loop().call_later(0.2, may_write.set)
    await holding
    count = "select count(*) as count from request_log where org_id = $1"
    assert (await database.rows(count, org.org_id))[0]["count"] == 2


@pytest.mark.one_commit(reason="a batch that is swept again is the next one")
async def test_old_lines_are_swept(database: Database, org: Tenant) -> None:
    await _ping(org, 3)
    assert len(await _logged(org)) == 3
    log = RequestLog(database, Clock(node=9), retention=timedelta(days=1))
    assert not await log.sweep([org.org_id])
    assert len(await _logged(org)) == 3
    no_retention = RequestLog(database, Clock(node=9), retention=timedelta())
    assert await no_retention.sweep([org.org_id], limit=2)
    assert not await no_retention.sweep([org.org_id], limit=2)
    assert await _logged(org) == []


def test_zero_retention_disables_the_log(container: Container) -> None:
    off = wire(
        msgspec.structs.replace(SETTINGS, request_log_days=0), container.database, Clock(node=9)
    )
    assert not off.request_log.is_on
    assert len(app_of(off).middleware) == len(app_of(container).middleware) - 1
