"""The rim: the only place that makes JSON of an error.

Two envelopes, as the contract has them: `{code, error, errorDetails}` everywhere, and inside
`/v2/reporting` `{status: "error", error: {code, message, details}}`.
"""

import re
from collections.abc import Mapping
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

from landbridge.core.errors import (
    Busy,
    FieldInvalid,
    FieldsInvalid,
    KeyInvalid,
    KeyMissing,
    MethodNotAllowed,
    Refused,
    VersionInvalid,
)
from landbridge.web.reply import Reply, WireStruct

_log = structlog.stdlib.get_logger()

# Where the scope holds what was refused.
REFUSAL = "landbridge.refusal"
REPORTING = "/v2/reporting"
SUBMISSIONS = "/kyc/submissions"
# As Litestar says that a client went away in the middle of its body.
_GONE = "client disconnected prematurely"
# A sentence may repeat what a caller sent, but not all of it.
_ECHO_LENGTH_MAX = 100
_LONG_WORD = re.compile(rf"(\S{{{_ECHO_LENGTH_MAX}}})\S+")
_SENTENCE_LENGTH_MAX = 500
_NOT_FOUND = 404
_BROKEN = (700401, "INTERNAL_SERVER_ERROR", 500)

AnyRequest = Request[Any, Any, Any]


class BodyTooLarge(FieldInvalid):
    """The request body is too large."""

    status = 413


class NotServed(Busy):
    """Never raised; names what a `Busy` looks like to a client."""

    code, name, status = 700401, "INTERNAL_SERVER_ERROR", 503


class ErrorReply(WireStruct, frozen=True):
    """An error: branch on `error`; `errorDetails` is a sentence for people."""

    code: int
    error: str
    error_details: str


class SubmissionErrorReply(ErrorReply, frozen=True):
    """An error of a submission; `invalid` is what `/kyc/requirements` says, if that is why."""

    invalid: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class ReportingError(WireStruct, frozen=True):
    """What went wrong; `details` maps what is at fault to a sentence, and may be empty."""

    code: str
    message: str
    details: dict[str, str]


class ReportingErrorReply(WireStruct, frozen=True):
    """An error of reporting: branch on `error.code`."""

    status: str
    error: ReportingError


class ReportingMiss(WireStruct, frozen=True):
    """What there is not; `details` only if a parameter named it (contract, reporting 1)."""

    code: str
    message: str
    details: dict[str, str] | msgspec.UnsetType = msgspec.UNSET


class ReportingMissReply(WireStruct, frozen=True):
    """A 404 of reporting: branch on `error.code`."""

    status: str
    error: ReportingMiss


def envelope(
    path: str,
    *,
    code: int,
    name: str,
    status: int,
    message: str,
    field: str | None,
    invalid: Mapping[str, Any] | None = None,
    fields: Mapping[str, str] | None = None,
) -> ErrorReply | ReportingErrorReply | ReportingMissReply:
    """The error as this path answers it."""
    message = _bounded(message)
    if path.startswith(REPORTING):
        told = fields or ({field: message} if field else {})
        details = {name[:_ECHO_LENGTH_MAX]: _bounded(text) for name, text in told.items()}
        if status == _NOT_FOUND:
            miss = ReportingMiss(code=name, message=message, details=details or msgspec.UNSET)
            return ReportingMissReply(status="error", error=miss)
        error = ReportingError(code=name, message=message, details=details)
        return ReportingErrorReply(status="error", error=error)
    if invalid is not None:
        return SubmissionErrorReply(
            code=code, error=name, error_details=message, invalid=dict(invalid)
        )
    return ErrorReply(code=code, error=name, error_details=message)


def refused(request: AnyRequest, error: Refused) -> Response[Any]:
    """A 4xx with code, name and a sentence; who asks from within finds the refusal itself."""
    cast("dict[str, Any]", request.scope)[REFUSAL] = error
    content = envelope(
        request.scope["path"],
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
    return Reply(content, status_code=error.status, headers=headers)


def busy(request: AnyRequest, error: Busy) -> Response[Any]:
    """A 503 that says when to come back; the request did nothing, or can be sent again."""
    cast("dict[str, Any]", request.scope)[REFUSAL] = error
    _log.warning("http.busy", reason=str(error))
    content = envelope(
        request.scope["path"],
        code=NotServed.code,
        name=NotServed.name,
        status=NotServed.status,
        message="the service is busy; send the same request again in a moment",
        field=None,
    )
    headers = {"Retry-After": str(error.retry_after_s)}
    return Reply(content, status_code=NotServed.status, headers=headers)


def http_exception(  # noqa: PLR0911  one for each kind
    request: AnyRequest, error: HTTPException
) -> Response[Any]:
    """What Litestar itself refuses, in our words."""
    match error:
        case ValidationException():
            return refused(request, FieldInvalid(_validation(error)))
        case NotFoundException():
            path = request.scope["path"]
            return refused(request, VersionInvalid(f"there is nothing at {path[:200]}"))
        case MethodNotAllowedException():
            answer = refused(
                request, MethodNotAllowed(f"{request.method} is not allowed on this path")
            )
            answer.headers.update(error.headers or {})
            return answer
        case ClientException() if error.status_code == BodyTooLarge.status:
            return refused(request, BodyTooLarge())
        case InternalServerException() if is_gone(error):
            # Nobody reads this answer; it is the log that must not call it a fault of ours.
            return refused(request, FieldInvalid("the request body did not arrive"))
        case ClientException():
            return refused(request, FieldInvalid(error.detail))
        case _:
            return broken(request, error)


def is_gone(error: HTTPException) -> bool:
    """Whether the client went away in the middle of its body."""
    return error.detail == _GONE


def broken(request: AnyRequest, error: Exception) -> Response[Any]:
    """A 500 without detail; the log has it under the same request id."""
    _log.error("http.broken", exc_info=error)
    code, name, status = _BROKEN
    content = envelope(
        request.scope["path"],
        code=code,
        name=name,
        status=status,
        message="something went wrong on our side; quote the X-Request-Id header when you ask",
        field=None,
    )
    return Reply(content, status_code=status)


def _bounded(sentence: str) -> str:
    short = _LONG_WORD.sub(r"\1…", sentence)
    is_short = len(short) <= _SENTENCE_LENGTH_MAX
    return short if is_short else f"{short[:_SENTENCE_LENGTH_MAX]}…"


def _validation(error: ValidationException) -> str:
    """One sentence from Litestar's list of what is wrong with path and query parameters."""
    extra: Any = error.extra
    if isinstance(extra, list) and extra and isinstance(extra[0], dict):
        first = cast("dict[str, Any]", extra[0])
        if first.get("key") == "data":
            return "the request body is missing: send a JSON object"
        return f"{first.get('key', 'the request')}: {first.get('message', error.detail)}"
    return str(error.detail)
