"""Shared layout and content security policy of all hosted pages.

The pages have no script, no image and no foreign host; the policy enforces this in browsers.
"""

import base64
import hashlib
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import MediaType, Response

from landbridge.customers.users.page_language import (
    language,
    long_date,
    long_time,
    translate,
    translate_plural,
)
from landbridge.platform.formats.translations import install_texts

# Loads layout, style and terms; templates of other packages extend these.
LOADER = PackageLoader("landbridge.customers.users", "pages")
PAGES = Environment(
    loader=LOADER,
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    extensions=["jinja2.ext.i18n"],
)
PAGES.policies["ext.i18n.trimmed"] = True
install_texts(PAGES, translate, translate_plural)
_loose: Any = PAGES
_loose.globals["language"] = language
PAGES.filters |= {"long_date": long_date, "long_time": long_time}


def _source_of_style() -> str:
    """Return the hash source of the only permitted style sheet, which is inline."""
    # Hash the style sheet as Jinja renders it, without the final newline.
    style = PAGES.get_template("style.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"'sha256-{digest}'"


_POLICY = f"default-src 'none'; style-src {_source_of_style()}; base-uri 'none'"


def html(text: str, status: int, policy: str) -> Response[str]:
    """Return a page; `policy` is added to the common content security policy."""
    return Response(
        text,
        status_code=status,
        media_type=MediaType.HTML,
        headers={
            "Content-Security-Policy": f"{_POLICY}; {policy}",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        },
    )


def hosted_path(public_url: str, path: str) -> str:
    """Return the path of a hosted page as browsers see it: below that of the public URL."""
    return f"{urlsplit(public_url).path}{path}"


def return_url(url: str, name: str, id_: UUID) -> str:
    """Return an organisation's URL with one query parameter appended and nothing else changed."""
    base, hash_, fragment = url.partition("#")
    joint = "?" if "?" not in base else "" if base.endswith(("?", "&")) else "&"
    return f"{base}{joint}{name}={id_}{hash_}{fragment}"
