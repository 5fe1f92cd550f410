"""Tests run on the event loop of our servers."""

import asyncio

import uvloop


async def test_tests_run_on_the_event_loop_of_our_servers() -> None:
    # `tests/conftest.py` replaces a private fixture of pytest-asyncio, which may be renamed.
    assert isinstance(asyncio.get_running_loop(), uvloop.Loop)
