"""Additions to the OpenAPI document that Litestar cannot derive.

All errors are rendered in one module (error_responses.py), so their schemas are described once and
every operation refers to them; Litestar's own description of a 400 is replaced.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, cast

import msgspec
from litestar.openapi.spec import OpenAPIType, Reference, Schema
from litestar.params import BodyKwarg

from landbridge.platform.http.constraints import take_required
from landbridge.platform.http.error_responses import (
    REPORTING,
    SUBMISSIONS,
    ErrorReply,
    ReportingErrorReply,
    ReportingNotFoundReply,
    SubmissionErrorReply,
)
from landbridge.platform.http.idempotency_key import HEADER, MEMBERS

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
# No text of a request may have a NUL character, which no text in the database can hold.
_NO_NUL = r"^[^\u0000]*$"
# Keywords of schemas whose texts cannot contain NUL anyway.
_NARROWER = {"allOf", "anyOf", "const", "enum", "format", "pattern"}


def reference(name: str) -> dict[str, Any]:
    """Return a reference to the schema of this struct."""
    return {"$ref": _REF.format(name=name)}


def shaped(*names: str, are_listed: bool = False, items_max: int | None = None) -> BodyKwarg:
    """Describe a body or response that is a `dict` in Python as one of these structs.

    `are_listed`: as an array of 1 to `items_max` elements, all of the same struct. The structs
    themselves are passed to `describe`.
    """
    each = [Reference(ref=_REF.format(name=name)) for name in names]
    items_min = None if items_max is None else 1
    schemas: list[Reference | Schema] = [
        Schema(type=OpenAPIType.ARRAY, items=one, min_items=items_min, max_items=items_max)
        if are_listed
        else one
        for one in each
    ]
    cleared: dict[str, Any] = {"type": None, "items": None, "additional_properties": None}
    return BodyKwarg(schema_extra={**cleared, "one_of": schemas})


def describe(document: dict[str, Any], shapes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the document with the errors of every operation, and with the structs of `shaped`."""
    _, schemas = msgspec.json.schema_components(
        [ErrorReply, SubmissionErrorReply, ReportingErrorReply, ReportingNotFoundReply],
        ref_template=_REF,
    )
    components = document["components"]
    components["schemas"] = dict(sorted({**components["schemas"], **shapes, **schemas}.items()))
    _refuse_nul(document)
    for path, item in cast("dict[str, dict[str, dict[str, Any]]]", document["paths"]).items():
        for method, operation in item.items():
            for parameter in operation.get("parameters", ()):
                take_required(parameter)
            _offer_key(operation, components["schemas"])
            operation["responses"] = {
                **{
                    status: response
                    for status, response in operation["responses"].items()
                    if status.startswith("2")
                },
                **{str(int(each)): _response(path, each) for each in _statuses(path, method)},
            }
    return document


def _refuse_nul(document: dict[str, Any]) -> None:
    """Add a pattern without NUL to every request text that has no narrower keyword."""
    schemas = document["components"]["schemas"]
    pending = list(_request_schemas(document))
    visited: set[str] = set()
    while pending:
        schema = pending.pop()
        name = schema.get("$ref", "").rpartition("/")[2]
        if name and name not in visited:
            visited.add(name)
            pending.append(schemas[name])
        if schema.get("type") == "string" and not _NARROWER & schema.keys():
            schema["pattern"] = _NO_NUL
        pending += _parts(schema)


def _request_schemas(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", ()):
                # A path with NUL matches no route.
                if parameter["in"] != "path":
                    yield parameter["schema"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                yield content["schema"]


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the direct subschemas of a schema."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield schema[keyword]
    yield from schema.get("properties", {}).values()


def _offer_key(operation: dict[str, Any], schemas: dict[str, dict[str, Any]]) -> None:
    """Describe the idempotency header of a create, and the header of a replayed response."""
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
    """Return the structs that a body may have."""
    choices: list[Mapping[str, Any]] = [schema, *schema.get("oneOf", []), *schema.get("anyOf", [])]
    return [each["$ref"] for each in choices if "$ref" in each]


def _statuses(path: str, method: str) -> list[HTTPStatus]:
    """Return the statuses other than 200 that a route may answer with."""
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
    schema = {"$ref": _REF.format(name=shape.__name__)}
    response = {
        "description": _MEANINGS[status],
        "content": {"application/json": {"schema": schema}},
    }
    return {**response, "headers": _HEADERS[status]} if status in _HEADERS else response
