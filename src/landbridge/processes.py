"""The two long-running processes: API and worker, each on a database that is there already."""

import asyncio
import gc
import os
import signal
import socket
from collections.abc import Callable

import structlog
import uvicorn

from landbridge import logs
from landbridge.app import build_app
from landbridge.settings import Settings
from landbridge.web.observe import observe
from landbridge.wiring import open_house
from landbridge.worker import work

_log = structlog.stdlib.get_logger()

# A request of ours takes milliseconds; whatever is under way after this is not ours to wait for.
_GRACE_S = 20
_PARENT_EVERY_S = 1.0
# Python's own figure is 700: seven requests under load.
_GARBAGE_OBJECTS = 10_000


def set_up_logs(settings: Settings) -> None:
    """JSON when nobody watches, a console otherwise, unless the setting says which."""
    is_json = settings.log_format == "json" or (settings.log_format is None and not os.isatty(2))
    logs.set_up(level=settings.log_level, is_json=is_json)


def listen(settings: Settings) -> socket.socket:
    """The listening socket; raises OSError if the address is taken."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((settings.host, settings.port))
    sock.listen(1024)
    sock.set_inheritable(True)
    return sock


async def run_api(settings: Settings, dsn: str, sock: socket.socket, *, parent: int | None) -> None:
    """Serve until SIGTERM or SIGINT; requests under way are answered first."""
    async with open_house(settings, dsn, name="api") as house:
        config = uvicorn.Config(
            # Outermost, so that answers to unknown paths carry a request id too.
            observe(build_app(house)),
            http="httptools",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
            timeout_keep_alive=30,
            lifespan="on",
        )
        server = uvicorn.Server(config)

        def leave() -> None:
            server.should_exit = True

        watching = asyncio.create_task(_watch(parent, leave))
        _spare_the_collector()
        await server.serve(sockets=[sock])
        watching.cancel()


async def run_worker(settings: Settings, dsn: str, *, parent: int | None) -> None:
    """Work until SIGTERM or SIGINT; steps under way are finished first."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with open_house(settings, dsn, name="worker") as house:
        watching = asyncio.create_task(_watch(parent, stop.set))
        await work(house, stop)
        watching.cancel()


def _spare_the_collector() -> None:
    """Collect cycles a tenth as often, and never walk what is there from the start.

    Requests make hardly any cycles, but many objects (measured: docs/internals/speed.md).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_OBJECTS)


async def _watch(parent: int | None, leave: Callable[[], None]) -> None:
    """Leave when the supervisor is gone: nobody would stop or restart us any more."""
    while parent is not None and os.getppid() == parent:  # noqa: ASYNC110  the kernel sends no event
        await asyncio.sleep(_PARENT_EVERY_S)
    if parent is not None:
        _log.warning("process.orphaned", pid=os.getpid())
        leave()
