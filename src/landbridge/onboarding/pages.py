"""HTML pages of the form, and the headers that they go out with.

The pages have no script, no picture and no foreign host, and a browser is told so. A form needs no
further token against forgery: there are no cookies, so what lets a form in is the session token in
its body, which no other site knows.
"""

from typing import Any
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from litestar import MediaType, Response

from landbridge.users.hosted import LOADER, STYLE

_pages = Environment(
    loader=ChoiceLoader(
        [
            PackageLoader("landbridge.onboarding", "pages"),
            LOADER,
        ]
    ),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(name: str, status: int, *, redirect: str | None = None, **values: Any) -> Response[str]:
    """A page; `redirect` is where its form may lead in the end, besides to us."""
    return Response(
        _pages.get_template(name).render(redirect=redirect, **values),
        status_code=status,
        media_type=MediaType.HTML,
        headers={
            "Content-Security-Policy": _policy(redirect),
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Cache-Control": "no-store",
        },
    )


def _policy(redirect: str | None) -> str:
    # Browsers hold a redirect after a form to the form's own rule.
    actions = "'self'"
    if redirect is not None:
        parts = urlsplit(redirect)
        actions += f" {parts.scheme}://{parts.netloc}"
    return (
        f"default-src 'none'; style-src {STYLE}; form-action {actions}; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
