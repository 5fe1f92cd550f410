"""Errors of sandbox features."""

from landbridge.platform.core.errors import Refused


class SandboxOnly(Refused):
    """This works in the sandbox only."""

    code, name, status = 300201, "USER_ACTION_NOT_ALLOWED", 403
