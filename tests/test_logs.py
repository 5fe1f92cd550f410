"""Logs contain our own texts, never texts of others."""

import ast
import asyncio
import json
import logging
import sys
from collections.abc import Callable

import pytest
import structlog

from landbridge.platform.logs import FIELDS
from tests.sources import sources

MARK = "ada@example.com"


def _line(logged: Callable[[], str], event: str) -> dict[str, object]:
    lines = [json.loads(each) for each in logged().splitlines()]
    return next(each for each in lines if each["event"] == event)


def test_every_field_of_a_log_call_is_written() -> None:
    """Fields that are not on the allow-list are dropped silently."""
    dropped = [
        f"{source.name}:{call.lineno} {keyword.arg}"
        for source in sources("src")
        if "_log." in source.text
        for call in source.nodes
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("_log.")
        for keyword in call.keywords
        if keyword.arg not in FIELDS | {"exc_info", None}
    ]
    assert dropped == []


def test_a_library_is_named_but_not_quoted(logged: Callable[[], str]) -> None:
    logging.getLogger("asyncpg").error("the row (%s) is there", MARK, exc_info=ValueError(MARK))
    line = _line(logged, "library.said")
    assert str(line["reason"]).startswith("asyncpg test_logs.py:")
    assert line["level"] == "error"
    assert str(line["exception"]).startswith("ValueError at ")
    assert MARK not in logged()


async def test_an_unawaited_task_failure_is_logged_without_its_message(
    logged: Callable[[], str],
) -> None:
    async def fail() -> None:
        raise ValueError(MARK)

    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del task
    assert str(_line(logged, "library.said")["reason"]).startswith("asyncio ")
    assert MARK not in logged()


def test_a_process_crash_is_logged_without_the_message(logged: Callable[[], str]) -> None:
    sys.excepthook(ValueError, ValueError(MARK), None)
    assert str(_line(logged, "process.crashed")["exception"]).startswith("ValueError")
    assert MARK not in logged()


def test_each_failure_of_a_group_is_logged(logged: Callable[[], str]) -> None:
    def fail() -> None:
        raise KeyError(MARK)

    with pytest.raises(KeyError) as raised:
        fail()
    inner = ExceptionGroup(MARK, [raised.value, OSError(MARK)])
    many = ExceptionGroup(MARK, [inner, *(ValueError(MARK) for _ in range(100))])
    structlog.stdlib.get_logger().error("test.failed", exc_info=many)
    causes = str(_line(logged, "test.failed")["exception"]).split("; because ")
    assert [each.partition(" ")[0] for each in causes][:3] == ["ExceptionGroup"] * 2 + [
        "ValueError"
    ]
    assert len(causes) == 6
    structlog.stdlib.get_logger().error("test.failed_inside", exc_info=inner)
    causes = str(_line(logged, "test.failed_inside")["exception"]).split("; because ")
    assert [each.partition(" ")[0] for each in causes] == ["ExceptionGroup", "KeyError", "OSError"]
    assert "fail" in causes[1]
    assert MARK not in logged()
