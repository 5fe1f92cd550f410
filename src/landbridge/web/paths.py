"""Parts of paths, parsed in one place."""

from uuid import UUID

from landbridge.core.errors import Refused, ResourceNotFound
from landbridge.core.ids import as_uuid


def known_id(text: str, noun: str, error: type[Refused] = ResourceNotFound) -> UUID:
    """The id in a path; what can't be one raises `error`, as an unknown one does."""
    found = as_uuid(text)
    if found is None:
        raise error(f"there is no {noun} {text[:100]}")
    return found
