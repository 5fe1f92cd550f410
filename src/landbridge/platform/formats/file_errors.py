"""Errors of bank files."""

from landbridge.platform.core.errors import LandbridgeError


class FileRejected(LandbridgeError):
    """A file cannot be read, or must not be trusted: nothing of it counts.

    The message is a sentence for the person who looks after the files. It names places and
    counts, never names, account numbers or texts from the file.
    """
