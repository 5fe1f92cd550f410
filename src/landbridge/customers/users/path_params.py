"""Users in paths; for the routes of every package that is about users."""

from uuid import UUID

from landbridge.customers.users.errors import UserNotFound
from landbridge.platform.http.path_params import known_id


def known_user(text: str) -> UUID:
    """Return the user id in a path; raise `UserNotFound` for a malformed id."""
    return known_id(text, "user", UserNotFound)
