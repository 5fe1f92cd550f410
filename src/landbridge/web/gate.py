"""The gate: no route without `public=True` in its options is served without a valid key."""

from collections.abc import Awaitable, Callable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from landbridge.core.errors import KeyMissing
from landbridge.web.caller import Caller

_SCHEME = "bearer "


def gate(
    authenticate: Callable[[str], Awaitable[Caller]],
) -> Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], Awaitable[None]]:
    """A Litestar guard; `authenticate` raises `KeyInvalid` for a key that is not good."""

    async def guard(
        connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
    ) -> None:
        if handler.opt.get("public"):
            return
        header = connection.headers.get("authorization", "")
        key = header[len(_SCHEME) :].strip()
        if not key or header[: len(_SCHEME)].lower() != _SCHEME:
            raise KeyMissing
        connection.scope["user"] = await authenticate(key)

    return guard
