"""Rendering of pages: templates, their common values, and response headers."""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from html import unescape
from typing import Final, cast
from urllib.parse import quote, unquote

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import MediaType, Response
from litestar.datastructures import Cookie

from landbridge.dashboard.assets import asset_path
from landbridge.dashboard.authentication import visit_cookie
from landbridge.dashboard.formatting import FILTERS
from landbridge.dashboard.local_paths import requested_path, requested_query
from landbridge.dashboard.navigation import (
    MenuOptions,
    current_path,
    items,
    menu_counts,
    sections,
)
from landbridge.dashboard.page_visitor import VisitorRequest
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import ENGLISH, LANGUAGES, catalogue, install_texts
from landbridge.platform.http.error_responses import clear_traceback
from landbridge.platform.http.headers import cookie
from landbridge.platform.orgs.model import Mode

_NOTICE = "landbridge-notice"
_NOTICE_LENGTH_MAX = 500
# Assets come only from this server; no inline scripts, no framing.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_UNPROCESSABLE = 422
_LIST_ITEM: Final = re.compile(r"\[\d+\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationInfo:
    """Installation data shown on pages."""

    mode: Mode
    base_url: str
    clock: Clock
    # Whether emails leave the installation; a sandbox shows them in its mailbox.
    sends_mail: bool
    # Whether real chains are connected.
    has_chains: bool
    # Whether the documentation site is served.
    has_guides: bool

    @property
    def is_sandbox(self) -> bool:
        """Return whether the sandbox banner is shown."""
        return self.mode is Mode.SANDBOX


class Renderer:
    """Renders pages; `values` are template variables. StrictUndefined rejects missing ones."""

    def __init__(self, get_installation: Callable[[], InstallationInfo]) -> None:
        self._get_installation = get_installation

    @property
    def installation(self) -> InstallationInfo:
        """Return current installation data."""
        return self._get_installation()

    def page(
        self, request: VisitorRequest, template: str, status: int = 200, /, **values: object
    ) -> Response[str]:
        """Render a page; `problem` is the refusal shown on it, if any.

        `filter_error` is the refusal of a filter of a list, shown beside its input.
        """
        error = values.get("filter_error")
        if isinstance(error, FieldInvalid):
            status = _UNPROCESSABLE
            # A cursor has no input.
            is_input = error.field is not None and error.field != "cursor"
            values = {"wrong_inputs": {error.field: error} if is_input else {}, **values}
        return self._response(request, self._labelled(request, template, **values), status)

    def with_problem(
        self, request: VisitorRequest, template: str, /, problem: Refused, **values: object
    ) -> Response[str]:
        """Render a form again, with its problem and the submitted values.

        `wrong_inputs` maps the inputs that are wrong to a sentence or refusal. Without it, the
        input is the problem's field: that of the whole list for an item such as `rails[0]`.
        """
        # Templates keep their values in cycles.
        clear_traceback(problem)
        if "wrong_inputs" not in values:
            name = _LIST_ITEM.sub("", problem.field or "")
            values["wrong_inputs"] = {name: problem} if name else {}
        text = self._labelled(request, template, problem=problem, **values)
        is_invalid = isinstance(problem, FieldInvalid)
        response = self._response(request, text, _UNPROCESSABLE if is_invalid else problem.status)
        if problem.retry_after_s is not None:
            response.headers["Retry-After"] = str(problem.retry_after_s)
        return response

    def text(self, request: VisitorRequest, template: str, /, **values: object) -> str:
        """Render a template to HTML, also for fragments requested by scripts."""
        visitor = request.user
        installation = self.installation
        options = MenuOptions(
            is_sandbox=installation.is_sandbox,
            has_chains=installation.has_chains,
            has_guides=installation.has_guides,
        )
        common: dict[str, object] = {
            "visitor": visitor,
            "signed": visitor.signed,
            "csrf": visitor.csrf,
            "locale": visitor.language,
            "zone": visitor.zone,
            "now": self.now(request),
            "is_sandbox": installation.is_sandbox,
            "sends_mail": installation.sends_mail,
            "base_url": installation.base_url,
            "path": requested_path(request),
            "query": requested_query(request),
            "sections": sections(visitor, options),
            "menu_counts": menu_counts(visitor),
            "menu_path": current_path(requested_path(request)),
            "navigation_items": items(visitor, options),
            "languages": LANGUAGES,
            # Translated here and escaped in the template: a cookie is untrusted input.
            "notice": _notice_text(visitor.language, cookie(request.scope, _NOTICE) or ""),
            "problem": None,
            "wrong_inputs": {},
            "input_labels": {},
        }
        began_s = time.monotonic()
        try:
            return templates(visitor.language).get_template(template).render(common | values)
        finally:
            if visitor.admitted is not None:
                visitor.admitted.charge(time.monotonic() - began_s)

    def _labelled(self, request: VisitorRequest, template: str, /, **values: object) -> str:
        """Render a page; translated refusals call an input by its label on this page.

        The labels are in the templates alone, so they are read from the page, which is rendered
        again with them.
        """
        text = self.text(request, template, **values)
        wrong = values.get("wrong_inputs")
        if not isinstance(wrong, Mapping) or not wrong or request.user.language == ENGLISH:
            return text
        labels = {name: _label_of(name, text) for name in cast("Mapping[str, object]", wrong)}
        return self.text(request, template, input_labels=labels, **values)

    def now(self, request: VisitorRequest) -> datetime:
        """Return the current time on the clock of the visitor's organisation."""
        signed = request.user.signed
        clock = self.installation.clock
        return clock.now() if signed is None else clock.now(signed.caller.clock_offset)

    def _response(self, request: VisitorRequest, text: str, status: int) -> Response[str]:
        cookies: list[Cookie] = []
        if cookie(request.scope, _NOTICE) is not None:
            cookies.append(notice_cookie(""))
        if request.user.signed is None:
            cookies.append(visit_cookie(request.user, base_url=self.installation.base_url))
        return Response(
            text, status_code=status, media_type=MediaType.HTML, headers=headers(), cookies=cookies
        )


def _label_of(name: str, page: str) -> str:
    """Return the label of an input or of a group of inputs; an empty text if it has none."""
    id_ = f"f-{re.escape(name)}"
    found = re.search(
        rf'<label for="{id_}"[^>]*>\s*([^<]+)'
        rf'|id="{id_}"[^>]*>\s*<(?:legend|summary)[^>]*>\s*(?:<h3>)?([^<]+)',
        page,
    )
    return unescape((found[1] or found[2]).strip()) if found else ""


def headers() -> Mapping[str, str]:
    """Return the response headers of every page."""
    return {
        "Content-Security-Policy": _POLICY,
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }


def _notice_text(language: str, cookie: str) -> str:
    # An empty msgid would return the catalogue's header.
    text = unquote(cookie)[:_NOTICE_LENGTH_MAX]
    return catalogue(language).gettext(text) if text else ""


def notice_cookie(text: str) -> Cookie:
    """Return the cookie of a sentence that the next page shows once; empty removes it."""
    return Cookie(
        key=_NOTICE,
        value=quote(text[:_NOTICE_LENGTH_MAX], safe=""),
        path="/dashboard",
        httponly=True,
        samesite="strict",
        max_age=60 if text else 0,
    )


@cache
def templates(language: str) -> Environment:
    """Return the template environment of a language; created once per language."""
    environment = Environment(
        loader=PackageLoader("landbridge.dashboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    environment.filters.update(FILTERS)
    cast("dict[str, object]", environment.globals)["asset"] = asset_path
    texts = catalogue(language)
    install_texts(environment, texts.gettext, texts.ngettext)
    return environment
