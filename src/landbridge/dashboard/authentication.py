"""Authentication of pages: sessions, fresh proofs and form tokens.

Guarantees:
- A page is shown only to a signed-in visitor, second factor included, unless its handler declares
  `signed_out=True` (or `second=True` for the page of that factor).
- Pages that grant or take power (keys, members, policies, limits, fees), redirect deposits, or
  erase a user, require a fresh proof of identity: a handler that declares `fresh=` and its return
  path accepts only sessions with a proof from the last ten minutes.
- A form is accepted only from a visitor who still has these rights once its last byte has arrived,
  which may be minutes after the first.
- No cross-site request changes anything: every POST must come from the dashboard's own origin and
  carry the token of its session. The guard checks this for all handlers, so none can omit it.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Literal, cast
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar.datastructures import Cookie
from litestar.enums import RequestEncodingType
from litestar.handlers.base import BaseRouteHandler

from landbridge.customers.onboarding.multipart_form import SubmittedForm, UploadMemory, read_sent
from landbridge.customers.team.errors import RecentSignInRequired
from landbridge.customers.team.model import SignedInSession, new_secret
from landbridge.dashboard.page_budget import AdmittedPage, PageBudget
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.platform.core.errors import Refused
from landbridge.platform.formats.translations import best_language
from landbridge.platform.http.auth_guard import AnyConnection
from landbridge.platform.http.authenticated import mark_authenticated
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.connection_admission import address_share
from landbridge.platform.http.forms import FIELDS_MAX, SIGNED_OUT_FIELDS_MAX, parse_form
from landbridge.platform.http.headers import cookie
from landbridge.platform.http.list_query import AnyRequest
from landbridge.reporting.attention_counts import AttentionCount

HOME, SIGN_IN, SECOND = "/dashboard", "/dashboard/sign-in", "/dashboard/sign-in/code"
# Option of handlers that require a fresh proof: the path of the form, with path parameters.
FRESH = "fresh"
FIELD, HEADER = "csrf", "X-CSRF-Token"
# Scope key of the form of a route with `upload=True`; it is read in memory, never on disk.
SUBMITTED_FORM = "landbridge.sent"
_SESSION, _VISIT, _BROWSER = "landbridge", "landbridge-visit", "landbridge-browser"
_BROWSER_KNOWN_S = 180 * 24 * 3600
_UTC = ZoneInfo("UTC")
_SAFE = frozenset({"GET", "HEAD"})

Guard = Callable[[AnyConnection, BaseRouteHandler], Awaitable[None]]


class NotSignedIn(Refused):
    """The browser has no session of a member."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class MfaRequired(Refused):
    """The second factor is still to be given."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class FormTokenInvalid(Refused):
    """This form is too old, or another site sent it. Go back, load the page again and try again."""

    code, name, status = 200202, "USER_ROLE_NOT_ALLOWED", 403


def session_cookie(secret: str | None, *, base_url: str) -> Cookie:
    """Return a session's cookie; without a secret, a cookie that deletes it."""
    return _cookie(_SESSION, secret, base_url=base_url, samesite="lax")


def page_guard(
    find_session: Callable[[str], Awaitable[SignedInSession | None]],
    is_fresh: Callable[[SignedInSession], bool],
    zone_of: Callable[[UUID], Awaitable[ZoneInfo]],
    waiting: Callable[[Caller], Awaitable[AttentionCount]],
    find_base_url: Callable[[], str],
) -> Guard:
    """Return the guard of all pages; it calls these functions for each request."""
    upload_memory, page_budget = UploadMemory(), PageBudget()

    async def guard(connection: AnyConnection, handler: BaseRouteHandler) -> None:
        request, base_url = cast("AnyRequest", connection), find_base_url()
        secret = cookie(request.scope, _name(_SESSION, base_url))
        signed = await find_session(secret) if secret else None
        has_menu = not handler.opt.get("signed_out")
        admitted = await _admit(page_budget, connection, handler, signed)
        if secret and admitted is not None and admitted.has_waited:
            signed = await find_session(secret)
        visit_token = cookie(request.scope, _name(_VISIT, base_url)) or new_secret()
        count_waiting = partial(waiting, signed.caller) if signed is not None and has_menu else None
        visitor = PageVisitor(
            signed=signed,
            csrf=visit_token if signed is None else signed.csrf,
            language=_language(request, signed),
            zone=_UTC if signed is None else await zone_of(signed.caller.org_id),
            waiting=None if count_waiting is None else await count_waiting(),
            count_waiting=count_waiting,
            admitted=admitted,
        )
        request.scope["user"] = visitor
        if signed is not None:
            mark_authenticated(request.scope)
        # Before the body is read: signed-out visitors cannot send forms to these pages, nor files.
        _check_rights(handler, signed, is_fresh)
        if request.method in _SAFE:
            return
        await _check_sent(request, handler, visitor, base_url, upload_memory)
        if secret and signed is not None:
            signed = await find_session(secret)
            _check_rights(handler, signed, is_fresh)
            request.scope["user"] = replace(visitor, signed=signed)

    return guard


