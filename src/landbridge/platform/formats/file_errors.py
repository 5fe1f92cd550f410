"""Errors of bank files."""

from landbridge.platform.core.errors import LandbridgeError


class FileRejected(LandbridgeError):
    """The file can't be read or must not be trusted, so nothing in it is used.

    The message is a sentence for the person who manages the files. It contains positions and
    counts, never names, account numbers or texts from the file.
    """
