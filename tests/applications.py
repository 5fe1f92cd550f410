"""Application of a test process: to build one takes a second, so all containers share it."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from copy import copy
from functools import cache
from typing import Any, cast

from litestar import Litestar
from litestar.events import SimpleEventEmitter
from typing_extensions import override

from landbridge.app.api import build_app
from landbridge.app.container import Container
from landbridge.platform.http.direct_routes import DirectLitestar

_current: ContextVar[Container] = ContextVar("container of the running request")


class _CurrentContainer:
    """Container of the running request or lifespan."""

    def __getattr__(self, name: str) -> Any:
        return getattr(_current.get(), name)


class _Application(DirectLitestar):
    """Copy of the shared application that serves one container; it has the same routes."""

    _container: Container

    @classmethod
    def over(cls, container: Container) -> "_Application":
        """Return a copy of the shared application."""
        with _serving(container):
            shared = _shared(
                logs_requests=container.request_log.is_on, connections=container.settings.pool_size
            )
            found = cast("_Application", copy(shared))
        found.__class__ = cls
        found._container = container
        found.event_emitter = SimpleEventEmitter([])
        handle = found.asgi_handler

        async def serve(scope: Any, receive: Any, send: Any) -> None:
            with _serving(container):
                await handle(scope, receive, send)

        # What the framework handles by itself begins here.
        found.asgi_handler = serve
        return found

    @override
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        with _serving(self._container):
            await super().__call__(scope, receive, send)

    @override
    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        with _serving(self._container):
            async with super().lifespan():
                yield


def app_of(container: Container) -> Litestar:
    """Return the application over `container`."""
    return _Application.over(container)


@cache
def _shared(*, logs_requests: bool, connections: int) -> Litestar:
    """Return the application, by the container settings that its construction reads."""
    return build_app(cast("Any", _CurrentContainer()))


@contextmanager
def _serving(container: Container) -> Generator[None]:
    token = _current.set(container)
    try:
        yield
    finally:
        _current.reset(token)
