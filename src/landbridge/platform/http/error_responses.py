"""Error responses: the only place that renders an error as JSON.

Two envelopes, as in the contract: `{code, error, errorDetails}` everywhere, and inside
`/v2/reporting` `{status: "error", error: {code, message, details}}`.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import (
    ClientException,
    HTTPException,
    InternalServerException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)

from landbridge.platform.core.errors import (
    Busy,
    FieldInvalid,
    FieldsInvalid,
    KeyInvalid,
    KeyMissing,
    MethodNotAllowed,
    Refused,
    VersionInvalid,
)
from landbridge.platform.http.error_page import doc_url
from landbridge.platform.http.responses import ResponseEncoder, WireStruct

_log = structlog.stdlib.get_logger()

# Scope key under which the response's refusal is stored.
REFUSAL = "landbridge.refusal"
REPORTING = "/v2/reporting"
SUBMISSIONS = "/kyc/submissions"
# Litestar's message for a client that disconnected in the middle of its body.
_DISCONNECTED = "client disconnected prematurely"
# Length up to which a message may quote a caller's value.
_ECHO_LENGTH_MAX = 100
_LONG_WORD = re.compile(rf"(\S{{{_ECHO_LENGTH_MAX}}})\S+")
_SENTENCE_LENGTH_MAX = 500
_NOT_FOUND = 404
# Key of the application's state: a function that returns the public URL of the server.
PUBLIC_URL = "landbridge.public_url"
_BROKEN = (700401, "INTERNAL_SERVER_ERROR", 500)

AnyRequest = Request[Any, Any, Any]


class BodyTooLarge(FieldInvalid):
    """The request body is too large."""

    status = 413


class ServiceBusy(Busy):
    """Never raised; describes a `Busy` in the OpenAPI document."""

    code, name, status = 700401, "INTERNAL_SERVER_ERROR", 503


class ErrorReply(WireStruct, frozen=True):
    """An error: branch on `error`; `errorDetails` is a sentence for people.

    `message` is the same sentence, for clients that read it there. `docUrl` is the address of a
    page that explains the error.
    """

    code: int
    error: str
    error_details: str
    message: str
    doc_url: str


class SubmissionErrorReply(ErrorReply, frozen=True):
    """An error of a submission; `invalid` is as in `/kyc/requirements`, if that is the reason."""

    invalid: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class ReportingError(WireStruct, frozen=True):
    """An error of reporting; `details` maps invalid parameters to a sentence, and may be empty."""

    code: str
    message: str
    doc_url: str
    details: dict[str, str]


class ReportingErrorReply(WireStruct, frozen=True):
    """An error of reporting: branch on `error.code`."""

    status: str
    error: ReportingError


class ReportingNotFound(WireStruct, frozen=True):
    """The missing resource. Source: contract, reporting 1: a 404 has no `details`."""

    code: str
    message: str
    doc_url: str


class ReportingNotFoundReply(WireStruct, frozen=True):
    """A 404 of reporting: branch on `error.code`."""

    status: str
    error: ReportingNotFound


def envelope(
    path: str,
    *,
    public_url: str,
    code: int,
    name: str,
    status: int,
    message: str,
    field: str | None,
    invalid: Mapping[str, Any] | None = None,
    fields: Mapping[str, str] | None = None,
) -> ErrorReply | ReportingErrorReply | ReportingNotFoundReply:
    """Return the body of an error, in the envelope for this path."""
    message, page = _bounded(message), doc_url(public_url, name)
    if path.startswith(REPORTING):
        if status == _NOT_FOUND:
            miss = ReportingNotFound(code=name, message=message, doc_url=page)
            return ReportingNotFoundReply(status="error", error=miss)
        reasons = fields or ({field: message} if field else {})
        details = {name[:_ECHO_LENGTH_MAX]: _bounded(text) for name, text in reasons.items()}
        error = ReportingError(code=name, message=message, doc_url=page, details=details)
        return ReportingErrorReply(status="error", error=error)
    if invalid is not None:
        return SubmissionErrorReply(
            code=code,
            error=name,
            error_details=message,
            message=message,
            doc_url=page,
            invalid=dict(invalid),
        )
    return ErrorReply(code=code, error=name, error_details=message, message=message, doc_url=page)


def clear_traceback(error: BaseException) -> None:
    """Drop the traceback and the causes of an error that has been answered.

    Their frames hold the request with its body. If anything in them refers to the error, all of it
    would stay in memory until the garbage collector runs.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None


