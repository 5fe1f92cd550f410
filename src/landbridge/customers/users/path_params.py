"""User ids in paths, for the routes of all packages."""

from uuid import UUID

from landbridge.customers.users.errors import UserNotFound
from landbridge.platform.http.path_params import known_id


def known_user(text: str) -> UUID:
    """Return the user id in a path; raise `UserNotFound` for a malformed id."""
    return known_id(text, "user", UserNotFound)
