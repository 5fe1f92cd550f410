"""Refusals of this package. None of them says whether an address is somebody's."""

from landbridge.core.errors import FieldInvalid, Refused, ResourceConflict


class SignInRefused(Refused):
    """Address and password don't fit together. Check both, or ask for a new password."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class CodeRefused(Refused):
    """This code is not right, or it was used already. Wait for the next one and try again."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class PasskeyRefused(Refused):
    """This passkey did not work. Try again, or sign in with your password."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class TooManyTries(Refused):
    """There were too many tries."""

    code, name, status = 200002, "TOO_MANY_REQUESTS", 429

    def __init__(self, retry_after_s: int) -> None:
        self.retry_after_s = retry_after_s
        minutes = -(-retry_after_s // 60)
        wait = "a minute" if minutes == 1 else f"{minutes} minutes"
        super().__init__(f"There were too many tries. Try again in {wait}.")


class ProofMissing(Refused):
    """Type your password first: you signed in a while ago."""

    code, name, status = 200202, "USER_ROLE_NOT_ALLOWED", 403


class LinkInvalid(Refused):
    """This link has expired, or it was used already. Ask for a new one."""

    code, name, status = 100301, "RESOURCE_NOT_FOUND", 404


class PasswordWeak(FieldInvalid):
    """Choose another password."""


class AddressTaken(FieldInvalid):
    """This address can't be invited: it belongs to a member already."""

    def __init__(self) -> None:
        super().__init__(None, field="email")


class LastAdmin(ResourceConflict):
    """An organisation needs an admin. Make somebody else one first."""
