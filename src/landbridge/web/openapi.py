"""What Litestar can't know about our interface, added to its OpenAPI document.

Errors leave through one rim (errors.py), so their shapes are described once and every operation
refers to them; what Litestar writes about its own 400 is replaced.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

import msgspec
from litestar.openapi.spec import OpenAPIType, Reference, Schema
from litestar.params import BodyKwarg

from landbridge.web.errors import (
    REPORTING,
    SUBMISSIONS,
    ErrorReply,
    ReportingErrorReply,
    ReportingMissReply,
    SubmissionErrorReply,
)
from landbridge.web.keys import HEADER, MEMBERS

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


def reference(name: str) -> dict[str, Any]:
    """A schema that refers to this shape."""
    return {"$ref": _REF.format(name=name)}


def shaped(*names: str, are_listed: bool = False) -> BodyKwarg:
    """Describe a body or an answer, which are only `dict`s to Python, as one of these shapes.

    `are_listed`: as an array, all of whose elements have the same one. The shapes themselves are
    given to `describe`.
    """
    each = [Reference(ref=_REF.format(name=name)) for name in names]
    schemas: list[Reference | Schema] = [
        Schema(type=OpenAPIType.ARRAY, items=one) if are_listed else one for one in each
    ]
    nothing: dict[str, Any] = {"type": None, "items": None, "additional_properties": None}
    return BodyKwarg(schema_extra={**nothing, "one_of": schemas})


def describe(document: dict[str, Any], shapes: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The document with the errors of every operation, and with shapes that `shaped` names."""
    _, schemas = msgspec.json.schema_components(
        [ErrorReply, SubmissionErrorReply, ReportingErrorReply, ReportingMissReply],
        ref_template=_REF,
    )
    components = document["components"]
    components["schemas"] = dict(sorted({**components["schemas"], **shapes, **schemas}.items()))
    for path, item in cast("dict[str, dict[str, dict[str, Any]]]", document["paths"]).items():
        for method, operation in item.items():
            _offer_key(operation, components["schemas"])
            operation["responses"] = {
                **{
                    status: told
                    for status, told in operation["responses"].items()
                    if status.startswith("2")
                },
                **{str(int(each)): _response(path, each) for each in _statuses(path, method)},
            }
    return document


def _offer_key(operation: dict[str, Any], schemas: dict[str, dict[str, Any]]) -> None:
    """Say of a create that its id may come in a header, and that its answer tells a replay."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = body.get("schema", {})
    shapes = [schemas[name.rpartition("/")[2]] for name in _references(schema)]
    names = {name for shape in shapes for name in shape.get("properties", {})}
    member = next((each for each in MEMBERS if each in names), None)
    if member is None:
        return
    operation.setdefault("parameters", []).append(
        {
            "name": HEADER,
            "in": "header",
            "description": f"Another spelling of `{member}`, which the body then does not need: a "
            "UUID, or any other text, which stands for an id derived from it.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            "required": False,
        }
    )
    operation["responses"]["200"].setdefault("headers", {})["Idempotent-Replayed"] = {
        "description": "`true` if this answers what the same request did before.",
        "schema": {"type": "string", "enum": ["true"]},
    }


def _references(schema: Mapping[str, Any]) -> list[str]:
    """The shapes that a body may have."""
    choices: list[Mapping[str, Any]] = [schema, *schema.get("oneOf", []), *schema.get("anyOf", [])]
    return [each["$ref"] for each in choices if "$ref" in each]


def _statuses(path: str, method: str) -> list[HTTPStatus]:
    """The statuses other than 200 that a route may answer with."""
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
        shape = ReportingMissReply if is_miss else ReportingErrorReply
    if path.endswith(SUBMISSIONS) and status is HTTPStatus.BAD_REQUEST:
        shape = SubmissionErrorReply
    schema = {"$ref": _REF.format(name=shape.__name__)}
    response = {
        "description": _MEANINGS[status],
        "content": {"application/json": {"schema": schema}},
    }
    return {**response, "headers": _HEADERS[status]} if status in _HEADERS else response
