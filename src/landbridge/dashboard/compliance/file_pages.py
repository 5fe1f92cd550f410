"""Uploaded files: offered as downloads; JPEG and PNG images are also shown inline.

Guarantees: no browser runs the content of a file. PDFs are downloads. Only files whose content was
detected as JPEG or PNG are shown inline, with that media type. A file is streamed in chunks, within
the API's bound on downloads, so a slow browser holds no memory.
"""

from typing import Final

from litestar import Controller, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.types import ASGIApp

from landbridge.dashboard.page_request import PageRequest
from landbridge.platform.files.api import FileReply

# Image types that every browser shows.
INLINE_IMAGE_TYPES: Final = ("image/jpeg", "image/png")
_FILE_HEADERS: Final = {"Cache-Control": "no-store"}
_IMAGE_HEADERS: Final = {
    "Content-Disposition": "inline",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class FilePages(Controller):
    """Files by their ids."""

    path = "/files"

    @get("/{file_id:str}")
    async def download(self, request: PageRequest, file_id: FromPath[str]) -> ASGIApp:
        """Return the file as an attachment, streamed from the API."""
        # Raise here for a missing file, so that the error page is shown.
        await request.interface.read(FileReply, f"/v2/files/{file_id}")
        return request.interface.passing(f"/v2/files/{file_id}/content", around=_FILE_HEADERS)

    @get("/{file_id:str}/picture")
    async def show_inline(self, request: PageRequest, file_id: FromPath[str]) -> ASGIApp:
        """Return an image to show inline; other types of files are not found."""
        file = await request.interface.read(FileReply, f"/v2/files/{file_id}")
        if file.mime_type not in INLINE_IMAGE_TYPES:
            raise NotFoundException
        return request.interface.passing(f"/v2/files/{file_id}/content", around=_IMAGE_HEADERS)
