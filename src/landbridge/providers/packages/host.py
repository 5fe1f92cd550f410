"""Process of a package: loads the package, and serves it to the parent process.

Guarantees:
- it has the settings of its package and none of ours: they arrive on standard input, and the
  environment is an allow-list (`process.py`);
- it ends when the parent process has ended;
- it ends when a call has blocked its event loop for too long; the next call starts it again.
"""

import asyncio
import os
import resource
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import structlog

from landbridge.platform import logs
from landbridge.platform.core.clock import ReadingClock
from landbridge.providers.packages.discovery import ProviderPackageFailed
from landbridge.providers.packages.interface import PackageSettings
from landbridge.providers.packages.loading import load_package
from landbridge.providers.packages.server import PackageServer
from landbridge.providers.packages.verbs import served_verbs
from landbridge.providers.sidecar.signing import SigningSecret

_log = structlog.stdlib.get_logger()

# An event loop that is blocked for this many call timeouts is assumed to be blocked for ever.
_BLOCKED_TIMEOUTS = 2
_BLOCKED_S_MIN = 5
_BLOCKED_EXIT = 75
_TICK_S = 1
# First file descriptor after standard input, output and error.
_FIRST_OTHER_FILE = 3


class PackageStart(msgspec.Struct, frozen=True, kw_only=True):
    """First line of standard input: the settings of the package. Contains secrets."""

    provider: str
    package: str
    options: Mapping[str, Any]
    secrets: Mapping[str, str]
    key_id: str
    key: str
    timeout_s: int

    def __repr__(self) -> str:
        return f"PackageStart({self.provider})"


class PackageStarted(msgspec.Struct, frozen=True, kw_only=True):
    """First line of standard output: the port and the names of the verbs, or an error."""

    port: int | None = None
    serves: tuple[str, ...] = ()
    never_run_live: bool = False
    error: str | None = None


def main() -> None:
    """Serve until standard input is closed."""
    _close_inherited()
    # Redirect what the package prints to standard error.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for number in (signal.SIGTERM, signal.SIGINT):
        # Signals go to the whole process group; this process ends with its parent, after the last
        # call.
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logs.set_up(level="info", is_json=not os.isatty(2))
    start = msgspec.json.decode(sys.stdin.buffer.readline(), type=PackageStart)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asyncio.run(_run(start, output))


def _close_inherited() -> None:
    """Close all files but standard input, output and error.

    uvloop, on which our servers run, leaves inheritable files open in the processes that it starts.
    The files are listed, because the limit of open files may be a billion.
    """
    for number in [int(each.name) for each in Path("/dev/fd").iterdir()]:
        if number >= _FIRST_OTHER_FILE:
            with suppress(OSError):  # the listing itself used one of these descriptors
                os.close(number)


def _end_with_parent() -> None:
    # Not sys.stdin: Python can't exit in order while a thread holds its lock.
    while os.read(0, 1):
        pass
    os._exit(0)


async def _run(start: PackageStart, output: BinaryIO) -> None:
    try:
        package, description = await load_package(
            start.package,
            PackageSettings(name=start.provider, options=start.options, secrets=start.secrets),
        )
    except ProviderPackageFailed as failed:
        _write(output, PackageStarted(error=str(failed)))
        return
    server = PackageServer(
        start.provider,
        package,
        served_verbs(package),
        SigningSecret(start.key_id, start.key.encode()),
        start.timeout_s,
        ReadingClock(),
    )
    port = await server.listen()
    started = PackageStarted(
        port=port, serves=tuple(server.serves), never_run_live=description.never_run_live
    )
    _write(output, started)
    await _keep_alive(max(start.timeout_s * _BLOCKED_TIMEOUTS, _BLOCKED_S_MIN))


def _write(output: BinaryIO, message: PackageStarted) -> None:
    output.write(msgspec.json.encode(message) + b"\n")
    output.close()


async def _keep_alive(blocked_s: int) -> None:
    """Tick for ever; a thread ends the process if the ticks stop for `blocked_s` seconds."""
    ticked = threading.Event()

    def watch() -> None:
        while ticked.wait(blocked_s):
            ticked.clear()
        _log.error("provider.package_blocked", reason="a call blocked the event loop")
        os._exit(_BLOCKED_EXIT)

    threading.Thread(target=watch, daemon=True).start()
    while True:
        ticked.set()
        await asyncio.sleep(_TICK_S)


if __name__ == "__main__":
    main()