async def _admit(
    page_budget: PageBudget,
    connection: AnyConnection,
    handler: BaseRouteHandler,
    signed: SignedInSession | None,
) -> AdmittedPage | None:
    """Wait until the page may be rendered; None if it takes no time to render."""
    if handler.opt.get("is_prepared"):
        return None
    if handler.opt.get("signed_out"):
        client = connection.client
        address = "" if client is None else address_share(client.host)
        return await page_budget.admit(address, address)
    return signed and await page_budget.admit(signed.person.org_id, signed.person.id)


def visit_cookie(visitor: PageVisitor, *, base_url: str) -> Cookie:
    """Return the cookie with the form token of a signed-out visitor."""
    return _cookie(_VISIT, visitor.csrf, base_url=base_url, samesite="strict")


def browser_cookie(token: str, *, base_url: str) -> Cookie:
    """Return the cookie by which the next sign-in recognizes this browser."""
    sent = _cookie(_BROWSER, token, base_url=base_url, samesite="strict")
    return replace(sent, max_age=_BROWSER_KNOWN_S)


def known_browser(request: AnyRequest, *, base_url: str) -> str | None:
    """Return the browser's recognition token, unverified."""
    return cookie(request.scope, _name(_BROWSER, base_url))


def _check_rights(
    handler: BaseRouteHandler,
    signed: SignedInSession | None,
    is_fresh: Callable[[SignedInSession], bool],
) -> None:
    """Raise `NotSignedIn`, `MfaRequired` or `RecentSignInRequired`, as the handler requires."""
    if handler.opt.get("signed_out"):
        return
    if signed is None:
        raise NotSignedIn
    if signed.needs_second and not handler.opt.get("second"):
        raise MfaRequired
    if FRESH in handler.opt and not is_fresh(signed):
        raise RecentSignInRequired


async def _check_sent(
    request: AnyRequest,
    handler: BaseRouteHandler,
    visitor: PageVisitor,
    base_url: str,
    upload_memory: UploadMemory,
) -> None:
    if handler.opt.get("upload"):
        await _check_upload(request, visitor, base_url, upload_memory)
    else:
        await _check_form(request, visitor, base_url)


async def _check_form(request: AnyRequest, visitor: PageVisitor, base_url: str) -> None:
    """Raise `FormTokenInvalid` unless the form comes from a dashboard page."""
    if not _is_same_origin(request, base_url):
        raise FormTokenInvalid
    token = request.headers.get(HEADER)
    content_type = request.content_type[0]
    if token is None and content_type == RequestEncodingType.URL_ENCODED:
        fields_max = FIELDS_MAX if visitor.signed else SIGNED_OUT_FIELDS_MAX
        values = parse_form(await request.body(), fields_max=fields_max).get(FIELD, [])
        token = values[0] if values else None
    elif token is None and content_type == RequestEncodingType.MULTI_PART and visitor.signed:
        try:
            part = (await request.form()).get(FIELD)
        except (LookupError, ValueError):
            # A charset that does not exist, or a text in another one.
            raise FormTokenInvalid from None
        token = part if isinstance(part, str) else None
    if token is None or not hmac.compare_digest(token.encode(), visitor.csrf.encode()):
        raise FormTokenInvalid


async def _check_upload(
    request: AnyRequest, visitor: PageVisitor, base_url: str, upload_memory: UploadMemory
) -> None:
    """Check a form with a file as `_check_form` does, and store the form in the scope."""
    if not _is_same_origin(request, base_url):
        raise FormTokenInvalid
    with upload_memory.place(visitor.caller.org_id, visitor.caller.id):
        submitted: SubmittedForm = await read_sent(request)
    token = submitted.fields.get(FIELD, [""])[0]
    if not hmac.compare_digest(token.encode(), visitor.csrf.encode()):
        raise FormTokenInvalid
    cast("dict[str, object]", request.scope)[SUBMITTED_FORM] = submitted


def _is_same_origin(request: AnyRequest, base_url: str) -> bool:
    """Return whether the request comes from the dashboard's origin, as browsers always declare."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    hosts = {urlsplit(base_url).netloc, request.headers.get("host", "")}
    try:
        return origin is not None and urlsplit(origin).netloc in hosts
    except ValueError:
        # No browser sends a malformed origin.
        return False


def _language(request: AnyRequest, signed: SignedInSession | None) -> str:
    if signed is not None and signed.person.language:
        return signed.person.language
    return best_language(request.headers.get("accept-language", ""))


def _cookie(
    name: str, value: str | None, *, base_url: str, samesite: Literal["lax", "strict"]
) -> Cookie:
    return Cookie(
        key=_name(name, base_url),
        value=value or "",
        path="/",
        httponly=True,
        secure=_is_secure(base_url),
        samesite=samesite,
        max_age=0 if value is None else None,
    )


def _name(name: str, base_url: str) -> str:
    """Return the cookie name, with the prefix that binds it to this host if served over https."""
    return f"__Host-{name}" if _is_secure(base_url) else name


def _is_secure(base_url: str) -> bool:
    return base_url.startswith("https:")
