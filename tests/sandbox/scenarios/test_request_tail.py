"""`landbridge logs tail`: each request once, also one that the log shows late."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from landbridge.sandbox.scenarios.client import ScenarioClient, ScenarioFailed
from landbridge.sandbox.scenarios.request_tail import RequestTail

BEGIN = datetime(2026, 1, 5, 12, tzinfo=UTC)


class LogOfRequests:
    """A request log of a server, newest first, in pages of two."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def add(self, second: float, path: str = "/v2/users") -> str:
        name = f"request-{len(self.requests)}"
        self.requests.append(
            {
                "xRequestId": name,
                "at": (BEGIN + timedelta(seconds=second)).isoformat(),
                "method": "GET",
                "path": path,
                "status": 200,
                "milliseconds": 1.5,
            }
        )
        return name

    async def send(
        self, method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        del method, content, headers
        query = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        found = sorted(self.requests, key=lambda each: each["at"], reverse=True)
        if (after := query.get("createdAfter")) is not None:
            found = [each for each in found if each["at"] >= after]
        if (before := query.get("createdBefore")) is not None:
            found = [each for each in found if each["at"] < before]
        size = min(int(query["limit"]), 2)
        page: dict[str, Any] = {"requests": found[:size], "count": len(found[:size])}
        if len(found) > size:
            page["nextCursor"] = found[size - 1]["at"]
        return 200, msgspec.json.encode(page)


def _tail(log: LogOfRequests) -> tuple[RequestTail, list[str]]:
    printed: list[str] = []
    return RequestTail(ScenarioClient(log.send), {}, printed.append), printed


async def test_only_new_requests_are_printed_oldest_first() -> None:
    log = LogOfRequests()
    log.add(0)
    tail, printed = _tail(log)
    await tail.begin()
    names = [log.add(second) for second in (1, 2, 3, 4, 5)]
    log.add(6, path="/v2/request-log?limit=1")
    await tail.print_new()
    await tail.print_new()
    assert [line.rsplit("  ", 1)[1] for line in printed] == names


async def test_what_a_terminal_would_obey_is_not_printed() -> None:
    log = LogOfRequests()
    tail, printed = _tail(log)
    await tail.begin()
    log.add(1, path="/v2/\x1b]0;title\x07\x9b2J\n")
    await tail.print_new()
    assert [line.split("  ")[2] for line in printed] == [
        "GET /v2/\ufffd]0;title\ufffd\ufffd2J\ufffd"
    ]


async def test_refusal_of_a_server_is_shown_without_control_characters() -> None:
    async def send(*_: object, **__: object) -> tuple[int, bytes]:
        return 400, msgspec.json.encode({"errorDetails": "no \x1b[31mred"})

    with pytest.raises(ScenarioFailed, match="answered with 400: no \ufffd\\[31mred"):
        await ScenarioClient(send).get("/v2/ping")


async def test_request_that_appears_late_is_printed_once() -> None:
    log = LogOfRequests()
    tail, printed = _tail(log)
    await tail.begin()
    first = log.add(10)
    await tail.print_new()
    late = log.add(7)
    await tail.print_new()
    await tail.print_new()
    assert [line.rsplit("  ", 1)[1] for line in printed] == [first, late]
