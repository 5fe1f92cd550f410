"""Headers of a request, read from the scope: no index is built of headers that nobody needs."""

from typing import Any


def header_values(scope: Any, name: str) -> list[str]:
    """Return the values of a header, in their order; `name` in any case."""
    key_name = name.lower().encode()
    return [value.decode("latin-1") for key, value in scope["headers"] if key == key_name]


def header(scope: Any, name: str) -> str | None:
    """Return the first value of a header; None without it."""
    return next(iter(header_values(scope, name)), None)


def cookie(scope: Any, name: str) -> str | None:
    """Return the last value of a cookie, as it was sent; None without it.

    Quoted values are not decoded: ours need no quotes, and the decoder of Python before 3.11.10
    takes the square of their length (CVE-2024-7592).
    """
    pairs = [
        each.strip().partition("=")
        for value in header_values(scope, "cookie")
        for each in value.split(";")
    ]
    return next((value for key, _, value in reversed(pairs) if key == name), None)
