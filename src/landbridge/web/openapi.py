"""What Litestar can't know about our interface, added to its OpenAPI document.

Errors leave through one rim (errors.py), so their shapes are described once and every operation
refers to them; what Litestar writes about its own 400 is replaced.
"""

from http import HTTPStatus
from typing import Any, cast

import msgspec

from landbridge.web.errors import REPORTING, ErrorReply, ReportingErrorReply

_REF = "#/components/schemas/{name}"
_MEANINGS = {
    HTTPStatus.BAD_REQUEST: "The request can't be carried out as it is; `errorDetails` says why.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing or not valid.",
    HTTPStatus.FORBIDDEN: "This works in the sandbox only.",
    HTTPStatus.NOT_FOUND: "There is no such thing, or it is another organisation's.",
    HTTPStatus.CONFLICT: "The request id was used for another request, or the state forbids it.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request body is too large.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "A fault of ours; quote the X-Request-Id header.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Busy; send the same request again after Retry-After seconds.",
}


def describe(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the errors of every operation."""
    _, schemas = msgspec.json.schema_components(
        [ErrorReply, ReportingErrorReply], ref_template=_REF
    )
    components = document["components"]
    components["schemas"] = dict(sorted({**components["schemas"], **schemas}.items()))
    for path, item in cast("dict[str, dict[str, dict[str, Any]]]", document["paths"]).items():
        for method, operation in item.items():
            operation["responses"] = {
                "200": operation["responses"]["200"],
                **{str(int(each)): _response(path, each) for each in _statuses(path, method)},
            }
    return document


def _statuses(path: str, method: str) -> list[HTTPStatus]:
    """The statuses other than 200 that a route may answer with."""
    may = {
        HTTPStatus.BAD_REQUEST: True,
        HTTPStatus.UNAUTHORIZED: True,
        HTTPStatus.FORBIDDEN: path.startswith("/v2/sandbox"),
        HTTPStatus.NOT_FOUND: "{" in path or method == "post",
        HTTPStatus.CONFLICT: method == "post",
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: method == "post",
        HTTPStatus.INTERNAL_SERVER_ERROR: True,
        HTTPStatus.SERVICE_UNAVAILABLE: True,
    }
    return [status for status, does in may.items() if does]


def _response(path: str, status: HTTPStatus) -> dict[str, Any]:
    shape = ReportingErrorReply if path.startswith(REPORTING) else ErrorReply
    schema = {"$ref": _REF.format(name=shape.__name__)}
    return {"description": _MEANINGS[status], "content": {"application/json": {"schema": schema}}}
