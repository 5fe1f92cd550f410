"""Reading of uploads, with at most one file of the maximum size in memory.

Nothing is written to disk before it is sealed; frameworks do that with large bodies.
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

# Bytes of boundaries, headers and small fields around the file.
_OVERHEAD_BYTES_MAX = 64 * 1024
# Value of `request_max_body_size` for routes with uploads.
UPLOAD_BYTES_MAX = FILE_BYTES_MAX + _OVERHEAD_BYTES_MAX
_MULTIPART = "multipart/form-data"
_PARTS_MAX = 16
_HEADERS_MAX = 8
_HEADER_BYTES_MAX = 4096
# Source: RFC 2046, 5.1.1.
_BOUNDARY_LENGTH_MAX = 70
# The time to parse its parameters grows with the square of the length: a second for 32 KB.
_CONTENT_TYPE_LENGTH_MAX = 500
# Seconds that ten megabytes take at 0.7 megabits per second.
_UPLOAD_TIMEOUT_S = 120


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """Upload before validation: `name` and `declared` are what the client sent."""

    name: str
    declared: str | None
    content: bytes


async def read_upload(request: Request[Any, Any, Any]) -> UploadedFile:
    """Return the single part `file` of a multipart body; fields without a file are ignored.

    Raises `FieldInvalid`. The sizes in the headers are checked before the body is read.
    """
    reader = _UploadReader(parser_of(request.headers.get("content-type", "")))
    try:
        async with asyncio.timeout(_UPLOAD_TIMEOUT_S):
            async for chunk in request.stream():
                if chunk:
                    reader.take(chunk)
        return reader.end()
    except MultipartError as error:
        # The parser's message may quote a header, which has the file's name.
        raise FieldInvalid("the body is not well-formed multipart/form-data", field=PART) from error
    except ClientException as error:
        if error.status_code == HTTP_413_REQUEST_ENTITY_TOO_LARGE:
            raise too_large() from error
        raise
    except TimeoutError as error:
        raise FieldInvalid(f"{PART} did not arrive within two minutes", field=PART) from error


def parser_of(content_type: str) -> PushMultipartParser:
    """Return a parser with bounds for a multipart body; raises `FieldInvalid`."""
    return PushMultipartParser(
        _boundary(content_type),
        max_header_size=_HEADER_BYTES_MAX,
        max_header_count=_HEADERS_MAX,
        max_segment_count=_PARTS_MAX,
    )


class _UploadReader:
    """Parses the body of an upload chunk by chunk."""

    def __init__(self, parser: PushMultipartParser) -> None:
        self._parser = parser
        self._file: MultipartSegment | None = None
        self._content = bytearray()
        self._is_in_file = False

    def take(self, chunk: bytes) -> None:
        """Parse the next chunk."""
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
        """Return the upload after the last chunk; raises `FieldInvalid` if the file is missing."""
        self._parser.close()
        if self._file is None:
            raise FieldInvalid(f"send the file as the part named {PART}", field=PART)
        return UploadedFile(
            name=self._file.filename or "",
            declared=self._file.content_type,
            content=bytes(self._content),
        )


def _is_file(part: MultipartSegment) -> bool:
    """Return whether a part is the file; raises `FieldInvalid` for a misnamed one."""
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
