"""Additions to the OpenAPI document that Litestar cannot derive."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from litestar.openapi.spec import OpenAPIType, Reference, Schema
from litestar.params import BodyKwarg

from landbridge.platform.http import openapi_errors, openapi_operations
from landbridge.platform.http.unknown_names import WARNING

REF = "#/components/schemas/{name}"
# Pattern for texts of requests: texts of the database can't contain a NUL character.
_NO_NUL = r"^[^\u0000]*$"
_SEVERAL = 2
# Schema keywords that exclude NUL already.
_NARROWER = {"allOf", "anyOf", "const", "enum", "format", "pattern"}


def reference(name: str) -> dict[str, Any]:
    """Return a reference to the schema of this struct."""
    return {"$ref": REF.format(name=name)}


def described_as(*names: str, are_listed: bool = False, items_max: int | None = None) -> BodyKwarg:
    """Return the description of a `dict` body or response as one of these structs.

    `are_listed` describes an array of 1 to `items_max` elements, all of the same struct. The
    structs themselves are passed to `describe`.
    """
    each = [Reference(ref=REF.format(name=name)) for name in names]
    items_min = None if items_max is None else 1
    schemas: list[Reference | Schema] = [
        Schema(type=OpenAPIType.ARRAY, items=one, min_items=items_min, max_items=items_max)
        if are_listed
        else one
        for one in each
    ]
    cleared: dict[str, Any] = {"type": None, "items": None, "additional_properties": None}
    return BodyKwarg(schema_extra={**cleared, "one_of": schemas})


def describe(
    document: dict[str, Any],
    shapes: Mapping[str, Mapping[str, Any]],
    webhooks: Mapping[str, Any],
    *,
    keyed: Collection[str],
) -> dict[str, Any]:
    """Return the complete document.

    `shapes` are the structs named in `described_as`. `keyed` are the ids of operations that have
    another effect with each request, unless it has an idempotency key.
    """
    components = document["components"]
    every = {**components["schemas"], **shapes, **openapi_errors.schemas()}
    components["schemas"] = schemas = dict(sorted(every.items()))
    for path, item in cast("dict[str, dict[str, dict[str, Any]]]", document["paths"]).items():
        for method, operation in item.items():
            is_keyed = operation["operationId"] in keyed
            openapi_operations.complete(operation, method, schemas, is_keyed=is_keyed)
            operation["responses"] = {
                **{
                    status: response
                    for status, response in operation["responses"].items()
                    if status.startswith("2")
                },
                **openapi_errors.responses(path, method),
            }
    components["headers"] = {
        WARNING: {
            "description": "Members of the body and parameters of the query that are unknown, and "
            "were ignored: `member requestid (write requestId)`. Absent if all are known.",
            "schema": {"type": "string"},
        }
    }
    document["webhooks"] = dict(webhooks)
    _refuse_nul(document)
    _simplify(document, schemas)
    return document


def _simplify(node: Any, schemas: Mapping[str, Mapping[str, Any]]) -> None:
    """Replace constructs that only Python or Litestar would use, in this node and below."""
    match node:
        case dict():
            described = cast("dict[str, Any]", node)
            choices = described.get("oneOf", ())
            if len(choices) == 1:
                del described["oneOf"]
                described.update({**choices[0], **described})
            elif not _are_exclusive(choices, schemas):
                described["anyOf"] = described.pop("oneOf")
            if "anyOf" in described:
                listed: list[Any] = described["anyOf"]
                described["anyOf"] = [
                    each for number, each in enumerate(listed) if each not in listed[:number]
                ]
            pattern = described.get("pattern")
            if isinstance(pattern, str):
                described["pattern"] = pattern.replace(r"\Z", "$")
            for each in described.values():
                _simplify(each, schemas)
        case list():
            for each in cast("list[Any]", node):
                _simplify(each, schemas)
        case _:
            pass


def _are_exclusive(
    choices: Sequence[Mapping[str, Any]], schemas: Mapping[str, Mapping[str, Any]]
) -> bool:
    """Return whether at most one choice can match: at most one struct, or all with constants."""
    names = [each["$ref"].rpartition("/")[2] for each in choices if "$ref" in each]
    structs = [schemas[name].get("properties", {}) for name in names]
    return len(structs) < _SEVERAL or all(
        any("const" in member for member in struct.values()) for struct in structs
    )


def _refuse_nul(document: dict[str, Any]) -> None:
    """Add a pattern that excludes NUL to every request text without a narrower keyword."""
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
                # A path with a NUL character matches no route.
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
