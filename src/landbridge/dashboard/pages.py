"""Making a page: its template, what every page is told, and what browsers are told of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import quote, unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import MediaType, Response
from litestar.datastructures import Cookie
from litestar.response import Redirect

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.assets import asset_path
from landbridge.dashboard.door import visit_cookie
from landbridge.dashboard.looks import FILTERS
from landbridge.dashboard.places import OWN, places, sections
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import LANGUAGES, catalogue
from landbridge.orgs.model import Mode

# Page or redirect.
Page = Response[str] | Redirect

_SAID = "landbridge-said"
_SAID_LENGTH_MAX = 500
# Everything comes from us; nothing runs that stands in a page; nobody frames one.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_UNPROCESSABLE = 422


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What pages know of the installation."""

    mode: Mode
    base_url: str
    clock: Clock
    # Whether mails leave the house; in a sandbox they are in the mailbox.
    sends_mail: bool

    @property
    def is_sandbox(self) -> bool:
        """Whether the sandbox's bar is shown."""
        return self.mode is Mode.SANDBOX


class Renderer:
    """Makes pages. `values` of `page` are the template's; StrictUndefined finds the others."""

    def __init__(self, around: Callable[[], Surroundings]) -> None:
        self._around = around

    @property
    def surroundings(self) -> Surroundings:
        """What pages know of the installation, as it is now."""
        return self._around()

    def page(
        self, request: PageRequest, template: str, /, *, status: int = 200, **values: Any
    ) -> Response[str]:
        """A page from a template; `problem` is the refusal to show on it, if any."""
        return self._answer(request, self.text(request, template, **values), status)

    def again(
        self, request: PageRequest, template: str, /, problem: Refused, **values: Any
    ) -> Response[str]:
        """The page of a form once more, with what is to be mended and what was filled in."""
        text = self.text(request, template, problem=problem, **values)
        is_invalid = isinstance(problem, FieldInvalid)
        answer = self._answer(request, text, _UNPROCESSABLE if is_invalid else problem.status)
        if problem.retry_after_s is not None:
            answer.headers["Retry-After"] = str(problem.retry_after_s)
        return answer

    def text(self, request: PageRequest, template: str, /, **values: Any) -> str:
        """The HTML of a template, such as a fragment that a script asked for."""
        visitor = request.user
        around = self.surroundings
        told: dict[str, Any] = {
            "visitor": visitor,
            "signed": visitor.signed,
            "csrf": visitor.csrf,
            "locale": visitor.language,
            "zone": visitor.zone,
            "now": self.now(request),
            "is_sandbox": around.is_sandbox,
            "sends_mail": around.sends_mail,
            "base_url": around.base_url,
            "path": request.url.path,
            "query": request.url.query,
            "sections": sections(visitor, is_sandbox=around.is_sandbox),
            "places": places(visitor, is_sandbox=around.is_sandbox),
            "own": OWN,
            "languages": LANGUAGES,
            # Translated here and escaped there: a cookie is not ours once it was away.
            "said": _said_in(visitor.language, request.cookies.get(_SAID, "")),
            "problem": None,
        }
        return _templates(visitor.language).get_template(template).render(told | values)

    def now(self, request: PageRequest) -> datetime:
        """The present moment, by the clock of the visitor's organisation."""
        signed = request.user.signed
        clock = self.surroundings.clock
        return clock.now() if signed is None else clock.now(signed.caller.clock_offset)

    def _answer(self, request: PageRequest, text: str, status: int) -> Response[str]:
        cookies: list[Cookie] = []
        if _SAID in request.cookies:
            cookies.append(_said(""))
        if request.user.signed is None:
            cookies.append(visit_cookie(request.user, base_url=self.surroundings.base_url))
        return Response(
            text, status_code=status, media_type=MediaType.HTML, headers=headers(), cookies=cookies
        )


def go(path: str, *, said: str = "") -> Redirect:
    """On to another page of ours, which says `said` once."""
    return Redirect(path, status_code=303, cookies=[_said(said)] if said else None)


def headers() -> Mapping[str, str]:
    """What browsers are told of every page."""
    return {
        "Content-Security-Policy": _POLICY,
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }


def _said_in(language: str, cookie: str) -> str:
    # An empty text is what the head of a catalogue goes by.
    text = unquote(cookie)[:_SAID_LENGTH_MAX]
    return catalogue(language).gettext(text) if text else ""


def _said(text: str) -> Cookie:
    return Cookie(
        key=_SAID,
        value=quote(text[:_SAID_LENGTH_MAX]),
        path="/dashboard",
        httponly=True,
        samesite="strict",
        max_age=60 if text else 0,
    )


@cache
def _templates(language: str) -> Environment:
    """Templates in a language; made once for each."""
    made = Environment(
        loader=PackageLoader("landbridge.dashboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    loose: Any = made
    loose.filters.update(FILTERS)
    loose.globals["asset"] = asset_path
    loose.install_gettext_translations(catalogue(language), newstyle=True)
    return made
