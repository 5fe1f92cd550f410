"""URL of a node. It may contain a key or a password, so only host and port are ever shown."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import msgspec

_URL_LENGTH_MAX = 2_000


class NodeUrlError(ValueError):
    """Raised for text that is not a node's URL; the message has no part of the URL."""


class NodeUrl(msgspec.Struct, frozen=True):
    """URL of a node. `secret_text` is the complete URL; str and repr show only host and port."""

    secret_text: str
    label: str

    @classmethod
    def parse(cls, text: str) -> "NodeUrl":
        """Return the URL: https, or http on this machine.

        Raises:
            NodeUrlError: It is neither.
        """
        parts = _split(text)
        if parts is None or parts.scheme not in {"http", "https"}:
            raise NodeUrlError("must be an https URL; http only for this very machine")
        host = parts.hostname or ""
        if parts.scheme == "http" and not _is_loopback(host):
            raise NodeUrlError("must be an https URL; http only for this very machine")
        if parts.fragment:
            raise NodeUrlError("must not have a fragment (#)")
        shown = f"[{host}]" if ":" in host else host
        port = f":{parts.port}" if parts.port is not None else ""
        return cls(secret_text=text, label=f"{shown}{port}")

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"NodeUrl({self.label})"


def is_web_url(text: str) -> bool:
    """Return whether the text is an https URL, or an http URL of this machine."""
    parts = _split(text)
    if parts is None:
        return False
    return parts.scheme == "https" or (
        parts.scheme == "http" and _is_loopback(parts.hostname or "")
    )


def _split(text: str) -> SplitResult | None:
    """Return the parts of a URL with a host; None for any other text."""
    if len(text) > _URL_LENGTH_MAX or not text.isascii() or not text.isprintable() or " " in text:
        return None
    try:
        parts = urlsplit(text)
        # Reading the port validates it.
        is_complete = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_complete else None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
