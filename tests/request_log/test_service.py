"""The log of requests as an organisation sees it, and its bounds."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx2
import msgspec
import pytest

from landbridge.app import build_app
from landbridge.core.clock import Clock
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.request_log.model import Filters
from landbridge.request_log.service import RequestLog
from landbridge.wiring import House, wire
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
    """What the log has, newest first."""
    await org.house.request_log.flush()
    return good(await _ask(org, {"limit": 100, **query}))["requests"]


async def _ask(org: Tenant, query: Mapping[str, str | int]) -> httpx2.Response:
    return await org.client.get(LOG, params=query, headers=org.headers)


async def _ping(org: Tenant, times: int = 1) -> None:
    for _ in range(times):
        await org.get("/v2/ping")


async def test_a_request_is_found_by_the_id_of_its_answer(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    body = swap_body(user, "5")
    answer = await org.send("POST", SWAPS, body)
    await org.house.request_log.flush()
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
    rows = await org.house.database.rows(
        "select request_log::text as whole from request_log where org_id = $1", org.org_id
    )
    assert len(rows) == len(lines)
    whole = "\n".join(row["whole"] for row in rows)
    assert "xantippe" not in whole.lower()
    assert user in whole
    assert lines[0]["path"] == "/v2/users/[redacted]"
    assert lines[1]["query"] == {"firstName": "[redacted]"}


async def test_a_query_that_nobody_can_read_hides_no_other_request(org: Tenant) -> None:
    other = await make_tenant(org.house, org.client)
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
    told = [each.headers["x-request-id"] for each in reversed(answers)]
    assert [each["xRequestId"] for each in both] == told
    assert len(await _logged(org, xRequestId=told[0])) == 1
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
async def test_a_filter_that_can_not_be_is_refused(org: Tenant, query: dict[str, str]) -> None:
    assert refusal(await _ask(org, query)) == "400 FIELD_VALIDATION_ERROR"


@pytest.mark.parametrize("asked", ["x", "x" * 65, "%00", "a%20b", "é", "%ED%A0%80"])
async def test_what_is_not_in_the_log_is_not_found(org: Tenant, asked: str) -> None:
    answer = await org.client.get(f"{LOG}/{asked}", headers=org.headers)
    assert refusal(answer) == "404 RESOURCE_NOT_FOUND"


async def test_pages_follow_one_another(org: Tenant) -> None:
    await _ping(org, 7)
    await org.house.request_log.flush()
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await org.get(LOG, limit=3, **cursor)
        seen += [each["xRequestId"] for each in page["requests"]]
        if page["nextCursor"] is None:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert len(seen) == len(set(seen)) == 7


async def test_a_long_search_may_end_a_page_early(org: Tenant) -> None:
    await org.send("GET", "/v2/users", limit=0)
    await _ping(org, 4)
    await org.house.request_log.flush()
    log = RequestLog(org.house.database, Clock(lane=9), kept=timedelta(days=1), looked_at_max=3)
    window = Window(limit=10, after=None, before=None)
    page = await log.page(org.org_id, Filters(statuses=(400, 400)), window)
    assert page.lines == []
    page = await log.page(
        org.org_id, Filters(statuses=(400, 400)), replace(window, before=page.next)
    )
    assert [each.status for each in page.lines] == [400]
    assert page.next is None


async def test_strangers_see_nothing(org: Tenant, other_org: Tenant) -> None:
    answer = await org.send("GET", "/v2/ping")
    assert len(await _logged(org)) == 1
    assert await _logged(other_org) == []
    path = f"{LOG}/{answer.headers['x-request-id']}"
    assert await other_org.refused("GET", path) == "404 RESOURCE_NOT_FOUND"


async def test_what_has_no_organisation_is_not_heard(org: Tenant) -> None:
    for path in ("/healthz", "/v2/ping", "/nothing"):
        await org.client.get(path)
    await org.client.get("/v2/ping", headers={"Authorization": "Bearer no"})
    assert await _logged(org) == []
    assert await _logged(org) == []  # nor is looking at the log


async def test_a_file_is_a_line_without_its_bytes(org: Tenant) -> None:
    file = ("ada.pdf", b"%PDF-1.7\n" + b"a" * 20_000 + b"%%EOF")
    await org.client.post("/v2/files", files={"file": file}, headers=org.headers)
    (line,) = await _logged(org)
    found = await org.get(f"{LOG}/{line['xRequestId']}")
    assert found["requestBody"] is None
    assert found["answerBody"]["fileName"] == "[redacted]"


async def test_the_end_of_the_service_loses_nothing(database: Database) -> None:
    house = wire(SETTINGS, database, Clock(lane=9))
    async with served(house) as client:
        org = await make_tenant(house, client)
        await _ping(org, 3)
    count = "select count(*) as count from request_log where org_id = $1"
    assert (await database.rows(count, org.org_id))[0]["count"] == 3


async def test_an_end_while_lines_are_being_written_loses_none(
    database: Database, org: Tenant
) -> None:
    log = RequestLog(database, Clock(lane=9), kept=timedelta(days=1))
    house = replace(org.house, request_log=log)
    is_held, may_write = asyncio.Event(), asyncio.Event()

    async def hold(tx: Tx) -> None:
        await tx.execute("lock table request_log in share mode")
        is_held.set()
        await may_write.wait()

    holding = asyncio.create_task(database.transact(hold))
    await is_held.wait()
    async with served(house) as client:
        asking = replace(org, house=house, client=client)
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
    kept = RequestLog(database, Clock(lane=9), kept=timedelta(days=1))
    assert not await kept.sweep([org.org_id])
    assert len(await _logged(org)) == 3
    gone = RequestLog(database, Clock(lane=9), kept=timedelta())
    assert await gone.sweep([org.org_id], limit=2)
    assert not await gone.sweep([org.org_id], limit=2)
    assert await _logged(org) == []


def test_nothing_listens_where_nothing_is_kept(house: House) -> None:
    off = wire(msgspec.structs.replace(SETTINGS, request_log_days=0), house.database, Clock(lane=9))
    assert not off.request_log.is_on
    assert build_app(house).middleware
    assert not build_app(off).middleware
