"""The gate: no route without `public=True` in its options is served without a valid key.

Pages of ours ask routes within this process (`web.inside`), for a member who signed in: who that is
stands in the scope, where nobody outside can put anything.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast

from litestar.connection import ASGIConnection
from litestar.datastructures import Headers
from litestar.handlers.base import BaseRouteHandler

from landbridge.core.errors import KeyInvalid, KeyMissing, RoleNotAllowed
from landbridge.web.caller import Caller, Role
from landbridge.web.known import mark_known

_SCHEME = "bearer "
# Where the scope of a request from within names its caller.
INSIDE = "landbridge.caller"


class Rates(Protocol):
    """What counts requests, and raises a `Refused` for one too many."""

    def take_of_caller(self, scope: Any, caller: Caller) -> None:
        """Count a request with a valid key."""
        ...

    def take_of_address(self, scope: Any) -> None:
        """Count a request without one."""
        ...


def gate(
    authenticate: Callable[[str], Awaitable[Caller]], rates: Callable[[], Rates]
) -> Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], Awaitable[None]]:
    """A Litestar guard; `authenticate` raises `KeyInvalid` for a key that is not good."""

    async def guard(
        connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
    ) -> None:
        if handler.opt.get("public"):
            if INSIDE not in connection.scope:
                rates().take_of_address(connection.scope)
            return
        if INSIDE in connection.scope:
            connection.scope["user"] = cast("dict[str, Any]", connection.scope)[INSIDE]
            check_looks_only(connection.scope["user"], handler, connection.scope["method"])
            return
        try:
            caller = await authenticate(bearer(connection.headers))
        except (KeyInvalid, KeyMissing):
            rates().take_of_address(connection.scope)
            raise
        connection.scope["user"] = caller
        mark_known(connection.scope)
        rates().take_of_caller(connection.scope, caller)

    return guard


def bearer(headers: Headers) -> str:
    """The token of `Authorization: Bearer`; raises `KeyMissing` without one."""
    header = headers.get("authorization", "")
    token = header[len(_SCHEME) :].strip()
    if not token or header[: len(_SCHEME)].lower() != _SCHEME:
        raise KeyMissing
    return token


def check_looks_only(caller: Caller, handler: BaseRouteHandler, method: str) -> None:
    """Raise `RoleNotAllowed` where an analyst asks for more than a look.

    Services say the same; here nothing is forgotten. Routes that change nothing, though they are
    not GET, have `looks=True` in their options.
    """
    is_analyst = caller.member is not None and caller.member.role is Role.ANALYST
    if is_analyst and method not in {"GET", "HEAD"} and not handler.opt.get("looks"):
        raise RoleNotAllowed("an analyst may look, and change nothing")
