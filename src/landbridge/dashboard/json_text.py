"""JSON as people read it: each member on a line of its own, numbers to the last digit."""

from typing import Any

import msgspec

from landbridge.web.reply import encode


def pretty(value: Any) -> str:
    """A value as indented JSON."""
    return msgspec.json.format(encode(value), indent=2).decode()
