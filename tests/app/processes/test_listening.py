"""`landbridge listen` and `landbridge trigger` as programs, with a server that is restarted."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.app.processes.server_process import KEY, PATIENCE_S, Served, clean_environ, landbridge
from tests.sandbox.scenarios.receiver import Receiver, receiving

pytestmark = pytest.mark.long


@pytest.mark.long
async def test_events_are_forwarded_across_a_restart_of_the_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data", settings={"api_key": KEY})
    await asyncio.to_thread(server.start)
    try:
        async with receiving(Receiver()) as receiver, _listening(server, receiver, tmp_path):
            await _trigger(server, "USER.UPDATE")
            await _until(lambda: "USER.UPDATE" in _types(receiver))
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
            await _trigger(server, "ONRAMP.STATUS.COMPLETED")
            await _until(lambda: "ONRAMP.STATUS.COMPLETED" in _types(receiver))
        _, page = server.call("GET", "/v2/events?limit=100")
        listed = [each["eventId"] for each in page["records"]]
        # The last events may have occurred after the listener ended.
        forwarded = [each["eventId"] for each in _events(receiver)]
        assert forwarded == listed[: len(forwarded)]
    finally:
        await asyncio.to_thread(server.stop)


def test_a_key_is_needed(tmp_path: Path) -> None:
    completed = landbridge("trigger", "USER.CREATE", cwd=tmp_path)
    assert completed.returncode == 1
    assert "LANDBRIDGE_API_KEY" in completed.stderr


@pytest.mark.long
def test_a_server_is_needed(tmp_path: Path) -> None:
    completed = landbridge(
        *("trigger", "USER.CREATE", "--api-url", "http://127.0.0.1:9"), cwd=tmp_path, api_key=KEY
    )
    assert completed.returncode == 1
    assert completed.stderr.strip().endswith("does not answer; is the server running?")


@asynccontextmanager
async def _listening(server: Served, receiver: Receiver, folder: Path) -> AsyncGenerator[None]:
    """`landbridge listen`, ended as a person would end it."""
    key = folder / "key.pem"
    listener = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "landbridge", "listen", "--forward-to", receiver.url),
        *("--api-url", f"http://127.0.0.1:{server.port}", "--public-key-out", str(key)),
        env=clean_environ(api_key=KEY),
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=_restore_interrupts,
    )
    assert listener.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        while b"Listening" not in await listener.stdout.readline():
            assert not listener.stdout.at_eof()
    assert key.read_text().startswith("-----BEGIN PUBLIC KEY-----")
    yield
    listener.send_signal(signal.SIGINT)
    async with asyncio.timeout(PATIENCE_S):
        output, _ = await listener.communicate()
    assert listener.returncode == 0
    assert b"The server answers again." in output


def _restore_interrupts() -> None:
    """Restore interrupts as at a terminal; a shell's background processes ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def _trigger(server: Served, type_: str) -> None:
    completed = await asyncio.to_thread(
        landbridge,
        *("trigger", type_, "--api-url", f"http://127.0.0.1:{server.port}"),
        api_key=KEY,
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.startswith(type_)


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110  another program sends no event
            await asyncio.sleep(0.05)


def _types(receiver: Receiver) -> list[str]:
    return [each["eventType"] for each in _events(receiver)]


def _events(receiver: Receiver) -> list[Any]:
    return [msgspec.json.decode(each.body) for each in receiver.received]
