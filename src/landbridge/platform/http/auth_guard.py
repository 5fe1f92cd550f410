"""Authentication guard: a route without `public=True` in its options requires a valid API key.

The key must have the scope that the application's table names for the route. It must still be valid
when the body has arrived and the request has its concurrency slot: a client may take minutes to
send a body.

Dashboard pages call routes within this process (`internal_client`) for a signed-in member. The
member is in the ASGI scope, which no client can write.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, cast

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler

from landbridge.platform.core.errors import KeyInvalid, KeyMissing, RoleNotAllowed
from landbridge.platform.http.authenticated import mark_authenticated
from landbridge.platform.http.caller import Caller, KeyScope, MemberRole, check_scope
from landbridge.platform.http.headers import header

_SCHEME = "bearer "
# Scope key under which an internal request has its caller.
INSIDE = "landbridge.caller"
# Scope key of the monotonic time at which a key was authenticated.
_AUTHENTICATED_AT: Final = "landbridge.authenticated_at"
# Scope key of the check for requests that waited; routes that read their bodies themselves call it.
_CHECK_WAITED: Final = "landbridge.check_waited"
# A key is authenticated again if the request waited longer than this; most wait a few milliseconds.
STALE_AFTER_S: Final = 1.0

AnyConnection = ASGIConnection[Any, Any, Any, Any]
Authenticate = Callable[[str], Awaitable[Caller]]
NeededScope = Callable[[AnyConnection, BaseRouteHandler], KeyScope]


class RequestRateLimiter(Protocol):
    """Counts requests; raises a `Refused` above the limit."""

    def count_caller(self, scope: Any, caller: Caller) -> None:
        """Count a request with a valid key."""
        ...

    def count_address(self, scope: Any) -> None:
        """Count a request without a valid key."""
        ...


def auth_guard(
    authenticate: Authenticate, rates: Callable[[], RequestRateLimiter], needed_scope: NeededScope
) -> Callable[[AnyConnection, BaseRouteHandler], Awaitable[None]]:
    """Return the guard for Litestar; `authenticate` raises `KeyInvalid` for an invalid key."""

    async def guard(connection: AnyConnection, handler: BaseRouteHandler) -> None:
        if handler.opt.get("public"):
            if INSIDE not in connection.scope:
                rates().count_address(connection.scope)
            return
        if INSIDE in connection.scope:
            connection.scope["user"] = cast("dict[str, Any]", connection.scope)[INSIDE]
            check_read_only(connection.scope["user"], handler, connection.scope["method"])
            return
        try:
            caller = await authenticate(bearer(connection.scope))
        except (KeyInvalid, KeyMissing):
            rates().count_address(connection.scope)
            raise
        connection.scope["user"] = caller
        cast("dict[str, Any]", connection.scope)[_AUTHENTICATED_AT] = time.monotonic()
        mark_authenticated(connection.scope)
        rates().count_caller(connection.scope, caller)
        check_scope(caller, needed_scope(connection, handler))

    return guard


def waited_guard(
    authenticate: Authenticate, needed_scope: NeededScope
) -> Callable[[AnyConnection], Awaitable[None]]:
    """Return a check of requests that are about to be handled, after body and queue.

    A request that waited longer than `STALE_AFTER_S` is authenticated again, so that a revoked key
    or a frozen organisation takes effect. Raises the errors of `auth_guard`.
    """

    async def check(request: AnyConnection) -> None:
        scope = cast("dict[str, Any]", request.scope)
        at_s = scope.get(_AUTHENTICATED_AT)
        if at_s is None:
            return
        scope[_CHECK_WAITED] = check
        if time.monotonic() - at_s < STALE_AFTER_S:
            return
        caller = await authenticate(bearer(request.scope))
        request.scope["user"] = caller
        check_scope(caller, needed_scope(request, request.route_handler))

    return check


async def check_after_body(request: AnyConnection) -> None:
    """Check a request once more after its handler has read the body; see `waited_guard`."""
    check = cast("dict[str, Any]", request.scope).get(_CHECK_WAITED)
    if check is not None:
        await check(request)


def bearer(scope: Any) -> str:
    """Return the token of `Authorization: Bearer`; raises `KeyMissing` without one."""
    value = header(scope, "authorization") or ""
    token = value[len(_SCHEME) :].strip()
    if not token or value[: len(_SCHEME)].lower() != _SCHEME:
        raise KeyMissing
    return token


def check_read_only(caller: Caller, handler: BaseRouteHandler, method: str) -> None:
    """Raise `RoleNotAllowed` if an analyst requests more than a read.

    Services check the same; this check covers every route. Routes other than GET that change
    nothing have `is_read=True` in their options.
    """
    is_analyst = caller.member is not None and caller.member.role is MemberRole.ANALYST
    if is_analyst and method not in {"GET", "HEAD"} and not handler.opt.get("is_read"):
        raise RoleNotAllowed("an analyst may look, and change nothing")
