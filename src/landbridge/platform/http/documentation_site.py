"""Documentation site, served from the zip file that `make site` builds.

A wheel contains the site if it was built before the wheel.
"""

import base64
import hashlib
import mimetypes
import re
import zipfile
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from landbridge.platform.http.list_query import AnyRequest
from landbridge.platform.http.static_content import LazyContent, StaticContent

_HOME: Final = "index.html"
_HTML: Final = "text/html"
_INLINE_SCRIPT: Final = re.compile(r"<script(?![^>]* src=)[^>]*>(.*?)</script>", re.DOTALL)


class DocumentationSite:
    """Files of the zip file, each read on its first request."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive

    @property
    def is_built(self) -> bool:
        """Return whether the zip file exists."""
        return self._archive.is_file()

    def find(self, path: str) -> LazyContent | None:
        """Return the file at a path (the home page for an empty one); None if unknown."""
        return self._files.get(path.strip("/") or _HOME)

    @cached_property
    def policy(self) -> str:
        """Return the content security policy: the inline scripts are allowed by their hashes."""
        scripts = _INLINE_SCRIPT.findall(self._read(_HOME).decode())
        digests = (hashlib.sha256(each.encode()).digest() for each in scripts)
        hashes = "".join(f" 'sha256-{base64.b64encode(each).decode()}'" for each in digests)
        return (
            f"default-src 'none'; script-src 'self'{hashes}; style-src 'self' 'unsafe-inline'; "
            "img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )

    @cached_property
    def _files(self) -> dict[str, LazyContent]:
        """Return the files of the site by path; no other path can be requested."""
        if not self.is_built:
            return {}
        with zipfile.ZipFile(self._archive) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
        return {name: LazyContent(partial(self._content, name)) for name in names}

    def _content(self, name: str) -> StaticContent:
        kind, _ = mimetypes.guess_type(name)
        return StaticContent.of(self._read(name), kind or "text/plain")

    def _read(self, name: str) -> bytes:
        # The zip file is opened for each read: forked processes would share the position in an open
        # one.
        with zipfile.ZipFile(self._archive) as archive:
            return archive.read(name)


SITE: Final = DocumentationSite(Path(__file__).with_suffix(".zip"))


@get(["/docs/site", "/docs/site/{path:path}"], public=True, include_in_schema=False)
async def site_file(request: AnyRequest, path: FromPath[str] = "/") -> Response[bytes]:
    """A file of the documentation site; 404 if the site was not built."""
    found = SITE.find(path)
    if found is None:
        home = f"{path.strip('/')}/{_HOME}"
        if SITE.find(home) is None:
            raise NotFoundException
        # Redirect to the home page instead of sending it: its links are relative to its folder.
        return Response(b"", status_code=302, headers={"Location": f"/docs/site/{home}"})
    response = await found.response(request)
    if found.get().media_type == _HTML:
        response.headers["Content-Security-Policy"] = SITE.policy
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["Referrer-Policy"] = "same-origin"
    return response
