"""Entries of the request log middleware, and the bounds of its buffer."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from landbridge.developers.request_log.middleware import (
    BODY_BYTES_MAX,
    BufferBounds,
    RequestLogMiddleware,
)
from landbridge.developers.request_log.model import CapturedRequest
from landbridge.developers.request_log.service import RequestLog
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Busy
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller

ORG = uuid4()
BODY = b'{"amount": "1"}'


def make_scope(**changes: Any) -> dict[str, Any]:
    """Build a request after routing; without `user` its key is invalid."""
    return {
        "type": "http",
        "method": "POST",
        "path": "/v2/ping",
        "path_template": "/v2/ping",
        "path_params": {},
        "query_string": b"",
        "headers": [],
        "route_handler": SimpleNamespace(opt={}),
        "user": Caller(ORG, None, timedelta()),
        **changes,
    }


async def send_through(
    listener: RequestLogMiddleware,
    *chunks: bytes,
    answer: tuple[bytes, ...] = (BODY,),
    **changes: Any,
) -> list[Any]:
    """Pass a request through the middleware; return what reached the client."""
    waiting, sent = list(chunks or (BODY,)), list[Any]()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass
        if answer:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        for index, chunk in enumerate(answer, start=1):
            more = index < len(answer)
            await send({"type": "http.response.body", "body": chunk, "more_body": more})

    async def receive() -> Any:
        body = waiting.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = make_scope(**changes)
    await listener.listen(cast("Any", app), scope, cast("Any", receive), cast("Any", send))
    return sent


def lines(listener: RequestLogMiddleware, org_id: UUID = ORG) -> list[CapturedRequest]:
    """Return the buffered lines, and empty the buffer."""
    share = listener.take().get(org_id)
    return [] if share is None else share.lines


@pytest.fixture
def listener() -> RequestLogMiddleware:
    return RequestLogMiddleware(Clock(node=9), BufferBounds())


async def test_both_bodies_are_captured_completely(listener: RequestLogMiddleware) -> None:
    sent = await send_through(listener, b'{"a":', b"1}", answer=(b"[", b"2]"))
    assert [each.get("body") for each in sent] == [None, b"[", b"2]"]
    (captured,) = lines(listener)
    assert (captured.request_body, captured.response_body) == (b'{"a":1}', b"[2]")
    assert lines(listener) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"user": None},
        {"route_handler": SimpleNamespace(opt={"public": True})},
        {"path": "/v2/request-log/x"},
        {"type": "websocket"},
        {"answer": ()},
    ],
)
async def test_some_requests_are_not_captured(
    listener: RequestLogMiddleware, changes: dict[str, Any]
) -> None:
    await send_through(listener, **changes)
    assert lines(listener) == []


async def test_a_body_that_is_too_large_is_not_captured(listener: RequestLogMiddleware) -> None:
    half = b" " * (BODY_BYTES_MAX // 2)
    await send_through(listener, half, half, answer=(half, half, b" "))
    (captured,) = lines(listener)
    assert captured.request_body == half + half
    assert captured.response_body is None


async def test_beyond_the_bounds_there_are_lines_then_a_count() -> None:
    listener = RequestLogMiddleware(Clock(node=9), BufferBounds(bodies=2, lines=3))
    other = uuid4()
    for _ in range(5):
        await send_through(listener)
    await send_through(listener, user=Caller(other, None, timedelta()))
    recorded = listener.take()
    assert [each.request_body for each in recorded[ORG].lines] == [BODY, BODY, None]
    assert recorded[ORG].omitted_count == 2
    assert [each.request_body for each in recorded[other].lines] == [BODY]
    await send_through(listener)
    assert [each.request_body for each in lines(listener)] == [BODY]


async def test_an_organisation_has_bounds_on_average() -> None:
    bounds = BufferBounds(bodies=100, bodies_on_average=1, lines_on_average=2)
    listener = RequestLogMiddleware(Clock(node=9), bounds)
    bodies, line_count = 0, 0
    for _ in range(75):
        for _ in range(100):
            await send_through(listener)
        found = lines(listener)
        line_count += len(found)
        bodies += sum(each.request_body is not None for each in found)
    # Of an hour, and of the seconds that this took.
    assert 3_600 <= bodies < 3_700
    assert 7_200 <= line_count < 7_400
    await send_through(listener, user=Caller(uuid4(), None, timedelta()))
    assert sum(len(each.lines) for each in listener.take().values()) == 1


async def test_rates_of_idle_organisations_are_not_kept() -> None:
    bounds = BufferBounds(bodies_on_average=10_000, lines_on_average=10_000)
    listener = RequestLogMiddleware(Clock(node=9), bounds)
    for _ in range(3):
        await send_through(listener, user=Caller(uuid4(), None, timedelta()))
    await asyncio.sleep(0.001)
    listener.take()
    for name in ("_body_rates", "_line_rates"):
        assert not vars(vars(listener)[name])["_full_at_s"]


async def test_all_organisations_share_a_bound() -> None:
    listener = RequestLogMiddleware(Clock(node=9), BufferBounds(total=10))
    for _ in range(12):
        await send_through(listener, user=Caller(uuid4(), None, timedelta()))
    recorded = listener.take().values()
    assert sum(len(each.lines) for each in recorded) == 10
    assert sum(each.omitted_count for each in recorded) == 2


async def test_lines_have_distinct_timestamps(listener: RequestLogMiddleware) -> None:
    for _ in range(50):
        await send_through(listener)
    moments = [each.occurred_at for each in lines(listener)]
    assert moments == sorted(set(moments))


async def test_a_database_that_does_not_answer_loses_lines_and_nothing_else(
    logged: Callable[[], str],
) -> None:
    class Silent(Database):
        async def single(self, work: Any) -> Any:
            del work
            raise Busy

    log = RequestLog(Silent(cast("Any", None)), Clock(node=9), retention=timedelta(days=1))
    await send_through(log.listener)
    await log.flush()
    entry = json.loads(logged().splitlines()[-1])
    assert (entry["event"], entry["count"]) == ("request_log.left_out", 1)


async def test_the_last_line_counts_omitted_lines(database: Database) -> None:
    log = RequestLog(
        database, Clock(node=9), retention=timedelta(days=1), bounds=BufferBounds(lines=2)
    )
    org = "insert into orgs (id, name, created_at) values ($1, 'Test', $2)"
    await database.rows(org, ORG, Clock(node=9).now())
    for _ in range(5):
        await send_through(log.listener)
    await log.flush()
    select = "select omitted_count from request_log where org_id = $1 order by occurred_at"
    assert [row["omitted_count"] for row in await database.rows(select, ORG)] == [0, 3]
