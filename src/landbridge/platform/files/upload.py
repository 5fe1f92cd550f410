"""Reading of uploads, holding no more than one file's maximum in memory.

Nothing is written to disk on the way, unlike in frameworks with large bodies: it is not sealed yet.
"""

import asyncio
from dataclasses import dataclass
from email.message import Message
from typing import Any

from litestar import Request
from litestar.exceptions import ClientException
from litestar.status_codes import HTTP_413_REQUEST_ENTITY_TOO_LARGE
from multipart import MultipartError, MultipartSegment, PushMultipartParser

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.files.inspection import too_large
from landbridge.platform.files.model import FILE_BYTES_MAX, PART

# Boundaries, headers and small fields around the file.
_OVERHEAD_BYTES_MAX = 64 * 1024
# For a route's `request_max_body_size`.
UPLOAD_BYTES_MAX = FILE_BYTES_MAX + _OVERHEAD_BYTES_MAX
_MULTIPART = "multipart/form-data"
_PARTS_MAX = 16
_HEADERS_MAX = 8
_HEADER_BYTES_MAX = 4096
# Source: RFC 2046, 5.1.1.
_BOUNDARY_LENGTH_MAX = 70
# The time to read its parameters grows with the square of the length: a second for 32 KB.
_CONTENT_TYPE_LENGTH_MAX = 500
# Ten megabytes take this long on a line of 0.7 megabits per second.
_UPLOAD_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """An upload that is not validated yet: `name` and `declared` are the client's words."""

    name: str
    declared: str | None
    content: bytes


async def read_upload(request: Request[Any, Any, Any]) -> UploadedFile:
    """Return the single part `file` of a multipart body; fields without a file are ignored.

    Raises `FieldInvalid`. The sizes in the header are checked before anything is read.
    """
    reader = _UploadReader(parser_of(request.headers.get("content-type", "")))
    try:
        async with asyncio.timeout(_UPLOAD_TIMEOUT_S):
            async for chunk in request.stream():
                if chunk:
                    reader.take(chunk)
        return reader.end()
    except MultipartError as error:
        # Its message may quote a header, which has the file's name.
        raise FieldInvalid("the body is not well-formed multipart/form-data", field=PART) from error
    except ClientException as error:
        if error.status_code == HTTP_413_REQUEST_ENTITY_TOO_LARGE:
            raise too_large() from error
        raise
    except TimeoutError as error:
        raise FieldInvalid(f"{PART} did not arrive within two minutes", field=PART) from error


def parser_of(content_type: str) -> PushMultipartParser:
    """Return a bounded parser for a multipart body of this type; raises `FieldInvalid`."""
    return PushMultipartParser(
        _boundary(content_type),
        max_header_size=_HEADER_BYTES_MAX,
        max_header_count=_HEADERS_MAX,
        max_segment_count=_PARTS_MAX,
    )


class _UploadReader:
    """Reads the body chunk by chunk."""

    def __init__(self, parser: PushMultipartParser) -> None:
        self._parser = parser
        self._file: MultipartSegment | None = None
        self._content = bytearray()
        self._is_in_file = False

    def take(self, chunk: bytes) -> None:
        """Read on."""
        for event in self._parser.parse(chunk):
            if isinstance(event, MultipartSegment):
                self._is_in_file = _is_file(event)
                if self._is_in_file:
                    if self._file is not None:
                        raise FieldInvalid("send one file in each request", field=PART)
                    self._file = event
            elif event and self._is_in_file:
                self._content += event
                if len(self._content) > FILE_BYTES_MAX:
                    raise too_large()

    def end(self) -> UploadedFile:
        """Return what was read, once the body has ended."""
        self._parser.close()
        if self._file is None:
            raise FieldInvalid(f"send the file as the part named {PART}", field=PART)
        return UploadedFile(
            name=self._file.filename or "",
            declared=self._file.content_type,
            content=bytes(self._content),
        )


def _is_file(part: MultipartSegment) -> bool:
    """Return whether this is the file; rejects misnamed files, and fields of this name."""
    if part.name == PART and part.filename is None:
        raise FieldInvalid(f"{PART} must be sent as a file, with a file name", field=PART)
    if part.name != PART and part.filename is not None:
        raise FieldInvalid(f"send the file as the part named {PART}", field=PART)
    return part.name == PART


def _boundary(content_type: str) -> str:
    if len(content_type) > _CONTENT_TYPE_LENGTH_MAX:
        raise FieldInvalid("the content type is too long", field=PART)
    head = Message()
    head["Content-Type"] = content_type
    boundary = str(head.get_param("boundary", ""))
    if head.get_content_type() != _MULTIPART:
        raise FieldInvalid(f"send {PART} as {_MULTIPART}", field=PART)
    is_plain = boundary.isascii() and boundary.isprintable()
    if not (is_plain and 0 < len(boundary) <= _BOUNDARY_LENGTH_MAX):
        raise FieldInvalid(f"the content type {_MULTIPART} must name its boundary", field=PART)
    return boundary
