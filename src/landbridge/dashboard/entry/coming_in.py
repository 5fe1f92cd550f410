"""What every way in ends with: a cookie, and the page that was wanted."""

from litestar.response import Redirect

from landbridge.dashboard.door import session_cookie
from landbridge.dashboard.pages import go
from landbridge.dashboard.visitors import PageRequest


def let_in(secret: str, path: str, *, base_url: str) -> Redirect:
    """On to a page, with the session's cookie."""
    answer = go(path)
    answer.cookies.append(session_cookie(secret, base_url=base_url))
    return answer


def ip_address(request: PageRequest) -> str | None:
    """Where the request comes from; of proxies, only those count that the settings name."""
    return request.client.host if request.client else None


def browser(request: PageRequest) -> str | None:
    """What the browser calls itself."""
    return request.headers.get("user-agent")
