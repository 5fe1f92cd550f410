"""Reads fields of JSON objects, and our keys in texts of the provider. Packages may import it.

The payee of a payout is an object of our interface that this protocol does not check further, and
a provider returns our key as text among its own transactions. Both may lack what is looked for.
"""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID


def read_object(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a field that is an object; an empty one if it is missing or something else."""
    found = of.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def read_text(of: Mapping[str, Any], name: str) -> str | None:
    """Return a field that is a text; None if it is missing, empty or something else."""
    found = of.get(name)
    return found if isinstance(found, str) and found else None


def read_our_key(text: str | None) -> UUID | None:
    """Return our key, which the provider had as text; None if it was made by other means."""
    try:
        key = UUID(text or "")
    except ValueError:
        return None
    return key if str(key) == text else None
