"""Multipart form with a file, as sent by a browser.

Unlike API requests, the body is read to its end even if the file is too large or is not a file: a
browser shows the response only after it has sent the whole body. Data beyond the maximum size is
discarded while reading; no data is written to disk.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from litestar import Request
from multipart import MultipartError, MultipartSegment, PushMultipartParser

from landbridge.platform.core.errors import Busy, FieldInvalid
from landbridge.platform.files.inspection import too_large
from landbridge.platform.files.model import FILE_BYTES_MAX, PART
from landbridge.platform.files.upload import parser_of
from landbridge.platform.http.fair_semaphore import leaves_room

# Most bytes of a body, as phone photos have 3 to 15 MB; larger requests get no page.
BODY_BYTES_MAX = 40 * 1024 * 1024
# Seconds to receive a form: four megabytes take this long on a slow mobile network.
_PATIENCE_S = 300
_FIELDS_BYTES_MAX = 16 * 1024
# Most concurrent forms, in total and of one person. Each may hold a file of 10 MB in memory. One
# person, or a few organisations with any number of links, can't take all of them.
_FORMS_MAX, _FORMS_OF_PERSON_MAX = 16, 2
FORM_BROKEN = "the form did not arrive as a browser sends it; try again"


@dataclass(slots=True)
class SubmittedForm:
    """Submitted form: fields by name, and the file; `problem` describes an invalid file."""

    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    name: str = ""
    declared: str | None = None
    content: bytes | None = None
    problem: FieldInvalid | None = None


class UploadMemory:
    """Limit on concurrent forms with files, separate from that of requests with an API key."""

    def __init__(self) -> None:
        self._taken: list[tuple[UUID, UUID]] = []

    @contextmanager
    def place(self, org_id: UUID, person_id: UUID) -> Generator[None]:
        """Reserve capacity for one more form of this link or member of the organisation.

        Raises `Busy` if none is free.
        """
        taken, one = self._taken, (org_id, person_id)
        of_org = sum(each == org_id for each, _ in taken)
        has_room = leaves_room(of_org=of_org, taken=len(taken), total=_FORMS_MAX)
        if not has_room or taken.count(one) >= _FORMS_OF_PERSON_MAX:
            raise Busy("too many forms with files are being sent at once")
        taken.append(one)
        try:
            yield
        finally:
            taken.remove(one)


async def read_sent(request: Request[Any, Any, Any]) -> SubmittedForm:
    """Read the form. Invalid content does not raise, but is noted as `problem`."""
    reading = _MultipartReader()
    try:
        parser = parser_of(request.headers.get("content-type", ""))
        async with asyncio.timeout(_PATIENCE_S):
            async for chunk in request.stream():
                if chunk:
                    reading.take(parser, chunk)
        parser.close()
    except (MultipartError, FieldInvalid, ValueError, TimeoutError):
        # The parser's message is dropped: it may quote a header with the file's name.
        reading.sent.problem = FieldInvalid(FORM_BROKEN, field=PART)
    return reading.end()


class _MultipartReader:
    """Incremental reader of a multipart body."""

    def __init__(self) -> None:
        self.sent = SubmittedForm()
        self._is_in_file = False
        self._content = bytearray()
        self._fields: list[tuple[str, bytearray]] = []
        self._fields_bytes = 0

    def take(self, parser: PushMultipartParser, chunk: bytes) -> None:
        """Process the next chunk of the body."""
        for event in parser.parse(chunk):
            if isinstance(event, MultipartSegment):
                self._begin(event)
            elif event:
                self._add(event)

    def end(self) -> SubmittedForm:
        """Return the parsed form."""
        for name, value in self._fields:
            text = value.decode("utf-8", errors="replace")
            self.sent.fields.setdefault(name, []).append(text)
        if self.sent.problem is None and self._content:
            self.sent.content = bytes(self._content)
        return self.sent

    def _begin(self, part: MultipartSegment) -> None:
        self._is_in_file = part.name == PART and part.filename is not None
        if self._is_in_file:
            self.sent.name, self.sent.declared = part.filename or "", part.content_type
        else:
            self._fields.append((part.name or "", bytearray()))

    def _add(self, piece: bytes | bytearray) -> None:
        if self._is_in_file:
            if len(self._content) + len(piece) > FILE_BYTES_MAX:
                self.sent.problem = too_large()
                self._content.clear()
            elif self.sent.problem is None:
                self._content += piece
        else:
            self._fields_bytes += len(piece)
            if self._fields_bytes > _FIELDS_BYTES_MAX:
                raise ValueError
            self._fields[-1][1].extend(piece)
