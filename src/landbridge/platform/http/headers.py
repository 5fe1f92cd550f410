"""Request headers, read from the ASGI scope without building an index of all of them."""

from collections.abc import Sequence
from typing import Any

_SINGLE = (b"host", b"authorization")
_FRAMING = frozenset({b"content-length", b"transfer-encoding"})


def ambiguity(headers: Sequence[tuple[bytes, bytes]], *, is_upgrade: bool) -> str | None:
    """Return why proxies might interpret these headers differently; None if they are unambiguous.

    Names are in lower case. Proxies differ on which of two values counts (RFC 9110, 5.3; RFC 9112,
    3.2). The parser takes the body of a request to upgrade for the next request.
    """
    names = [name for name, _ in headers]
    if any(names.count(each) > 1 for each in _SINGLE):
        return "Host and Authorization are sent once"
    if is_upgrade and not _FRAMING.isdisjoint(names):
        return "a request with a body can't upgrade the connection: send no Upgrade header"
    return None


def header_texts(scope: Any) -> dict[str, str]:
    """Return all headers by name in lower case; of several with one name, the last."""
    return {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}


def header_values(scope: Any, name: str) -> list[str]:
    """Return the values of a header, in their order; `name` in any case."""
    key_name = name.lower().encode()
    return [value.decode("latin-1") for key, value in scope["headers"] if key == key_name]


def header(scope: Any, name: str) -> str | None:
    """Return the first value of a header; None if it is missing."""
    return next(iter(header_values(scope, name)), None)


def cookie(scope: Any, name: str) -> str | None:
    """Return the last value of a cookie as it was sent; None if it is missing.

    Quoted values are not decoded: our cookies need no quotes, and the decoder of Python before
    3.11.10 takes time quadratic in their length (CVE-2024-7592).
    """
    pairs = [
        each.strip().partition("=")
        for value in header_values(scope, "cookie")
        for each in value.split(";")
    ]
    return next((value for key, _, value in reversed(pairs) if key == name), None)
