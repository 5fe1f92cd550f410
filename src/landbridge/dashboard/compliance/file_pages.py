"""Files that people sent in: saved by browsers, never opened by them; pictures shown as pictures.

Guarantees: whatever is in a file, no browser runs it: PDFs are downloads, and what is shown is said
to be a JPEG or a PNG, which our own look at its content found it to be.
"""

from typing import Any, Final

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from landbridge.web.inside import Interface

# What every browser shows.
PICTURES: Final = ("image/jpeg", "image/png")
_PASSED: Final = ("content-disposition", "content-security-policy", "x-content-type-options")
_PICTURE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class FilePages(Controller):
    """Files by their ids."""

    path = "/files"

    @get("/{file_id:str}")
    async def save(
        self, file_id: FromPath[str], interface: NamedDependency[Interface]
    ) -> Response[bytes]:
        """The file as an attachment, as the interface answers it."""
        answer = await interface.send("GET", f"/v2/files/{file_id}/content")
        return Response(
            answer.body,
            media_type=answer.headers["content-type"],
            headers={name: answer.headers[name] for name in _PASSED}
            | {"Cache-Control": "no-store"},
        )

    @get("/{file_id:str}/picture")
    async def show(
        self, file_id: FromPath[str], interface: NamedDependency[Interface]
    ) -> Response[bytes]:
        """A picture for a page of ours; there is none of any other kind of file."""
        file: Any = await interface.get(f"/v2/files/{file_id}")
        if file["mimeType"] not in PICTURES:
            raise NotFoundException
        answer = await interface.send("GET", f"/v2/files/{file_id}/content")
        return Response(answer.body, media_type=file["mimeType"], headers=_PICTURE_HEADERS)
