"""Whether somebody stands behind a request: a valid key, a session or a link.

Who checks that says so in the request's scope, where nobody outside can put anything; connections
are bounded by it.
"""

from typing import Any, cast

_KNOWN = "landbridge.is_known"


def mark_known(scope: Any) -> None:
    """Say that a key, a session or a link was found to be valid."""
    cast("dict[str, Any]", scope)[_KNOWN] = True


def is_known(scope: Any) -> bool:
    """Whether that was said."""
    return _KNOWN in cast("dict[str, Any]", scope)
