"""Style sheet and scripts: our own, served by us, by a name that changes when they do."""

import hashlib
import mimetypes
from functools import cache
from pathlib import Path
from typing import Final

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

_FOLDER: Final = Path(__file__).parent / "static"
_YEAR_S = 31_536_000
_HASH_LENGTH = 16


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    """Content and hash by name."""
    found = {each.name: each.read_bytes() for each in sorted(_FOLDER.iterdir())}
    return {
        name: (content, hashlib.sha256(content).hexdigest()[:_HASH_LENGTH])
        for name, content in found.items()
    }


def asset_path(name: str) -> str:
    """Return the URL path of a file."""
    return f"/dashboard/assets/{_files()[name][1]}/{name}"


@get("/assets/{version:str}/{name:str}", signed_out=True, sync_to_thread=False)
def asset(version: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """Serve a file as immutable; raise `NotFoundException` for any version but the current one."""
    content, known = _files().get(name, (b"", ""))
    if not known or version != known:
        raise NotFoundException
    return Response(
        content,
        media_type=mimetypes.guess_type(name)[0] or "application/octet-stream",
        headers={"Cache-Control": f"public, max-age={_YEAR_S}, immutable"},
    )
