"""The API process on an existing database."""

import asyncio
import gc
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, Final, cast

import structlog
import uvicorn
from litestar.types import ASGIApp

from landbridge.app.container import make_key, open_container
from landbridge.app.prepared_application import PreparedApplication, application
from landbridge.app.process_lifecycle import on_signals, watching
from landbridge.app.settings import Settings
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.schema_watch import SchemaWatch
from landbridge.platform.formats.preload import warm_up
from landbridge.platform.http.bounded_reads import BoundedReads
from landbridge.platform.http.connection_admission import TrustedNetworks
from landbridge.platform.http.connection_limits import ConnectionLimits
from landbridge.platform.http.fair_semaphore import raise_descriptors

_log = structlog.stdlib.get_logger()

# Requests take milliseconds; after this time the process ends without waiting for more.
_GRACE_S = 20
# uvicorn's server ticks ten times a second.
_CHECK_TICKS = 10
# Time to read pending requests of accepted connections before idle ones are closed.
_READ_S = 0.1
# Python's default is 700: seven requests under load.
_GARBAGE_OBJECTS = 10_000
# Python's own figure is 10: a request in a cycle would wait for a million objects, with its body.
_YOUNGER_COLLECTIONS = 2


class ListenFailed(LandbridgeError):
    """The address can't be listened on."""


class ApiServer(uvicorn.Server):
    """uvicorn's server with a graceful shutdown and without its signal handlers.

    uvicorn's own handlers end the process by the caught signal, before we have closed our
    resources.
    """

    _has_signal = False

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Install no signal handlers."""
        yield

    def leave(self) -> None:
        """Handle a signal: finish requests in progress and end; on the second one, end at once."""
        self.force_exit = self._has_signal
        self._has_signal = True
        self.finish()

    def finish(self) -> None:
        """Finish requests in progress and end."""
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Once a second, close connections whose clients exceed their time limits."""
        if counter % _CHECK_TICKS == 0:
            now_s = asyncio.get_running_loop().time()
            for each in cast("list[ConnectionLimits]", list(self.server_state.connections)):
                each.check(now_s)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept pending connections, read their requests, then shut down as uvicorn does.

        Without this, uvicorn would close connections whose first request is still arriving.
        """
        listening = [sock.dup() for sock in sockets or []]
        for server in self.servers:
            server.close()
        for sock in sockets or []:
            sock.close()
        # uvloop closes sockets in its next iteration.
        await asyncio.sleep(0)
        for sock in listening:
            await self._accept(sock)
        await asyncio.sleep(_READ_S)
        await super().shutdown(sockets)

    async def _accept(self, sock: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        accepted: list[socket.socket] = []
        with sock, suppress(BlockingIOError):
            sock.setblocking(False)  # noqa: FBT003  the name of the call says which
            while True:
                accepted.append(sock.accept()[0])
        for each in accepted:
            each.setblocking(False)  # noqa: FBT003  as above
            await loop.connect_accepted_socket(self._protocol, each)

    def _protocol(self) -> asyncio.Protocol:
        protocol: Any = self.config.http_protocol_class
        return protocol(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


def listen(settings: Settings) -> socket.socket:
    """Return the listening socket; raises `ListenFailed` if the address is taken or not local."""
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


async def run_api(
    settings: Settings,
    dsn: str,
    sock: socket.socket,
    *,
    parent: int | None,
    prepared: PreparedApplication | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; requests in progress are answered first.

    Raises `SchemaNewer` if it ended because a newer version has migrated the database.
    """
    raise_descriptors()
    make_key(settings)
    stop = asyncio.Event()
    on_signals(stop.set)
    # Runs while the database is being connected.
    warming = asyncio.create_task(asyncio.to_thread(warm_up))
    async with open_container(settings, dsn, name="api", reads_on_standby=True) as container:
        container.due_notifier.start()
        app = application(container) if prepared is None else prepared.over(container)
        server = ApiServer(configured(app, settings))
        on_signals(server.leave)
        if stop.is_set():
            return
        schema = SchemaWatch(container.database)
        async with watching(parent, schema, server.finish):
            await warming
            spare_the_collector()
            await server.serve(sockets=[sock])
    schema.raise_if_newer()


def _connections(settings: Settings) -> Callable[..., asyncio.BaseProtocol]:
    exempt = TrustedNetworks(settings.proxies)

    def connection(**context: Any) -> BoundedReads:
        return BoundedReads(
            ConnectionLimits(
                **context,
                per_address=settings.connections_per_address,
                exempt=exempt,
                public_url=settings.base_url,
            )
        )

    return connection


# For a year, as the preload list asks at least; browsers heed it by https only.
_HSTS: Final = [("strict-transport-security", "max-age=31536000")]


def configured(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """Return the server configuration of an application."""
    return uvicorn.Config(
        cast("Any", app),
        http=cast("Any", _connections(settings)),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=_HSTS if settings.is_https else None,
        # Any client can send these headers, so they count only from the named proxies.
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=30,
        lifespan="on",
    )


def spare_the_collector() -> None:
    """Run the garbage collector a tenth as often, and exclude all objects that exist at the start.

    Requests create few cycles but many objects (measured: docs/internals/speed.md).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_OBJECTS, _YOUNGER_COLLECTIONS, _YOUNGER_COLLECTIONS)
