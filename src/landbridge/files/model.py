"""Files as they are stored."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.core.errors import FieldInvalid

KIND = "FILE"

# Source: contract, users 3.5 ("10 MB"), read in the way that refuses less.
FILE_BYTES_MAX = 10 * 1024 * 1024
FILE_SIZE_MAX = "10 MB"
# The multipart part that is the file, which errors name too.
PART = "file"

# An upload that has not ended by then never will.
UPLOAD_PATIENCE = timedelta(days=1)
# A file that no document has named by then is not going to be used.
CLAIM_PATIENCE = timedelta(days=30)

_ID_PREFIX = "file_"
_ID = re.compile(rf"{_ID_PREFIX}([0-9a-f]{{32}})")
_NAME_LENGTH_MAX = 200
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}")


class MimeType(StrEnum):
    """What a file may be. Source: contract, users 3.5."""

    PDF = "application/pdf"
    JPEG = "image/jpeg"
    PNG = "image/png"
    HEIC = "image/heic"
    TIFF = "image/tiff"


class FileState(StrEnum):
    """Where a file is on its way."""

    SENT = "SENT"  # its content is being stored; callers don't have it yet
    THERE = "THERE"
    GONE = "GONE"  # its key is destroyed; the worker removes the content


@dataclass(frozen=True, slots=True)
class File:
    """A file; its name is personal data."""

    uuid: UUID
    name: str
    mime_type: MimeType
    size: int
    created_at: datetime

    @property
    def id(self) -> str:
        """As callers know it."""
        return f"{_ID_PREFIX}{self.uuid.hex}"


def file_uuid(file_id: str) -> UUID | None:
    """The id that `file_<32 hex digits>` spells, or None."""
    spelled = _ID.fullmatch(file_id)
    return UUID(spelled[1]) if spelled else None


def clean_name(told: str) -> str:
    """A file's name without folders and without what can't be printed, at most 200 characters.

    Raises `FieldInvalid` if nothing is left.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", told))[-1]
    name = "".join(each for each in last if each.isprintable()).strip()
    if not name.strip("."):
        raise FieldInvalid("file must have a name", field=PART)
    suffix = suffix_of(name)
    return name[: len(name) - len(suffix)][: _NAME_LENGTH_MAX - len(suffix)] + suffix


def suffix_of(name: str) -> str:
    """`.png` of `scan.png`; nothing where what follows the last dot is no kind of file (`12.5`)."""
    dot = name.rfind(".")
    suffix = name[dot:] if dot > 0 else ""
    return suffix if _SUFFIX.fullmatch(suffix) else ""
