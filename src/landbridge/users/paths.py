"""Users in paths; for the routes of every package that is about users."""

from uuid import UUID

from landbridge.users.errors import UserNotFound
from landbridge.web.paths import known_id


def known_user(text: str) -> UUID:
    """The id of a user in a path; raises `UserNotFound` for what can't be one."""
    return known_id(text, "user", UserNotFound)
