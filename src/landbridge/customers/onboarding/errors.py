"""Errors of links that cannot be opened."""

from landbridge.platform.core.errors import LandbridgeError


class LinkGone(LandbridgeError):
    """The link is unknown, was not copied completely (404), or has expired (410)."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
