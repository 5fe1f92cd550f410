"""Path parameters, parsed in one place."""

from uuid import UUID

from landbridge.platform.core.errors import Refused, ResourceNotFound
from landbridge.platform.core.ids import as_uuid


def known_id(text: str, noun: str, error: type[Refused] = ResourceNotFound) -> UUID:
    """Parse the id in a path. An invalid id raises `error`, like an unknown one."""
    found = as_uuid(text)
    if found is None:
        raise error(f"there is no {noun} {text[:100]}")
    return found
