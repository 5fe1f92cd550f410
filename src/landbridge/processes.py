"""The two long-running processes: API and worker, each on a database that is there already."""

import asyncio
import gc
import os
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, cast

import structlog
import uvicorn
from litestar.types import ASGIApp

from landbridge import logs
from landbridge.app import build_app
from landbridge.core.errors import LandbridgeError
from landbridge.db.schema_watch import SchemaWatch
from landbridge.formats.warm import warm_up
from landbridge.settings import Settings
from landbridge.web.connections import Connection, connections_of
from landbridge.web.lookups import be_quick_about_names
from landbridge.web.observe import observe
from landbridge.web.places import raise_descriptors
from landbridge.wiring import make_key, open_house
from landbridge.worker import work

_log = structlog.stdlib.get_logger()

# A request of ours takes milliseconds; whatever is under way after this is not ours to wait for.
_GRACE_S = 20
_PARENT_EVERY_S = 1.0
# What a process sends its supervisor when a newer version has migrated the database.
OUTDATED = signal.SIGUSR1
# uvicorn's server ticks ten times a second.
_LOOK_TICKS = 10
# In which what was sent on an accepted connection is read, before the idle ones are closed.
_READ_S = 0.1
# Python's own figure is 700: seven requests under load.
_GARBAGE_OBJECTS = 10_000


def set_up_logs(settings: Settings) -> None:
    """JSON when nobody watches, a console otherwise, unless the setting says which."""
    is_json = settings.log_format == "json" or (settings.log_format is None and not os.isatty(2))
    logs.set_up(level=settings.log_level, is_json=is_json)


class ListenFailed(LandbridgeError):
    """The address can't be listened on."""


class Server(uvicorn.Server):
    """uvicorn, without its own signals and with a gentler end.

    Its own handlers end the process by the signal that they caught, before we have closed up.
    """

    _has_signal = False

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals alone."""
        yield

    def leave(self) -> None:
        """Handle a signal: answer what is under way and end; on the second one, end at once."""
        self.force_exit = self._has_signal
        self._has_signal = True
        self.finish()

    def finish(self) -> None:
        """Answer what is under way and end, for a reason of this process's own."""
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Once a second, end the connections whose clients take too long."""
        if counter % _LOOK_TICKS == 0:
            now_s = asyncio.get_running_loop().time()
            for each in cast("list[Connection]", list(self.server_state.connections)):
                each.look(now_s)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take what waits to be accepted, read what was sent, then end as uvicorn does.

        uvicorn closes connections that it has not read a request from, though one is on its way.
        """
        waiting = [sock.dup() for sock in sockets or []]
        for server in self.servers:
            server.close()
        for sock in sockets or []:
            sock.close()
        # uvloop closes in its next round.
        await asyncio.sleep(0)
        for sock in waiting:
            await self._take(sock)
        await asyncio.sleep(_READ_S)
        await super().shutdown(sockets)

    async def _take(self, sock: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        taken: list[socket.socket] = []
        with sock, suppress(BlockingIOError):
            sock.setblocking(False)  # noqa: FBT003  the name of the call says which
            while True:
                taken.append(sock.accept()[0])
        for each in taken:
            each.setblocking(False)  # noqa: FBT003  as above
            await loop.connect_accepted_socket(self._protocol, each)

    def _protocol(self) -> asyncio.Protocol:
        protocol: Any = self.config.http_protocol_class
        return protocol(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


def listen(settings: Settings) -> socket.socket:
    """The listening socket; raises `ListenFailed` if the address is taken or not ours."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((settings.host, settings.port))
        sock.listen(1024)
    except OSError as error:
        sock.close()
        raise ListenFailed(
            f"Can't listen on {settings.host}:{settings.port} ({error.strerror}). "
            f"Is another server there? Choose another port with --port."
        ) from error
    sock.set_inheritable(True)
    return sock


async def run_api(settings: Settings, dsn: str, sock: socket.socket, *, parent: int | None) -> None:
    """Serve until SIGTERM or SIGINT; requests under way are answered first.

    Raises `SchemaNewer` if it ended because a newer version has migrated the database.
    """
    raise_descriptors()
    make_key(settings)
    stop = asyncio.Event()
    _on_signals(stop.set)
    # While the database is connected to.
    warming = asyncio.create_task(asyncio.to_thread(warm_up))
    async with open_house(settings, dsn, name="api") as house:
        # Outermost, so that answers to unknown paths carry a request id too.
        server = Server(configured(observe(build_app(house)), settings))
        _on_signals(server.leave)
        if stop.is_set():
            return
        schema = SchemaWatch(house.database)
        async with _watching(parent, schema, server.finish):
            await warming
            _spare_the_collector()
            await server.serve(sockets=[sock])
    schema.raise_if_newer()


def _connections(settings: Settings) -> Callable[..., asyncio.BaseProtocol]:
    return connections_of(per_address=settings.connections_per_address, proxies=settings.proxies)


def configured(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """How an application is served."""
    return uvicorn.Config(
        cast("Any", app),
        http=cast("Any", _connections(settings)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # Anybody could write these headers, so they count from the proxies alone that are named.
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=30,
        lifespan="on",
    )


async def run_worker(settings: Settings, dsn: str, *, parent: int | None) -> None:
    """Work until SIGTERM or SIGINT; steps under way are finished first.

    Raises `SchemaNewer` if it ended because a newer version has migrated the database.
    """
    raise_descriptors()
    be_quick_about_names()
    make_key(settings)
    stop = asyncio.Event()
    _on_signals(stop.set)
    async with open_house(settings, dsn, name="worker") as house:
        schema = SchemaWatch(house.database)
        async with _watching(parent, schema, stop.set):
            await work(house, stop)
    schema.raise_if_newer()


@asynccontextmanager
async def _watching(
    parent: int | None, schema: SchemaWatch, finish: Callable[[], None]
) -> AsyncGenerator[None]:
    """Finish when the supervisor is gone or the schema is newer."""
    tasks = [
        asyncio.create_task(_watch(parent, finish)),
        asyncio.create_task(schema.run(lambda: _end(parent, finish))),
    ]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def _end(parent: int | None, finish: Callable[[], None]) -> None:
    """Have the supervisor stop all its processes in order; without one, finish alone."""
    if parent is not None and os.getppid() == parent:
        os.kill(parent, OUTDATED)
    else:
        finish()


def _on_signals(leave: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, leave)


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
