"""Redirect after sign-in, with the session cookie, and client details of a request."""

from litestar.response import Redirect

from landbridge.dashboard.authentication import session_cookie
from landbridge.dashboard.page_request import PageRequest, redirect


def redirect_with_session(secret: str, path: str, *, base_url: str) -> Redirect:
    """Redirect to a page and set the session cookie."""
    response = redirect(path)
    response.cookies.append(session_cookie(secret, base_url=base_url))
    return response


def ip_address(request: PageRequest) -> str | None:
    """Return the client's IP address; forwarded addresses count only from trusted proxies."""
    return request.client.host if request.client else None


def browser(request: PageRequest) -> str | None:
    """Return the user agent of the browser."""
    return request.headers.get("user-agent")
