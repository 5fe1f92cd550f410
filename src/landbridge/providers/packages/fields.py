"""Access to fields of JSON objects, and to our keys in texts of a provider. Packages may import it.

The payee of a payout is an object of our API that the protocol does not check further, and a
provider returns our key as text among its own transactions. So an expected value may be missing in
both.
"""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID


def read_object(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object in a field; an empty one if the field is missing or has another type."""
    found = of.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def read_text(of: Mapping[str, Any], name: str) -> str | None:
    """Return a text in a field; None if the field is missing, empty or has another type."""
    found = of.get(name)
    return found if isinstance(found, str) and found else None


def read_our_key(text: str | None) -> UUID | None:
    """Return our key from a provider's text; None if the text is not a key of ours."""
    try:
        key = UUID(text or "")
    except ValueError:
        return None
    return key if str(key) == text else None
