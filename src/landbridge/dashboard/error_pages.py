"""Error pages: one sentence about the error, and a link to continue."""

from urllib.parse import quote
from zoneinfo import ZoneInfo

import structlog
from litestar import Response
from litestar.exceptions import HTTPException
from litestar.response import Redirect

from landbridge.customers.team.errors import RecentSignInRequired
from landbridge.dashboard.auth.mfa_pages import redirect_to_password_check
from landbridge.dashboard.auth.profile_pages import PROFILE
from landbridge.dashboard.authentication import FRESH, SECOND, SIGN_IN, MfaRequired, NotSignedIn
from landbridge.dashboard.local_paths import requested_page
from landbridge.dashboard.page_request import Page
from landbridge.dashboard.page_visitor import PageVisitor
from landbridge.dashboard.rendering import Renderer
from landbridge.platform.core.errors import Busy, ReadOnlyServer, Refused
from landbridge.platform.formats.translations import ENGLISH
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.error_responses import is_disconnected, with_cleared_tracebacks
from landbridge.platform.http.list_query import AnyRequest

_log = structlog.stdlib.get_logger()

_NOT_FOUND, _TOO_LARGE, _BROKEN, _BUSY = 404, 413, 500, 503


class ErrorPages:
    """Exception handlers of all pages."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self.handlers = with_cleared_tracebacks(
            {
                NotSignedIn: self.not_signed_in,
                MfaRequired: self.second_missing,
                RecentSignInRequired: self.proof_missing,
                Refused: self.refused,
                Busy: self.busy,
                HTTPException: self.http_exception,
                Exception: self.broken,
            }
        )

    def not_signed_in(self, request: AnyRequest, error: NotSignedIn) -> Redirect:
        """Redirect to the sign-in page, and back afterwards."""
        del error
        return Redirect(
            f"{SIGN_IN}?next={quote(_requested_page(request), safe='')}", status_code=303
        )

    def second_missing(self, request: AnyRequest, error: MfaRequired) -> Redirect:
        """Redirect to the page of the second factor."""
        del error
        return Redirect(
            f"{SECOND}?next={quote(_requested_page(request), safe='')}", status_code=303
        )

    def proof_missing(self, request: AnyRequest, error: RecentSignInRequired) -> Redirect:
        """Redirect to the password prompt, and back to the form afterwards."""
        del error
        form: str = request.route_handler.opt.get(FRESH, PROFILE)
        return redirect_to_password_check(form.format(**request.path_params))

    def refused(self, request: AnyRequest, error: Refused) -> Page:
        """Show a refusal of the API."""
        title = _("Not found") if error.status == _NOT_FOUND else _("Action not possible")
        # The API's sentence may repeat user input; the template escapes it.
        response = self._page(request, error.status, title, "", refusal=error)
        if error.retry_after_s is not None:
            response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    def busy(self, request: AnyRequest, error: Busy) -> Page:
        """Show that the service is busy."""
        _log.warning("dashboard.busy", reason=str(error))
        sentence = _("The service is busy. Try again in a moment.")
        if isinstance(error, ReadOnlyServer):
            sentence = _("This server is read-only at present. Nothing was changed.")
        response = self._page(request, _BUSY, _("Try again"), sentence)
        response.headers["Retry-After"] = str(error.retry_after_s)
        return response

    def http_exception(self, request: AnyRequest, error: HTTPException) -> Page:
        """Show an exception of the framework."""
        status = 400 if is_disconnected(error) else error.status_code
        if status == _NOT_FOUND:
            return self._page(request, status, _("Not found"), _("This page doesn't exist."))
        if status == _TOO_LARGE:
            return self._page(request, status, _("Request too large"), _("Upload a smaller file."))
        if status < _BROKEN:
            return self._page(
                request, status, _("Action not possible"), _("Go back and try again.")
            )
        return self.broken(request, error)

    def broken(self, request: AnyRequest, error: Exception) -> Page:
        """Show an internal error; the log has it under the same request id."""
        _log.error("dashboard.broken", exc_info=error)
        return self._page(
            request,
            _BROKEN,
            _("Something went wrong on our side"),
            _("No data was lost. Try again, or contact support with the request ID."),
        )

    def _page(
        self,
        request: AnyRequest,
        status: int,
        title: str,
        sentence: str,
        *,
        refusal: Refused | str = "",
    ) -> Response[str]:
        if "user" not in request.scope:
            # The request was refused before the guard ran.
            request.scope["user"] = _signed_out_visitor()
        return self._renderer.page(
            request, "refusal.html", status, title=title, sentence=sentence, refusal=refusal
        )


def _requested_page(request: AnyRequest) -> str:
    """Return the requested page, to return to after signing in."""
    return requested_page(request) if request.method == "GET" else ""


def _signed_out_visitor() -> PageVisitor:
    return PageVisitor(signed=None, csrf="", language=ENGLISH, zone=ZoneInfo("UTC"))
