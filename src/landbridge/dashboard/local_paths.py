"""Paths that browsers send: those to return to are dashboard pages only, never another site."""

from typing import Final
from urllib.parse import unquote, urlsplit

from landbridge.platform.http.list_query import AnyRequest

_HOME: Final = "/dashboard"
_LENGTH_MAX: Final = 2000


def local_path(text: str | None, default: str = _HOME) -> str:
    """Return the path if it is a dashboard page, otherwise `default`."""
    if not text or len(text) > _LENGTH_MAX or not text.isprintable() or "\\" in text:
        return default
    try:
        parts = urlsplit(text)
    except ValueError:
        # For example an IPv6 address without its closing bracket.
        return default
    is_ours = (
        not parts.scheme
        and not parts.netloc
        and (parts.path == _HOME or parts.path.startswith(f"{_HOME}/"))
        and ".." not in unquote(parts.path).split("/")
    )
    return text if is_ours else default


def requested_path(request: AnyRequest) -> str:
    """Return the path of a request. The framework's URL raises for a host with an invalid port."""
    return request.scope["path"]


def requested_page(request: AnyRequest) -> str:
    """Return path and query of a request, as `requested_path`."""
    query = requested_query(request)
    return requested_path(request) + (f"?{query}" if query else "")


def requested_query(request: AnyRequest) -> str:
    """Return the query of a request, as it was sent."""
    return request.scope["query_string"].decode("latin-1")
