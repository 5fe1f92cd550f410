"""Errors of users."""

from landbridge.platform.core.errors import Refused


class UserNotFound(Refused):
    """There is no such user."""

    code, name, status = 300301, "USER_NOT_FOUND", 404
