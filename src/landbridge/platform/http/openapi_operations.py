"""Operations of the OpenAPI document: parameters as clients read them, and marks for generators.

Marks of our own, per operation:
- `x-items` names the array of a page; `nextCursor` leads to the next page.
- `x-idempotent` names a member of the body: a repeated request with the same value is safe, and
  gets the answer of the first one.
- `x-repeatable` is on every write: whether the same request may be sent again after a lost answer.
  Where it is false, the header `Idempotency-Key` makes it so.
"""

from collections.abc import Mapping
from typing import Any

from landbridge.platform.http.constraints import take_required
from landbridge.platform.http.idempotency_key import HEADER, MEMBERS
from landbridge.platform.http.unknown_names import WARNING

# Keywords that are left out when they are false.
_FLAGS = ("deprecated", "allowEmptyValue", "allowReserved")
_CURSOR = "nextCursor"


def complete(
    operation: dict[str, Any],
    method: str,
    schemas: Mapping[str, Mapping[str, Any]],
    *,
    is_keyed: bool,
) -> None:
    """Complete the operation in place, except for its errors.

    `is_keyed`: each request without an idempotency key has another effect.
    """
    _drop_flags(operation)
    for parameter in operation.get("parameters", ()):
        _drop_flags(parameter)
        take_required(parameter)
        parameter["schema"] = _without_null(parameter["schema"])
        if parameter["schema"].get("description") == parameter.get("description"):
            parameter["schema"].pop("description", None)
    items = _items(operation, schemas)
    if items is not None:
        operation["x-items"] = items
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            response.setdefault("headers", {})[WARNING] = {
                "$ref": f"#/components/headers/{WARNING}"
            }
    member = _offer_key(operation, schemas, is_keyed=is_keyed)
    if member is not None:
        operation["x-idempotent"] = member
    if method != "get":
        operation["x-repeatable"] = not is_keyed


def _drop_flags(described: dict[str, Any]) -> None:
    for flag in _FLAGS:
        if described.get(flag) is False:
            del described[flag]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without null: a parameter is left out instead."""
    choices = [each for each in schema.get("oneOf", ()) if each.get("type") != "null"]
    if not choices:
        return schema
    rest = {keyword: value for keyword, value in schema.items() if keyword != "oneOf"}
    return {**rest, **choices[0]} if len(choices) == 1 else {**rest, "oneOf": choices}


def _items(operation: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the name of a page's array of items; None if the response is no page."""
    content = operation["responses"].get("200", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    members = schemas.get(schema.get("$ref", "").rpartition("/")[2], {}).get("properties", {})
    if _CURSOR not in members:
        return None
    return next(name for name, value in members.items() if value.get("type") == "array")


def _offer_key(
    operation: dict[str, Any], schemas: Mapping[str, Mapping[str, Any]], *, is_keyed: bool
) -> str | None:
    """Describe the idempotency headers; return the member that the header provides."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = body.get("schema", {})
    shapes = [schemas[name.rpartition("/")[2]] for name in _references(schema)]
    names = {name for shape in shapes for name in shape.get("properties", {})}
    member = next((each for each in MEMBERS if each in names), None)
    if member is None and not is_keyed:
        return None
    meaning = (
        "The same request with the same key is carried out once, and answered again"
        if member is None
        else f"Another spelling of `{member}`, which the body then does not need"
    )
    operation.setdefault("parameters", []).append(
        {
            "name": HEADER,
            "in": "header",
            "description": f"{meaning}: a UUID, or any other text, which stands for an id derived "
            "from it.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            "required": False,
        }
    )
    success = next(each for each in operation["responses"] if each.startswith("2"))
    operation["responses"][success].setdefault("headers", {})["Idempotent-Replayed"] = {
        "description": "`true` if this answers what the same request did before.",
        "schema": {"type": "string", "enum": ["true"]},
    }
    return member


def _references(schema: Mapping[str, Any]) -> list[str]:
    """Return references to the structs that a body may be."""
    choices: list[Mapping[str, Any]] = [schema, *schema.get("oneOf", []), *schema.get("anyOf", [])]
    return [each["$ref"] for each in choices if "$ref" in each]
