"""Errors of calls: branch on the class, or on `name`; `message` is for people."""

from __future__ import annotations

from typing import Any, cast

import httpx
import msgspec

# Where the client keeps the id under which a request was sent.
KEY_EXTENSION = "landbridge_idempotency_key"


class LandbridgeError(Exception):
    """A call that failed, or a webhook that is not genuine.

    `idempotency_key` is the id under which a write was sent, also one that the client has made: a
    request that may have been carried out is sent again under it. None if it has none.
    """

    idempotency_key: str | None = None


class NotReached(LandbridgeError):
    """No answer arrived. A write may have been carried out: send it again under its id."""


class ApiError(LandbridgeError):
    """The server refused the request.

    `name` and `code` are those of the catalogue, `request_id` the `X-Request-Id` to quote when you
    ask for help. `content` is the whole answer.
    """

    def __init__(self, response: httpx.Response, content: dict[str, Any]) -> None:
        error: Any = content.get("error")
        # In reporting, `error` is an object.
        detail = cast("dict[str, Any]", error) if isinstance(error, dict) else {"code": error}
        self.status = response.status_code
        self.name = str(detail.get("code") or "")
        self.code = content.get("code")
        self.message = str(detail.get("message") or content.get("errorDetails") or "")
        self.request_id = response.headers.get("X-Request-Id")
        self.content = content
        self.idempotency_key = response.extensions.get(KEY_EXTENSION)
        super().__init__(f"{self.status} {self.name}: {self.message} ({self.request_id})")


class InvalidRequest(ApiError):
    """400: the request can't be carried out as it is; `message` names the field."""


class NotAuthenticated(ApiError):
    """401: the API key is missing or not valid."""


class NotAllowed(ApiError):
    """403: this key may not do this."""


class NotFound(ApiError):
    """404: there is no such object in this organisation."""


class Conflict(ApiError):
    """409: the state forbids it, or the id was used for another request."""


class RateLimited(ApiError):
    """429: too many requests, also after the retries of the client."""


class ServerError(ApiError):
    """5xx: a fault of the server, or it is busy."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequest,
    401: NotAuthenticated,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
}
_SERVER_ERROR = 500


def error_of(response: httpx.Response) -> ApiError:
    """Return the error of a response; a proxy's own answer has no name."""
    try:
        content = msgspec.json.decode(response.content)
    except msgspec.DecodeError:
        content = {}
    kind = _BY_STATUS.get(response.status_code)
    if kind is None:
        kind = ServerError if response.status_code >= _SERVER_ERROR else ApiError
    is_ours = isinstance(content, dict)
    return kind(response, cast("dict[str, Any]", content) if is_ours else {})
