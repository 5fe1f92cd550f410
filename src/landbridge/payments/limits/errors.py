"""Errors of limits."""

from landbridge.payments.limits.model import LimitAction
from landbridge.platform.core.errors import Refused


class LimitExceeded(Refused):
    """A rule of the organisation rejects this payment."""

    code, name, status = 400404, "LIMIT_EXCEEDED", 403

    def __init__(
        self, message: str | None = None, *, action: LimitAction = LimitAction.REFUSE
    ) -> None:
        """Create the error; `action` is the strictest one of the exceeded rules."""
        super().__init__(message)
        self.action = action
