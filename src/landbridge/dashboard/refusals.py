"""What a page says when there is none: a sentence, and where to go."""

from typing import Any, TypeAlias
from urllib.parse import quote
from zoneinfo import ZoneInfo

import structlog
from litestar import Request
from litestar.exceptions import HTTPException
from litestar.response import Redirect

from landbridge.core.errors import Busy, Refused
from landbridge.dashboard.door import FRESH, SECOND, SIGN_IN, NotSignedIn, SecondMissing
from landbridge.dashboard.entry.profile_pages import PROFILE
from landbridge.dashboard.entry.proof_pages import to_proof
from landbridge.dashboard.pages import Page, Renderer
from landbridge.dashboard.visitors import Visitor
from landbridge.dashboard.words import ENGLISH
from landbridge.dashboard.words import later as _
from landbridge.members.errors import ProofMissing
from landbridge.web.errors import is_gone

_log = structlog.stdlib.get_logger()

AnyRequest: TypeAlias = Request[Any, Any, Any]
_NOT_FOUND, _TOO_LARGE, _BROKEN, _BUSY = 404, 413, 500, 503


class Refusals:
    """Exception handlers of all pages."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self.handlers: dict[Any, Any] = {
            NotSignedIn: self.not_signed_in,
            SecondMissing: self.second_missing,
            ProofMissing: self.proof_missing,
            Refused: self.refused,
            Busy: self.busy,
            HTTPException: self.http_exception,
            Exception: self.broken,
        }

    def not_signed_in(self, request: AnyRequest, error: NotSignedIn) -> Redirect:
        """On to signing in, and back afterwards."""
        del error
        return Redirect(f"{SIGN_IN}?next={quote(_wanted(request), safe='')}", status_code=303)

    def second_missing(self, request: AnyRequest, error: SecondMissing) -> Redirect:
        """On to the second factor."""
        del error
        return Redirect(f"{SECOND}?next={quote(_wanted(request), safe='')}", status_code=303)

    def proof_missing(self, request: AnyRequest, error: ProofMissing) -> Redirect:
        """On to the password, and back to the form afterwards."""
        del error
        form: str = request.route_handler.opt.get(FRESH, PROFILE)
        return to_proof(form.format(**request.path_params))

    def refused(self, request: AnyRequest, error: Refused) -> Page:
        """What the interface refused, in its words."""
        title = _("Not found") if error.status == _NOT_FOUND else _("This can't be done")
        # In its own words, which may repeat what somebody typed: shown as they are.
        answer = self._page(request, error.status, title, "", told=error.message)
        if error.retry_after_s is not None:
            answer.headers["Retry-After"] = str(error.retry_after_s)
        return answer

    def busy(self, request: AnyRequest, error: Busy) -> Page:
        """Not now."""
        _log.warning("dashboard.busy", reason=str(error))
        answer = self._page(
            request, _BUSY, _("Please try again"), _("The service is busy. Try again in a moment.")
        )
        answer.headers["Retry-After"] = str(error.retry_after_s)
        return answer

    def http_exception(self, request: AnyRequest, error: HTTPException) -> Page:
        """What the framework refuses."""
        status = 400 if is_gone(error) else error.status_code
        if status == _NOT_FOUND:
            return self._page(
                request, status, _("Not found"), _("There is nothing at this address.")
            )
        if status == _TOO_LARGE:
            return self._page(request, status, _("That was too much"), _("Send a smaller file."))
        if status < _BROKEN:
            return self._page(request, status, _("This can't be done"), _("Go back and try again."))
        return self.broken(request, error)

    def broken(self, request: AnyRequest, error: Exception) -> Page:
        """A fault of ours; the log has it under the same request id."""
        _log.error("dashboard.broken", exc_info=error)
        return self._page(
            request,
            _BROKEN,
            _("Something went wrong on our side"),
            _("Nothing was lost. The log has it under the id of this request."),
        )

    def _page(
        self, request: AnyRequest, status: int, title: str, sentence: str, *, told: str = ""
    ) -> Any:
        if "user" not in request.scope:
            # Refused before the door was reached.
            request.scope["user"] = _stranger()
        return self._renderer.page(
            request, "refusal.html", status=status, title=title, sentence=sentence, told=told
        )


def _wanted(request: AnyRequest) -> str:
    """The page that was asked for, to come back to."""
    if request.method != "GET":
        return ""
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")


def _stranger() -> Visitor:
    return Visitor(signed=None, csrf="", language=ENGLISH, zone=ZoneInfo("UTC"))
