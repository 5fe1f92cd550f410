"""Error responses of the OpenAPI document: for each status, the possible errors.

All errors are rendered in one module (error_responses.py), so each is described once, from the
classes that are raised. Litestar's own description of a 400 is replaced.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from landbridge.platform.core.errors import Refused
from landbridge.platform.http.error_responses import (
    REPORTING,
    SUBMISSIONS,
    ErrorReply,
    ReportingErrorReply,
    ReportingNotFoundReply,
    ServiceBusy,
    SubmissionErrorReply,
)

_REF = "#/components/schemas/{name}"
_MEANINGS = {
    HTTPStatus.BAD_REQUEST: "The request can't be carried out as it is; `errorDetails` says why.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing or not valid.",
    HTTPStatus.FORBIDDEN: "The user is frozen, the key may not do this, or it is for sandboxes.",
    HTTPStatus.NOT_FOUND: "There is no such thing, or it is another organisation's.",
    HTTPStatus.CONFLICT: "The request id was used for another request, or the state forbids it.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request body is too large.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests; send it again after Retry-After seconds.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "A fault of ours; quote the X-Request-Id header.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Busy; send the same request again after Retry-After seconds.",
}

_RETRY_AFTER = {
    "Retry-After": {
        "description": "In how many seconds to send the same request again.",
        "schema": {"type": "integer", "minimum": 1},
    }
}
_HEADERS = {
    HTTPStatus.TOO_MANY_REQUESTS: {
        **_RETRY_AFTER,
        "RateLimit-Policy": {
            "description": "What may be sent: `q` requests at once, and as many again in `w` "
            "seconds, with this key and of its organisation.",
            "schema": {"type": "string"},
        },
        "RateLimit": {
            "description": "What is left: `r` requests, and all of them after `t` seconds.",
            "schema": {"type": "string"},
        },
    },
    HTTPStatus.SERVICE_UNAVAILABLE: _RETRY_AFTER,
}


def schemas() -> dict[str, Any]:
    """Return the schemas of error replies; those of most statuses list the possible errors."""
    _, found = msgspec.json.schema_components(
        [ErrorReply, SubmissionErrorReply, ReportingErrorReply, ReportingNotFoundReply],
        ref_template=_REF,
    )
    general = found.pop("ErrorReply")
    listed = {_name(status): _listing(general, status) for status in _MEANINGS}
    return {**found, **{name: schema for name, schema in listed.items() if schema is not None}}


def responses(path: str, method: str) -> dict[str, Any]:
    """Return the error responses of an operation by status."""
    return {str(int(each)): _response(path, each) for each in _statuses(path, method)}


def _name(status: HTTPStatus) -> str:
    """Return the name of a status's schema, such as `NotFoundErrorReply`."""
    return f"{status.phrase.title().replace(' ', '').removesuffix('Error')}ErrorReply"


def _listing(general: Mapping[str, Any], status: HTTPStatus) -> dict[str, Any] | None:
    """Return the schema that lists the names and codes of a status's errors; None without."""
    kinds = {(each.code, each.name) for each in _refusals(Refused) if each.status == status}
    if status in (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE):
        kinds = {(ServiceBusy.code, ServiceBusy.name)}
    if not kinds:
        return None
    members: Mapping[str, Mapping[str, Any]] = general["properties"]
    listed = {
        "code": {**members["code"], "enum": sorted({code for code, _ in kinds})},
        "error": {**members["error"], "enum": sorted({name for _, name in kinds})},
    }
    return {**general, "title": _name(status), "properties": {**members, **listed}}


def _refusals(of: type[Refused]) -> Iterator[type[Refused]]:
    """Yield every subclass of a refusal that has a code, including those never raised."""
    if hasattr(of, "code"):
        yield of
    for each in of.__subclasses__():
        yield from _refusals(each)


def _statuses(path: str, method: str) -> list[HTTPStatus]:
    """Return the statuses other than 200 with which a route may respond."""
    may = {
        HTTPStatus.BAD_REQUEST: True,
        HTTPStatus.UNAUTHORIZED: True,
        HTTPStatus.FORBIDDEN: method != "get",
        HTTPStatus.NOT_FOUND: "{" in path or method == "post",
        HTTPStatus.CONFLICT: method != "get",
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: method == "post",
        HTTPStatus.TOO_MANY_REQUESTS: True,
        HTTPStatus.INTERNAL_SERVER_ERROR: True,
        HTTPStatus.SERVICE_UNAVAILABLE: True,
    }
    return [status for status, does in may.items() if does]


def _response(path: str, status: HTTPStatus) -> dict[str, Any]:
    shape = ErrorReply
    if path.startswith(REPORTING):
        is_miss = status is HTTPStatus.NOT_FOUND
        shape = ReportingNotFoundReply if is_miss else ReportingErrorReply
    if path.endswith(SUBMISSIONS) and status is HTTPStatus.BAD_REQUEST:
        shape = SubmissionErrorReply
    name = _name(status) if shape is ErrorReply else shape.__name__
    schema = {"$ref": _REF.format(name=name)}
    response = {
        "description": _MEANINGS[status],
        "content": {"application/json": {"schema": schema}},
    }
    return {**response, "headers": _HEADERS[status]} if status in _HEADERS else response
