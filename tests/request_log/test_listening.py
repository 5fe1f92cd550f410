"""What is heard while requests go by, and the bounds of the heap."""

import json
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from landbridge.core.clock import Clock
from landbridge.core.errors import Busy
from landbridge.db.pool import Database
from landbridge.request_log.listening import BODY_BYTES_MAX, Bounds, Listener
from landbridge.request_log.model import Heard
from landbridge.request_log.service import RequestLog
from landbridge.web.caller import Caller

ORG = uuid4()
BODY = b'{"amount": "1"}'


def make_scope(**changes: Any) -> dict[str, Any]:
    """A request behind the router; no `user` is one whose key is not good."""
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


async def ask(
    listener: Listener, *chunks: bytes, answer: tuple[bytes, ...] = (BODY,), **changes: Any
) -> list[Any]:
    """Let a request go by; what reached the client."""
    waiting, sent = list(chunks or (BODY,)), list[Any]()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass
        if answer:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        for place, chunk in enumerate(answer, start=1):
            more = place < len(answer)
            await send({"type": "http.response.body", "body": chunk, "more_body": more})

    async def receive() -> Any:
        body = waiting.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = make_scope(**changes)
    await listener.listen(cast("Any", app), scope, cast("Any", receive), cast("Any", send))
    return sent


def lines(listener: Listener, org_id: UUID = ORG) -> list[Heard]:
    """What is on the heap, which is then empty."""
    share = listener.take().get(org_id)
    return [] if share is None else share.lines


@pytest.fixture
def listener() -> Listener:
    return Listener(Clock(lane=9), Bounds())


async def test_both_bodies_are_heard_whole(listener: Listener) -> None:
    sent = await ask(listener, b'{"a":', b"1}", answer=(b"[", b"2]"))
    assert [each.get("body") for each in sent] == [None, b"[", b"2]"]
    (heard,) = lines(listener)
    assert (heard.request_body, heard.answer_body) == (b'{"a":1}', b"[2]")
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
async def test_some_requests_are_not_heard(listener: Listener, changes: dict[str, Any]) -> None:
    await ask(listener, **changes)
    assert lines(listener) == []


async def test_a_body_that_is_too_large_is_not_heard(listener: Listener) -> None:
    half = b" " * (BODY_BYTES_MAX // 2)
    await ask(listener, half, half, answer=(half, half, b" "))
    (heard,) = lines(listener)
    assert heard.request_body == half + half
    assert heard.answer_body is None


async def test_beyond_the_bounds_there_are_lines_then_a_count() -> None:
    listener = Listener(Clock(lane=9), Bounds(bodies=2, lines=3))
    other = uuid4()
    for _ in range(5):
        await ask(listener)
    await ask(listener, user=Caller(other, None, timedelta()))
    taken = listener.take()
    assert [each.request_body for each in taken[ORG].lines] == [BODY, BODY, None]
    assert taken[ORG].left_out == 2
    assert [each.request_body for each in taken[other].lines] == [BODY]
    await ask(listener)
    assert [each.request_body for each in lines(listener)] == [BODY]


async def test_all_organisations_share_a_bound() -> None:
    listener = Listener(Clock(lane=9), Bounds(heap=10))
    for _ in range(12):
        await ask(listener, user=Caller(uuid4(), None, timedelta()))
    taken = listener.take().values()
    assert sum(len(each.lines) for each in taken) == 10
    assert sum(each.left_out for each in taken) == 2


async def test_moments_tell_lines_apart(listener: Listener) -> None:
    for _ in range(50):
        await ask(listener)
    moments = [each.at for each in lines(listener)]
    assert moments == sorted(set(moments))


async def test_a_database_that_does_not_answer_loses_lines_and_nothing_else(
    logged: Callable[[], str],
) -> None:
    class Silent(Database):
        async def single(self, work: Any) -> Any:
            del work
            raise Busy

    log = RequestLog(Silent(cast("Any", None)), Clock(lane=9), kept=timedelta(days=1))
    await ask(log.listener)
    await log.flush()
    told = json.loads(logged().splitlines()[-1])
    assert (told["event"], told["count"]) == ("request_log.left_out", 1)


async def test_what_is_left_out_stands_on_the_last_line(database: Database) -> None:
    kept = RequestLog(database, Clock(lane=9), kept=timedelta(days=1), bounds=Bounds(lines=2))
    org = "insert into orgs (id, name, created_at) values ($1, 'Test', $2)"
    await database.rows(org, ORG, Clock(lane=9).now())
    for _ in range(5):
        await ask(kept.listener)
    await kept.flush()
    select = "select left_out from request_log where org_id = $1 order by at"
    assert [row["left_out"] for row in await database.rows(select, ORG)] == [0, 3]
