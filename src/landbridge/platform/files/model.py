"""Files as they are stored."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, TypeAlias
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.constraints import pattern_schema, with_schema

KIND = "FILE"

# Source: contract, users 3.5 ("10 MB"), in the more lenient reading.
FILE_BYTES_MAX = 10 * 1024 * 1024
FILE_SIZE_MAX = "10 MB"
# Name of the multipart part with the file; errors name it too.
PART = "file"

# Age after which an upload that has not ended is removed.
UPLOAD_TIMEOUT = timedelta(days=1)
# Age after which a file that no document references is removed.
UNCLAIMED_RETENTION = timedelta(days=30)

_ID_PREFIX = "file_"
FILE_ID = pattern_schema(f"^{_ID_PREFIX}[0-9a-f]{{32}}$")
FileId: TypeAlias = Annotated[str, with_schema(FILE_ID)]
_ID = re.compile(rf"{_ID_PREFIX}([0-9a-f]{{32}})")
_NAME_LENGTH_MAX = 200
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}")


class MimeType(StrEnum):
    """Allowed file types. Source: contract, users 3.5."""

    PDF = "application/pdf"
    JPEG = "image/jpeg"
    PNG = "image/png"
    HEIC = "image/heic"
    TIFF = "image/tiff"


class FileState(StrEnum):
    """State of a file."""

    UPLOADING = "UPLOADING"  # the content is being stored; callers do not have the id yet
    STORED = "STORED"
    DELETED = "DELETED"  # the file's key is destroyed; the worker removes the content


@dataclass(frozen=True, slots=True)
class StoredFileInfo:
    """File without its content; the name is personal data."""

    uuid: UUID
    name: str
    mime_type: MimeType
    size: int
    created_at: datetime

    @property
    def id(self) -> str:
        """Return the public id of the file."""
        return file_id(self.uuid)


def file_id(uuid_: UUID) -> str:
    """Return the public id: `file_<32 hex digits>`."""
    return f"{_ID_PREFIX}{uuid_.hex}"


def file_uuid(text: str) -> UUID | None:
    """Parse a public id; None for any other text."""
    spelled = _ID.fullmatch(text)
    return UUID(spelled[1]) if spelled else None


def clean_name(name: str) -> str:
    """Return a file's name without folders and unprintable characters, at most 200 characters.

    Raises `FieldInvalid` if nothing is left.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    name = "".join(each for each in last if each.isprintable()).strip()
    if not name.strip("."):
        raise FieldInvalid("file must have a name", field=PART)
    suffix = suffix_of(name)
    return name[: len(name) - len(suffix)][: _NAME_LENGTH_MAX - len(suffix)] + suffix


def suffix_of(name: str) -> str:
    """Return the file extension, such as `.png`; "" if the last part is none (`12.5`)."""
    dot = name.rfind(".")
    suffix = name[dot:] if dot > 0 else ""
    return suffix if _SUFFIX.fullmatch(suffix) else ""
