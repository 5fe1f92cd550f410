"""What users refuse."""

from uuid import UUID

from landbridge.core.errors import Refused


class UserFrozen(Refused):
    """This user is frozen."""

    code, name, status = 300202, "USER_FROZEN", 403


class UserNotFound(Refused):
    """There is no such user."""

    code, name, status = 300301, "USER_NOT_FOUND", 404


def erased(user_id: UUID) -> UserFrozen:
    """The refusal of what needs the personal data of a user who has none left."""
    return UserFrozen(f"the personal data of user {user_id} was erased")
