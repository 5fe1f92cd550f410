"""The port to where files are exchanged with a bank.

A place has folders. Files of ours go to `out`, where the bank fetches them; the bank's come to
`in`, get a name of their own there before they are read, and are moved on to `in/done` or
`in/refused` once they were taken. `control` has a report on
each file in `out`, which is written after it and stays when the bank has taken the file.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from landbridge.core.ids import new_id


class Folder(StrEnum):
    """A folder of a place, by its path there."""

    OUT = "out"
    IN = "in"
    DONE = "in/done"
    REFUSED = "in/refused"
    CONTROL = "control"


# What we write before it gets its name begins like this; it is no file to anybody.
TEMPORARY = ".landbridge-"
# And a file of the bank's that somebody has begun to read.
TAKEN = ".taken-"
_MARK = re.compile(r"(?:\.taken-)?[0-9a-f]{32}-")
# With the mark, what every file system has room for.
_NAME_BYTES_MAX = 200
# Whatever comes: a bank's statement of a day has some megabytes.
SIZE_MAX = 50 * 1024 * 1024
# Names that are listed at once; the rest is there the next time.
NAMES_MAX = 1000


class Place(Protocol):
    """A place of one account. Every verb raises `Unavailable` while it can't be reached."""

    async def names(self, folder: Folder) -> Sequence[str]:
        """The names of files in a folder, sorted; at most `NAMES_MAX`, those taken before first.

        None of a file half written by us; a bank must name its files when they are whole. What it
        calls them may be anything: bytes that are no UTF-8 are surrogates (PEP 383).
        """
        ...

    async def read(self, folder: Folder, name: str) -> bytes | None:
        """The content of a file; None if it is not there.

        Raises `FileRefused` for one that is larger than `SIZE_MAX`.
        """
        ...

    async def write(self, folder: Folder, name: str, content: bytes) -> None:
        """Write a file so that nobody ever sees half of it, and so that it outlives a power cut.

        Written again, it is replaced in one moment.
        """
        ...

    async def move(self, source: Folder, name: str, destination: Folder, new_name: str) -> bool:
        """Move a file on, to a name that no other file has; False if it is not there (any more)."""
        ...


def taken_name(name: str) -> str:
    """A name of its own for a file that is going to be read; one that has it keeps it.

    What comes under the same name meanwhile, or afterwards, is another file.
    """
    if name.startswith(TAKEN):
        return name
    plain = "".join(each if each.isprintable() and each not in "/\\" else "_" for each in name)
    end = plain.encode()[-_NAME_BYTES_MAX:].decode(errors="ignore")
    return f"{TAKEN}{new_id().hex}-{end}"


def kept_name(name: str) -> str:
    """The name of a taken file where it stays: no other has it, and its folder shows it."""
    return name.removeprefix(TAKEN)


def plain_name(name: str) -> str:
    """A file's name as the bank gave it, as far as it was a name to print."""
    return _MARK.sub("", name, count=1) if _MARK.match(name) else name


def is_listed(name: str) -> bool:
    """Whether a name is of a whole file: hidden ones are not, but those that are being read."""
    return not name.startswith(".") or name.startswith(TAKEN)
