"""What limits refuse."""

from landbridge.core.errors import Refused


class LimitExceeded(Refused):
    """A rule of the organisation does not let this payment pass."""

    code, name, status = 400404, "LIMIT_EXCEEDED", 403
