"""Errors of this package. None of them reveals whether an address belongs to a member."""

from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceConflict


class SignInRefused(Refused):
    """Wrong e-mail or password."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class CodeRefused(Refused):
    """Wrong or already used code. Wait for the next code and try again."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class PasskeyRefused(Refused):
    """This passkey didn't work. Try again, or sign in with your password."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class TooManyAttempts(Refused):
    """Too many attempts. Try again later."""

    code, name, status = 200002, "TOO_MANY_REQUESTS", 429

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        minutes = -(-retry_after_s // 60)
        wait = "a minute" if minutes == 1 else f"{minutes} minutes"
        super().__init__(f"Too many attempts. Try again in {wait}.")


class RecentSignInRequired(Refused):
    """Confirm your password first. You signed in a while ago."""

    code, name, status = 200202, "USER_ROLE_NOT_ALLOWED", 403


class LinkInvalid(Refused):
    """This link has expired or was already used. Request a new one."""

    code, name, status = 100301, "RESOURCE_NOT_FOUND", 404


class PasswordWeak(FieldInvalid):
    """Choose another password."""


class AddressTaken(FieldInvalid):
    """This e-mail already belongs to a member."""

    def __init__(self) -> None:
        super().__init__(None, field="email")


class LastAdmin(ResourceConflict):
    """An organisation needs at least one admin. Make another member an admin first."""
