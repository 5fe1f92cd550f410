"""Logs hold what we say, never what others say."""

import asyncio
import json
import logging
import sys
from collections.abc import Callable

import pytest
import structlog

MARK = "ada@example.com"


def _line(logged: Callable[[], str], event: str) -> dict[str, object]:
    lines = [json.loads(each) for each in logged().splitlines()]
    return next(each for each in lines if each["event"] == event)


def test_a_library_is_named_but_not_quoted(logged: Callable[[], str]) -> None:
    logging.getLogger("asyncpg").error("the row (%s) is there", MARK, exc_info=ValueError(MARK))
    line = _line(logged, "library.said")
    assert str(line["reason"]).startswith("asyncpg test_logs.py:")
    assert line["level"] == "error"
    assert str(line["exception"]).startswith("ValueError at ")
    assert MARK not in logged()


async def test_a_task_that_nobody_asked_about_is_told_of_without_its_message(
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


def test_the_end_of_a_process_is_told_without_the_message(logged: Callable[[], str]) -> None:
    sys.excepthook(ValueError, ValueError(MARK), None)
    assert str(_line(logged, "process.crashed")["exception"]).startswith("ValueError")
    assert MARK not in logged()


def test_of_what_failed_together_each_is_told(logged: Callable[[], str]) -> None:
    def fail() -> None:
        raise KeyError(MARK)

    with pytest.raises(KeyError) as raised:
        fail()
    inner = ExceptionGroup(MARK, [raised.value, OSError(MARK)])
    many = ExceptionGroup(MARK, [inner, *(ValueError(MARK) for _ in range(100))])
    structlog.stdlib.get_logger().error("test.failed", exc_info=many)
    told = str(_line(logged, "test.failed")["exception"]).split("; because ")
    assert [each.partition(" ")[0] for each in told][:3] == ["ExceptionGroup"] * 2 + ["ValueError"]
    assert len(told) == 6
    structlog.stdlib.get_logger().error("test.failed_inside", exc_info=inner)
    told = str(_line(logged, "test.failed_inside")["exception"]).split("; because ")
    assert [each.partition(" ")[0] for each in told] == ["ExceptionGroup", "KeyError", "OSError"]
    assert "fail" in told[1]
    assert MARK not in logged()
