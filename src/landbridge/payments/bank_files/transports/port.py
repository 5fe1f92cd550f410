"""Port to file transports that exchange files with a bank.

A transport has folders. Our files go to `out`, where the bank fetches them. The bank's files arrive
in `in`, get a unique name there before they are read, and move to `in/done` or `in/refused` after
their ingestion. `control` has a report on each file in `out`; it is written after the file and
stays when the bank has fetched the file.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from landbridge.platform.core.ids import new_id


class TransportFolder(StrEnum):
    """Folder of a transport, by its path."""

    OUT = "out"
    IN = "in"
    DONE = "in/done"
    REFUSED = "in/refused"
    CONTROL = "control"


# Prefix of a file that we are still writing; readers ignore it.
TEMPORARY = ".landbridge-"
# Prefix of a bank's file that a worker has started to read.
TAKEN = ".taken-"
_MARK = re.compile(r"(?:\.taken-)?[0-9a-f]{32}-")
# Limit of a file name with its prefix, which every file system allows.
_NAME_BYTES_MAX = 200
# Largest file that is read: a bank's daily statement has some megabytes.
SIZE_MAX = 50 * 1024 * 1024
# Names that one listing returns; the rest follows in the next listing.
NAMES_MAX = 1000


class FileTransport(Protocol):
    """Transport of one account. Every method raises `Unavailable` if it can't be reached."""

    async def names(self, folder: TransportFolder) -> Sequence[str]:
        """Return at most `NAMES_MAX` sorted file names of a folder, files being read first.

        Files that we are still writing are excluded; a bank must upload its files atomically. Names
        may be arbitrary: bytes that are not UTF-8 become surrogates (PEP 383).
        """
        ...

    async def read(self, folder: TransportFolder, name: str) -> bytes | None:
        """Return the content of a file; None if it does not exist.

        Raises `FileRefused` for one that is larger than `SIZE_MAX`.
        """
        ...

    async def write(self, folder: TransportFolder, name: str, content: bytes) -> None:
        """Write a file atomically and durably, even through a power failure.

        An existing file is replaced atomically.
        """
        ...

    async def move(
        self, source: TransportFolder, name: str, destination: TransportFolder, new_name: str
    ) -> bool:
        """Move a file to a name that no other file has; False if it no longer exists."""
        ...


def claimed_name(name: str) -> str:
    """Return a unique name for a file that is about to be read, or its name if that is unique.

    A later file under the original name is a different file.
    """
    if name.startswith(TAKEN):
        return name
    plain = "".join(each if each.isprintable() and each not in "/\\" else "_" for each in name)
    end = plain.encode()[-_NAME_BYTES_MAX:].decode(errors="ignore")
    return f"{TAKEN}{new_id().hex}-{end}"


def archive_name(name: str) -> str:
    """Return the unique name of an ingested file in the archive, without a hidden-file prefix."""
    return name.removeprefix(TAKEN)


def original_name(name: str) -> str:
    """Return a file's name as the bank gave it, in printable form."""
    return _MARK.sub("", name, count=1) if _MARK.match(name) else name


def is_complete(name: str) -> bool:
    """Return whether a file is complete: all are but hidden files, unless they are being read."""
    return not name.startswith(".") or name.startswith(TAKEN)
