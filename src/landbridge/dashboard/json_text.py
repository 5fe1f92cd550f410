"""Readable JSON: indented, with exact numbers."""

from typing import Any

import msgspec

from landbridge.platform.http.responses import encode


def pretty(value: Any) -> str:
    """Return a value as indented JSON."""
    return msgspec.json.format(encode(value), indent=2).decode()
