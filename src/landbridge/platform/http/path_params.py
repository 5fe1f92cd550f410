"""Path parameters, parsed in one place."""

from uuid import UUID

from landbridge.platform.core.errors import Refused, ResourceNotFound, not_none
from landbridge.platform.core.ids import as_uuid


def known_id(text: str, noun: str, error: type[Refused] = ResourceNotFound) -> UUID:
    """Parse the id in a path; an invalid one raises `error`, as an unknown one does."""
    return not_none(as_uuid(text), error(f"there is no {noun} {text[:100]}"))
