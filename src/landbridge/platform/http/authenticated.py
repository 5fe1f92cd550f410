"""Mark of requests that are authenticated by a valid key, a session or a link.

The code that checks credentials marks the request's scope, which no client can write. Connection
limits depend on the mark.
"""

from typing import Any, cast

_AUTHENTICATED = "landbridge.is_known"


def mark_authenticated(scope: Any) -> None:
    """Mark the request as authenticated by a valid key, session or link."""
    cast("dict[str, Any]", scope)[_AUTHENTICATED] = True


def is_authenticated(scope: Any) -> bool:
    """Return whether the request was marked as authenticated."""
    return _AUTHENTICATED in cast("dict[str, Any]", scope)


# Headers that carry a credential, with a text that each must contain.
_CREDENTIALS = {b"authorization": b"", b"cookie": b"landbridge"}


def has_credential(headers: list[tuple[bytes, bytes]]) -> bool:
    """Return whether a request carries a key or session cookie, valid or not."""
    return any(
        (part := _CREDENTIALS.get(name)) is not None and part in value for name, value in headers
    )
