"""Style sheet and scripts: our own, served by us, by a name that changes when they do."""

import hashlib
import mimetypes
from functools import cache
from pathlib import Path
from typing import Final

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from landbridge.dashboard.page_visitor import VisitorRequest
from landbridge.platform.http.static_content import StaticContent

_FOLDER: Final = Path(__file__).parent / "static"
_YEAR_S = 31_536_000
_HASH_LENGTH = 16


@cache
def _files() -> dict[str, tuple[StaticContent, str]]:
    """Content and hash by name."""
    return {each.name: _file(each) for each in sorted(_FOLDER.iterdir())}


def _file(path: Path) -> tuple[StaticContent, str]:
    content = path.read_bytes()
    media_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    digest = hashlib.sha256(content).hexdigest()[:_HASH_LENGTH]
    return StaticContent.of(content, media_type), digest


def asset_path(name: str) -> str:
    """Return the URL path of a file."""
    return f"/dashboard/assets/{_files()[name][1]}/{name}"


def asset_text(name: str) -> str:
    """Return the content of a text file."""
    return _files()[name][0].content.decode()


@get("/assets/{version:str}/{name:str}", signed_out=True, is_prepared=True, sync_to_thread=False)
def asset(request: VisitorRequest, version: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """Serve a file as immutable; raise `NotFoundException` for any version but the current one.

    Files are compressed and pages are not: a page has the token of its forms beside what a request
    put on it, and its compressed size would depend on the token.
    """
    file = _files().get(name)
    if file is None or version != file[1]:
        raise NotFoundException
    return file[0].response(request, cache=f"public, max-age={_YEAR_S}, immutable")
