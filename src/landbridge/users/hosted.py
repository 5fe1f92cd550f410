"""What all hosted pages have in common: their look, and that browsers let nothing else in.

The pages have no script, no picture and no foreign host, and a browser is told so.
"""

import base64
import hashlib
from uuid import UUID

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import MediaType, Response

# Layout, style and the text of the terms; pages of other packages extend these.
LOADER = PackageLoader("landbridge.users", "pages")
PAGES = Environment(
    loader=LOADER, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def _source_of_style() -> str:
    """The one style sheet that a page may have, which stands in it, by its hash."""
    # As Jinja renders it: without its last line end.
    style = PAGES.get_template("style.css").render()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"'sha256-{digest}'"


_POLICY = f"default-src 'none'; style-src {_source_of_style()}; base-uri 'none'"


def html(text: str, status: int, policy: str) -> Response[str]:
    """A page; `policy` is what of its content security policy is its own."""
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


def way_back(url: str, name: str, id_: UUID) -> str:
    """An organisation's URL, untouched but for one parameter more at the end of its query."""
    told, hash_, fragment = url.partition("#")
    joint = "?" if "?" not in told else "" if told.endswith(("?", "&")) else "&"
    return f"{told}{joint}{name}={id_}{hash_}{fragment}"
