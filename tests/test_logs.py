"""Logs hold what we say, never what others say."""

import asyncio
import json
import logging
import sys
from collections.abc import Callable

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
