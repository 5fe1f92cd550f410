"""Direct routes: requests to /v2 reach their handlers without the framework's own steps.

At start, every handler under /v2 is compiled from what the framework knows of it: guards, checks
before the request, parameters, dependencies, middleware and exception handlers. A request then runs
these, and nothing else. What is unusual (an unknown path, another method, an odd path or host) goes
through the framework as before. The OpenAPI document is the framework's.

Guarantees:
- the response of a direct route equals the framework's: status, headers and body
  (tests/contract/test_direct_routes.py sends every route both ways);
- a handler with a parameter that is not understood here fails at start, never at a request.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, cast

from litestar import Litestar, MediaType, Request, Response
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import HeaderParameter, QueryParameter
from litestar.routes import HTTPRoute
from litestar.types import ASGIApp, Receive, Scope, Send
from litestar.types.empty import Empty
from litestar.typing import FieldDefinition
from typing_extensions import override

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.http.list_query import AnyRequest
from landbridge.platform.http.request_decoding import RequestDecoder
from landbridge.platform.http.responses import encode

_PREFIX: Final = "/v2/"
# Hosts that the framework accepts too; the framework answers any other.
_HOST: Final = re.compile(rb"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?")
_BODILESS_STATUS: Final = frozenset({204, 304})

Bind: TypeAlias = Callable[[AnyRequest], Any]


class _Match(NamedTuple):
    run: ASGIApp
    handler: HTTPRouteHandler
    template: str
    path_params: Mapping[str, str]


class _Node:
    """Segment of paths: the segments that may follow, and the handlers of a path that ends here."""

    __slots__ = ("by_method", "by_segment", "parameter")

    def __init__(self) -> None:
        self.by_segment: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        # By method: handler, template and names of path parameters.
        self.by_method: dict[str, tuple[ASGIApp, HTTPRouteHandler, str, tuple[str, ...]]] = {}


class DirectLitestar(Litestar):
    """A Litestar application whose routes under /v2 are direct."""

    _root: _Node | None = None

    def compile_routes(self) -> int:
        """Compile direct routes for the handlers under /v2; return the number of routes."""
        self._root = _compile(self)
        return _count(self._root)

    @override
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        match = self._find(scope) if scope["type"] == "http" else None
        if match is None:
            await super().__call__(scope, receive, send)
            return
        scope["app"] = scope["litestar_app"] = self
        scope["route_handler"] = match.handler
        scope["path_template"] = match.template
        scope["path_params"] = match.path_params
        await match.run(scope, receive, send)

    def _find(self, scope: Any) -> _Match | None:
        """Return the match for a request; None if the framework should answer it."""
        path: str = scope["path"]
        if self._root is None or not path.startswith(_PREFIX):
            return None
        if scope.get("root_path") or not _has_plain_host(scope):
            return None
        node, values = self._root, cast("list[str]", [])
        for segment in path[len(_PREFIX) :].split("/"):
            following = node.by_segment.get(segment)
            if following is None:
                following = node.parameter
                if following is None or not segment:
                    return None
                values.append(segment)
            node = following
        found = node.by_method.get(scope["method"])
        if found is None:
            return None
        run, handler, template, names = found
        return _Match(run, handler, template, dict(zip(names, values, strict=True)))


def _has_plain_host(scope: Any) -> bool:
    for name, value in scope["headers"]:
        if name == b"host":
            return _HOST.fullmatch(value) is not None
    return True


def _compile(app: Litestar) -> _Node:
    root = _Node()
    for route in app.routes:
        if not isinstance(route, HTTPRoute) or not route.path_format.startswith(_PREFIX):
            continue
        node, names = root, cast("list[str]", [])
        for component in route.path_components[1:]:
            if isinstance(component, str):
                node = node.by_segment.setdefault(component, _Node())
                continue
            if component.type is not str:
                raise InvariantBroken(f"{route.path_format}: path parameters are texts")
            names.append(component.name)
            node.parameter = node = node.parameter or _Node()
        for handler in route.route_handlers:
            for method in handler.http_methods - {"OPTIONS"}:
                node.by_method[method] = (
                    _in_middleware(handler, _run(handler, frozenset(names))),
                    handler,
                    route.path_format,
                    tuple(names),
                )
    return root


def _count(node: _Node) -> int:
    following = [*node.by_segment.values(), *([node.parameter] if node.parameter else [])]
    return len(node.by_method) + sum(map(_count, following))


def _in_middleware(handler: HTTPRouteHandler, run: ASGIApp) -> ASGIApp:
    """Wrap a handler in its middleware, the first one outermost."""
    for middleware in reversed(handler.resolve_middleware()):
        run = cast("Callable[[ASGIApp], ASGIApp]", middleware)(run)
    return run


def _run(handler: Any, path_names: frozenset[str]) -> ASGIApp:
    """Compile a handler to an ASGI application that answers one request, including errors."""
    respond = _respond(handler, path_names)
    handlers: Mapping[type[Exception], Callable[[AnyRequest, Exception], Any]]
    handlers = handler.resolve_exception_handlers()

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        request: AnyRequest = Request(cast("Any", scope), receive, send)
        try:
            result = await respond(request)
        except Exception as error:  # noqa: BLE001  `Exception` has a handler
            kind = next(each for each in type(error).__mro__ if each in handlers)
            response = handlers[kind](request, error)
            await response.to_asgi_response(app=None, request=request)(scope, receive, send)
            return
        if not isinstance(result, bytes):
            await result(scope, receive, send)
            return
        await send(
            {
                "type": "http.response.start",
                "status": handler.status_code,
                "headers": [
                    (b"content-type", b"application/json"),
                    (b"content-length", str(len(result)).encode()),
                ],
            }
        )
        await send({"type": "http.response.body", "body": result, "more_body": False})

    return run


def _respond(
    handler: Any, path_names: frozenset[str]
) -> Callable[[AnyRequest], Awaitable[bytes | ASGIApp]]:
    """Compile how a handler's result becomes a response: JSON bytes, or another response."""
    guards = tuple(cast("list[Callable[[Any, Any], Awaitable[None]]]", handler.resolve_guards()))
    check = cast("Callable[[AnyRequest], Awaitable[Any]] | None", handler.resolve_before_request())
    call = cast("Callable[..., Awaitable[Any]]", handler.fn)
    takes_body = RequestDecoder.is_of(handler)
    binds = tuple(_binds(handler, path_names).items())
    # The framework adds headers of the handler's own, such as `cache-control`.
    has_headers = bool(handler.resolve_response_headers() or handler.resolve_response_cookies())
    is_json = handler.media_type == MediaType.JSON and not has_headers
    _check_supported(handler)

    async def respond(request: AnyRequest) -> bytes | ASGIApp:
        for guard in guards:
            await guard(request, handler)
        if check is not None:
            await check(request)
        # The body is read first, as in the framework, so that of two faults the same one is
        # reported.
        body = await request.body() if takes_body else b""
        data = {"data": RequestDecoder.decode(request, body)} if body else {}
        arguments = data | {name: bind(request) for name, bind in binds}
        if takes_body and not body:
            _refuse_missing(request, handler, arguments)
        result = await call(**arguments)
        if is_json and not isinstance(result, Response):
            return encode(result)
        return await handler.to_response(app=request.app, data=result, request=request)

    return respond


