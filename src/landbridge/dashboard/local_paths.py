"""Validation of paths sent by browsers: only dashboard pages, never another site."""

from typing import Final
from urllib.parse import unquote, urlsplit

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
