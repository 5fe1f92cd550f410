"""The door: who may see a page, and whose forms count.

Guarantees:
- no page is shown to anybody who has not signed in, second factor included, unless its handler says
  `signed_out=True` (or `second=True` for the page of that factor);
- what gives power (keys, admins, policies, limits, fees) takes a fresh proof of who asks: handlers
  that say `fresh=`, and where to come back to, are for sessions of the last ten minutes alone;
- nothing is changed by a request that another site made: every POST comes from our own origin and
  holds the token of its session, whatever its handler does. A handler can't forget it.
"""

import hmac
from collections.abc import Awaitable, Callable
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.enums import RequestEncodingType
from litestar.handlers.base import BaseRouteHandler

from landbridge.core.errors import Refused
from landbridge.dashboard.visitors import Visitor
from landbridge.dashboard.words import best_language
from landbridge.members.errors import ProofMissing
from landbridge.members.model import SignedIn, new_secret
from landbridge.onboarding.uploads import Room, Sent, read_sent
from landbridge.web.forms import FIELDS_MAX, SIGNED_OUT_FIELDS_MAX, parse_form
from landbridge.web.known import mark_known

HOME, SIGN_IN, SECOND = "/dashboard", "/dashboard/sign-in", "/dashboard/sign-in/code"
# The option of handlers that take a fresh proof: where the form is, with the names of the path.
FRESH = "fresh"
FIELD, HEADER = "csrf", "X-CSRF-Token"
# Where the form of a route with `upload=True` is: read in memory, files never touch the disk.
SENT = "landbridge.sent"
_SESSION, _VISIT = "landbridge", "landbridge-visit"
_UTC = ZoneInfo("UTC")
_SAFE = frozenset({"GET", "HEAD"})

AnyRequest = Request[Any, Any, Any]
Guard = Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], Awaitable[None]]


class NotSignedIn(Refused):
    """Nobody has signed in here."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class SecondMissing(Refused):
    """The second factor is still to be given."""

    code, name, status = 200001, "INVALID_API_KEY", 401


class FormForged(Refused):
    """This form is too old, or another site sent it. Go back, load the page again and try again."""

    code, name, status = 200202, "USER_ROLE_NOT_ALLOWED", 403


def session_cookie(secret: str | None, *, base_url: str) -> Cookie:
    """The cookie of a session; without a secret, one that takes it away."""
    return _cookie(_SESSION, secret, base_url=base_url, samesite="lax")


def door(
    find_session: Callable[[str], Awaitable[SignedIn | None]],
    is_fresh: Callable[[SignedIn], bool],
    zone_of: Callable[[UUID], Awaitable[ZoneInfo]],
    find_base_url: Callable[[], str],
) -> Guard:
    """A guard in front of every page; what it is given, it asks for each request."""
    room = Room()

    async def guard(
        connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
    ) -> None:
        request, base_url = cast("AnyRequest", connection), find_base_url()
        secret = request.cookies.get(_name(_SESSION, base_url))
        signed = await find_session(secret) if secret else None
        visit = request.cookies.get(_name(_VISIT, base_url)) or new_secret()
        visitor = Visitor(
            signed=signed,
            csrf=visit if signed is None else signed.csrf,
            language=_language(request, signed),
            zone=_UTC if signed is None else await zone_of(signed.caller.org_id),
        )
        request.scope["user"] = visitor
        if signed is not None:
            mark_known(request.scope)
        if not handler.opt.get("signed_out"):
            # Before anything is read: strangers send no forms to these pages.
            if signed is None:
                raise NotSignedIn
            if signed.needs_second and not handler.opt.get("second"):
                raise SecondMissing
            if FRESH in handler.opt and not is_fresh(signed):
                raise ProofMissing
        if request.method not in _SAFE and not handler.opt.get("upload"):
            await _check_form(request, visitor, base_url)
        if handler.opt.get("upload"):
            # Nobody else's file is read at all.
            await _check_upload(request, visitor, base_url, room)

    return guard


def visit_cookie(visitor: Visitor, *, base_url: str) -> Cookie:
    """What forms are known by while nobody has signed in."""
    return _cookie(_VISIT, visitor.csrf, base_url=base_url, samesite="strict")


async def _check_form(request: AnyRequest, visitor: Visitor, base_url: str) -> None:
    """Raise `FormForged` unless a page of ours sent this."""
    if not _is_ours(request, base_url):
        raise FormForged
    token = request.headers.get(HEADER)
    content_type = request.content_type[0]
    if token is None and content_type == RequestEncodingType.URL_ENCODED:
        fields_max = FIELDS_MAX if visitor.signed else SIGNED_OUT_FIELDS_MAX
        told = parse_form(await request.body(), fields_max=fields_max).get(FIELD, [])
        token = told[0] if told else None
    elif token is None and content_type == RequestEncodingType.MULTI_PART and visitor.signed:
        try:
            part = (await request.form()).get(FIELD)
        except UnicodeDecodeError:
            raise FormForged from None
        token = part if isinstance(part, str) else None
    if token is None or not hmac.compare_digest(token.encode(), visitor.csrf.encode()):
        raise FormForged


async def _check_upload(request: AnyRequest, visitor: Visitor, base_url: str, room: Room) -> None:
    """As `_check_form`, for a form with a file, which is left in the scope."""
    if not _is_ours(request, base_url):
        raise FormForged
    with room.place(visitor.caller.id):
        sent: Sent = await read_sent(request)
    token = sent.fields.get(FIELD, [""])[0]
    if not hmac.compare_digest(token.encode(), visitor.csrf.encode()):
        raise FormForged
    cast("dict[str, Any]", request.scope)[SENT] = sent


def _is_ours(request: AnyRequest, base_url: str) -> bool:
    """Whether the browser says that a page of ours asks; it always says something."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    hosts = {urlsplit(base_url).netloc, request.headers.get("host", "")}
    try:
        return origin is not None and urlsplit(origin).netloc in hosts
    except ValueError:
        # No browser says such a thing.
        return False


def _language(request: AnyRequest, signed: SignedIn | None) -> str:
    if signed is not None and signed.person.language:
        return signed.person.language
    return best_language(request.headers.get("accept-language", ""))


def _cookie(name: str, value: str | None, *, base_url: str, samesite: Any) -> Cookie:
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
    """With a prefix that binds it to our host, where browsers let us: over https only."""
    return f"__Host-{name}" if _is_secure(base_url) else name


def _is_secure(base_url: str) -> bool:
    return base_url.startswith("https:")
