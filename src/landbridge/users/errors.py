"""What users refuse."""

from landbridge.core.errors import Refused


class UserFrozen(Refused):
    """This user is frozen."""

    code, name, status = 300202, "USER_FROZEN", 403


class UserNotFound(Refused):
    """There is no such user."""

    code, name, status = 300301, "USER_NOT_FOUND", 404