def _check_supported(handler: Any) -> None:
    is_supported = (
        not handler.has_sync_callable
        and not handler.cache
        and handler.resolve_after_response() is None
        and handler.status_code not in _BODILESS_STATUS
    )
    if not is_supported:
        raise InvariantBroken(f"{handler}: a direct route has no such option")


def _refuse_missing(request: AnyRequest, handler: Any, arguments: dict[str, Any]) -> None:
    """Raise the framework's error for a missing body, unless the handler has a default."""
    field = handler.parsed_fn_signature.parameters["data"]
    if not field.has_default:
        handler.signature_model.parse_values_from_connection_kwargs(
            connection=request, kwargs=arguments
        )


def _binds(handler: HTTPRouteHandler, path_names: frozenset[str]) -> dict[str, Bind]:
    """Return how each parameter of a handler gets its value, except the body."""
    dependencies = handler.resolve_dependencies()
    return {
        name: _bind(name, field, path_names, dependencies)
        for name, field in handler.parsed_fn_signature.parameters.items()
        if name != "data"
    }


def _bind(
    name: str,
    field: FieldDefinition,
    path_names: frozenset[str],
    dependencies: Mapping[str, Provide],
) -> Bind:
    if name == "request":
        return _itself
    if name in path_names:
        return _path_value(name)
    if name in dependencies:
        return _dependency(dependencies[name], path_names, dependencies)
    match field.kwarg_definition:
        case QueryParameter() as parameter:
            return _query_value(parameter.name or name, field)
        case HeaderParameter() as parameter:
            return _header_value(parameter.name or name, field)
        case _:
            raise InvariantBroken(f"{name}: a direct route has no such parameter")


def _itself(request: AnyRequest) -> AnyRequest:
    return request


def _path_value(name: str) -> Bind:
    def bind(request: AnyRequest) -> str:
        return request.scope["path_params"][name]

    return bind


def _dependency(
    provide: Provide, path_names: frozenset[str], dependencies: Mapping[str, Provide]
) -> Bind:
    if not provide.has_sync_callable or provide.use_cache:
        raise InvariantBroken(f"{provide.dependency}: dependencies of direct routes are plain")
    call = provide.dependency
    parameters = provide.parsed_fn_signature.parameters
    binds = tuple(
        (name, _bind(name, field, path_names, dependencies)) for name, field in parameters.items()
    )
    if not binds:
        return lambda _: call()
    return lambda request: call(**{name: bind(request) for name, bind in binds})


def _default(field: FieldDefinition) -> Any:
    parameter = cast("Any", field.kwarg_definition)
    for default in (field.default, parameter.default):
        if default is not Empty:
            return default
    raise InvariantBroken(f"{field.name}: parameters of direct routes have a default")


def _query_value(alias: str, field: FieldDefinition) -> Bind:
    default, is_list = _default(field), field.is_non_string_sequence

    def bind(request: AnyRequest) -> Any:
        if not request.scope["query_string"]:
            return default
        values = request.query_params.getall(alias, [])
        if not values:
            return default
        # If a parameter that is not a list is repeated, the last value counts.
        return values if is_list else values[-1]

    return bind


def _header_value(alias: str, field: FieldDefinition) -> Bind:
    default, name = _default(field), alias.lower().encode()

    def bind(request: AnyRequest) -> Any:
        for each, value in request.scope["headers"]:
            if each == name:
                return value.decode("latin-1")
        return default

    return bind
