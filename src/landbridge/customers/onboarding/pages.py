"""HTML pages of the form.

A form needs no additional CSRF token: there are no cookies, and a form is authorised by the session
token in its body, which no other site knows.
"""

from typing import Any
from urllib.parse import urlsplit

from jinja2 import ChoiceLoader, PackageLoader
from litestar import Response

from landbridge.customers.users.hosted_pages import LOADER, PAGES, html

_pages = PAGES.overlay(
    loader=ChoiceLoader([PackageLoader("landbridge.customers.onboarding", "pages"), LOADER])
)


def page(name: str, status: int, *, redirect: str | None = None, **values: Any) -> Response[str]:
    """Return a page; `redirect` is an additional permitted redirect target of its form."""
    text = _pages.get_template(name).render(redirect=redirect, **values)
    answer = html(text, status, _policy(redirect))
    answer.headers["X-Frame-Options"] = "DENY"
    return answer


def _policy(redirect: str | None) -> str:
    # Browsers apply the form-action directive to a redirect after a form as well.
    actions = "'self'"
    if redirect is not None:
        parts = urlsplit(redirect)
        actions += f" {parts.scheme}://{parts.netloc}"
    return f"form-action {actions}; frame-ancestors 'none'"
