"""Methods of each path, for the header `Allow`.

The framework answers OPTIONS with the methods of the first handler of a path, and omits those of
other handlers.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from litestar import Litestar, MediaType, Response
from litestar.routes import HTTPRoute

from landbridge.platform.http.list_query import AnyRequest

OPTIONS = "OPTIONS"
# Key of the application's state under which the headers are cached.
_STATE = "allow_headers"


def allow_headers(app: Litestar) -> Mapping[str, str]:
    """Return the header `Allow` for each path template."""
    methods: dict[str, set[str]] = {}
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            path_methods = methods.setdefault(route.path_format, set())
            for handler in route.route_handlers:
                path_methods.update(handler.http_methods)
    return {path: ", ".join(sorted(each)) for path, each in methods.items()}


def options_reply(request: AnyRequest) -> Response[Any]:
    """Build the response to OPTIONS."""
    state = request.app.state
    if _STATE not in state:
        state[_STATE] = allow_headers(request.app)
    return Response(
        None,
        status_code=HTTPStatus.NO_CONTENT,
        headers={"Allow": state[_STATE][request.scope["path_template"]]},
        media_type=MediaType.TEXT,
    )
