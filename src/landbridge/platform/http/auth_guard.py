"""Authentication guard: a route without `public=True` in its options requires a valid API key.

The key must have the scope that the application's table names for the route.

Dashboard pages call routes within this process (`internal_client`) for a signed-in member. The
member is in the ASGI scope, which no client can write.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from landbridge.platform.core.errors import KeyInvalid, KeyMissing, RoleNotAllowed
from landbridge.platform.http.authenticated import mark_authenticated
from landbridge.platform.http.caller import Caller, KeyScope, MemberRole, check_scope
from landbridge.platform.http.headers import header

_SCHEME = "bearer "
# Scope key of the caller of an internal request.
INSIDE = "landbridge.caller"


class RequestRateLimiter(Protocol):
    """Counts requests, and raises a `Refused` above the limit."""

    def count_caller(self, scope: Any, caller: Caller) -> None:
        """Count a request with a valid key."""
        ...

    def count_address(self, scope: Any) -> None:
        """Count a request without one."""
        ...


def auth_guard(
    authenticate: Callable[[str], Awaitable[Caller]],
    rates: Callable[[], RequestRateLimiter],
    needed_scope: Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], KeyScope],
) -> Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], Awaitable[None]]:
    """Litestar guard; `authenticate` raises `KeyInvalid` for an invalid key."""

    async def guard(
        connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
    ) -> None:
        if handler.opt.get("public"):
            if INSIDE not in connection.scope:
                rates().count_address(connection.scope)
            return
        if INSIDE in connection.scope:
            connection.scope["user"] = cast("dict[str, Any]", connection.scope)[INSIDE]
            check_looks_only(connection.scope["user"], handler, connection.scope["method"])
            return
        try:
            caller = await authenticate(bearer(connection.scope))
        except (KeyInvalid, KeyMissing):
            rates().count_address(connection.scope)
            raise
        connection.scope["user"] = caller
        mark_authenticated(connection.scope)
        rates().count_caller(connection.scope, caller)
        check_scope(caller, needed_scope(connection, handler))

    return guard


def bearer(scope: Any) -> str:
    """Return the token of `Authorization: Bearer`; raises `KeyMissing` without one."""
    value = header(scope, "authorization") or ""
    token = value[len(_SCHEME) :].strip()
    if not token or value[: len(_SCHEME)].lower() != _SCHEME:
        raise KeyMissing
    return token


def check_looks_only(caller: Caller, handler: BaseRouteHandler, method: str) -> None:
    """Raise `RoleNotAllowed` if an analyst requests more than a read.

    Services check the same; this check covers every route. Routes that change nothing, though they
    are not GET, have `looks=True` in their options.
    """
    is_analyst = caller.member is not None and caller.member.role is MemberRole.ANALYST
    if is_analyst and method not in {"GET", "HEAD"} and not handler.opt.get("looks"):
        raise RoleNotAllowed("an analyst may look, and change nothing")