def with_cleared_tracebacks(
    handlers: Mapping[type[Exception], Callable[[AnyRequest, Any], Any]],
) -> dict[Any, Callable[[AnyRequest, Any], Any]]:
    """Return these exception handlers, each extended to drop its error's frames at the end."""

    def wrap(handler: Callable[[AnyRequest, Any], Any]) -> Callable[[AnyRequest, Any], Any]:
        def handle(request: AnyRequest, error: Exception) -> Any:
            try:
                return handler(request, error)
            finally:
                clear_traceback(error)

        return handle

    return {kind: wrap(handler) for kind, handler in handlers.items()}


def refused(request: AnyRequest, error: Refused) -> Response[Any]:
    """Render a 4xx with code, name and a sentence; internal callers get the refusal itself."""
    cast("dict[str, Any]", request.scope)[REFUSAL] = error
    content = envelope(
        request.scope["path"],
        public_url=_public_url(request),
        code=error.code,
        name=error.name,
        status=error.status,
        message=error.message,
        field=error.field,
        invalid=error.invalid,
        fields=error.fields if isinstance(error, FieldsInvalid) else None,
    )
    headers: dict[str, str] = {}
    if isinstance(error, KeyInvalid | KeyMissing):
        headers["WWW-Authenticate"] = "Bearer"
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    return ResponseEncoder(content, status_code=error.status, headers=headers)


def busy(request: AnyRequest, error: Busy) -> Response[Any]:
    """Render a 503 with `Retry-After`; the request had no effect, or can be sent again."""
    cast("dict[str, Any]", request.scope)[REFUSAL] = error
    _log.warning("http.busy", reason=str(error))
    content = envelope(
        request.scope["path"],
        public_url=_public_url(request),
        code=ServiceBusy.code,
        name=ServiceBusy.name,
        status=ServiceBusy.status,
        message=error.sentence,
        field=None,
    )
    headers = {"Retry-After": str(error.retry_after_s)}
    return ResponseEncoder(content, status_code=ServiceBusy.status, headers=headers)


def http_exception(  # noqa: PLR0911  one for each kind
    request: AnyRequest, error: HTTPException
) -> Response[Any]:
    """Render an error of Litestar as the refusal for its type."""
    match error:
        case ValidationException():
            return refused(request, FieldInvalid(_validation(error)))
        case NotFoundException():
            return refused(request, VersionInvalid(_nothing_at(request)))
        case MethodNotAllowedException():
            response = refused(
                request, MethodNotAllowed(f"{request.method} is not allowed on this path")
            )
            response.headers.update(error.headers or {})
            return response
        case ClientException() if error.status_code == BodyTooLarge.status:
            return refused(request, BodyTooLarge())
        case InternalServerException() if is_disconnected(error):
            # The client is gone and reads no response; this keeps an internal error out of the log.
            return refused(request, FieldInvalid("the request body did not arrive"))
        case ClientException():
            return refused(request, FieldInvalid(error.detail))
        case _:
            return broken(request, error)


def is_disconnected(error: HTTPException) -> bool:
    """Return whether the client disconnected before its body was complete."""
    return error.detail == _DISCONNECTED


def broken(request: AnyRequest, error: Exception) -> Response[Any]:
    """Render a 500 without detail; the log has the detail under the same request id."""
    _log.error("http.broken", exc_info=error)
    code, name, status = _BROKEN
    content = envelope(
        request.scope["path"],
        public_url=_public_url(request),
        code=code,
        name=name,
        status=status,
        message="something went wrong on our side; quote the X-Request-Id header when you ask",
        field=None,
    )
    return ResponseEncoder(content, status_code=status)


def _public_url(request: AnyRequest) -> str:
    return cast("str", request.app.state[PUBLIC_URL]())


def _nothing_at(request: AnyRequest) -> str:
    """Return the sentence for an unknown path, with the path that was probably meant."""
    path = request.scope["path"][:200]
    first = path.strip("/").partition("/")[0]
    is_meant = first and any(
        each.path == f"/v2/{first}" or each.path.startswith(f"/v2/{first}/")
        for each in request.app.routes
    )
    return f"there is nothing at {path}" + (f"; try /v2/{path.strip('/')}" if is_meant else "")


def _bounded(sentence: str) -> str:
    short = _LONG_WORD.sub(r"\1…", sentence)
    is_short = len(short) <= _SENTENCE_LENGTH_MAX
    return short if is_short else f"{short[:_SENTENCE_LENGTH_MAX]}…"


def _validation(error: ValidationException) -> str:
    """Return one sentence for Litestar's list of invalid path and query parameters."""
    extra: Any = error.extra
    if isinstance(extra, list) and extra and isinstance(extra[0], dict):
        first = cast("dict[str, Any]", extra[0])
        if first.get("key") == "data":
            return "the request body is missing: send a JSON object"
        return f"{first.get('key', 'the request')}: {first.get('message', error.detail)}"
    return str(error.detail)
