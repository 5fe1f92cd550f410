"""The OpenAPI document as types and operations, in the form that the writers need."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_REF = "$ref"
# A longer choice says nothing to a reader; it stays a text.
_CHOICES_MAX = 60
_KEY_HEADER = "Idempotency-Key"
_METHODS = ("get", "post", "put", "patch", "delete")
_FORMAT, _JSON_FORMAT = "format", "json"
JSON = "application/json"


class Kind(Enum):
    """Kind of a type."""

    TEXT = auto()
    MOMENT = auto()
    DECIMAL_TEXT = auto()
    DECIMAL_NUMBER = auto()
    INTEGER = auto()
    NUMBER = auto()
    BOOLEAN = auto()
    ANY = auto()
    NULL = auto()
    CHOICE = auto()
    STRUCT = auto()
    LIST = auto()
    MAP = auto()
    UNION = auto()


@dataclass(frozen=True, slots=True)
class Type:
    """A type; `of` are the types of its elements or alternatives.

    A struct that `is_open` may have further members, which the document does not name.
    """

    kind: Kind
    name: str = ""
    values: tuple[str, ...] = ()
    of: tuple["Type", ...] = ()
    is_open: bool = False

    @property
    def is_nullable(self) -> bool:
        """Return whether the value may be null."""
        return self.kind is Kind.UNION and any(each.kind is Kind.NULL for each in self.of)

    @property
    def alternatives(self) -> tuple["Type", ...]:
        """Return the types that the value may have apart from null."""
        if self.kind is not Kind.UNION:
            return (self,)
        return tuple(each for each in self.of if each.kind is not Kind.NULL)


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct, or a parameter, by its name on the wire."""

    name: str
    type: Type
    is_required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Struct:
    """An object with known members."""

    name: str
    description: str
    members: tuple[Member, ...]
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation. `reply` is None where the response is bytes, `body` where there is none."""

    resource: str
    verb: str
    method: str
    path: str
    path_names: tuple[str, ...]
    queries: tuple[Member, ...]
    headers: tuple[Member, ...]
    body: Type | None
    is_body_required: bool
    is_upload: bool
    reply: Type | None
    items: str | None
    id_member: str | None
    summary: str
    description: str


class ApiDocument:
    """Structs and operations of a document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Any] = document["components"]["schemas"]
        self.structs: dict[str, Struct] = {}
        self.tags: Mapping[str, str] = {
            each["name"]: each["description"] for each in document["tags"]
        }
        self.operations = tuple(self._operations(document))
        self.methods = tuple(method for each in self.operations for method in _methods_of(each))
        self.events = {
            type_: self.type_of(_content(item["post"]["requestBody"]), "")
            for type_, item in document["webhooks"].items()
        }
        self.error_names = sorted(
            {
                name
                for schema in self._schemas.values()
                for name in schema.get("properties", {}).get("error", {}).get("enum", ())
            }
        )

    @classmethod
    def read(cls) -> "ApiDocument":
        """Read the document of this repository."""
        return cls(json.loads((ROOT / "openapi.json").read_text(encoding="utf-8")))

    def reachable(self, types: Iterator[Type]) -> list[Struct]:
        """Return the structs that these types consist of, by name."""
        found: dict[str, Struct] = {}
        pending = list(types)
        while pending:
            each = pending.pop()
            if each.kind is Kind.STRUCT and each.name not in found:
                found[each.name] = self.structs[each.name]
                pending += [member.type for member in found[each.name].members]
            pending += each.of
        return [found[name] for name in sorted(found)]

    def item_of(self, operation: ApiOperation) -> Type:
        """Return the type of the elements of a page."""
        assert operation.reply is not None
        members = self.structs[operation.reply.name].members
        (items,) = (each.type for each in members if each.name == operation.items)
        return items.of[0]

    def type_of(  # noqa: PLR0911  one for each form
        self, schema: Mapping[str, Any], name: str
    ) -> Type:
        """Return the type of a schema; `name` is for a struct that has none."""
        if _REF in schema:
            return self._named(schema[_REF].rpartition("/")[2])
        match schema:
            case {"allOf": [one]}:
                return self.type_of(one, name)
            case {"allOf": _}:
                return Type(Kind.ANY)
            case {"not": _}:
                return Type(Kind.MAP, of=(Type(Kind.ANY),))
            case {"const": value}:
                return Type(Kind.CHOICE, values=(value,))
            case {"oneOf": choices} | {"anyOf": choices}:
                return _union([self.type_of(each, name) for each in choices])
            case {"enum": values} if schema.get("type") == "string":
                is_long = len(values) > _CHOICES_MAX
                return Type(Kind.TEXT) if is_long else Type(Kind.CHOICE, values=tuple(values))
            case _:
                return self._plain(schema, name)

    def _plain(  # noqa: PLR0911  one for each form
        self, schema: Mapping[str, Any], name: str
    ) -> Type:
        match schema.get("type"), schema.get("format"):
            case "string", "date-time":
                return Type(Kind.MOMENT)
            case "string", "decimal":
                return Type(Kind.DECIMAL_TEXT)
            case "number", "decimal":
                return Type(Kind.DECIMAL_NUMBER)
            case "array", _:
                return Type(Kind.LIST, of=(self.type_of(schema["items"], name),))
            case "object", _ if schema.get("properties"):
                return self._struct(name, schema)
            case "object", _:
                return Type(Kind.MAP, of=(self._value_type(schema, name),))
            case kind, _:
                return Type(_SCALARS.get(str(kind), Kind.ANY))

    def _value_type(self, schema: Mapping[str, Any], name: str) -> Type:
        match schema:
            case {"additionalProperties": {**value}} if value:
                return self.type_of(value, name)
            case _:
                return Type(Kind.ANY)

    def _named(self, name: str) -> Type:
        schema = self._schemas[name]
        if schema.get("type") == "object" and schema.get("properties"):
            return self._struct(name, schema)
        return self.type_of(schema, name)

    def _struct(self, name: str, schema: Mapping[str, Any]) -> Type:
        is_open = schema.get("additionalProperties") == {}
        if name not in self.structs:
            # Known before its members, which may refer to it.
            self.structs[name] = Struct(name, "", ())
            required = schema.get("required", ())
            members = tuple(
                Member(
                    member,
                    _cursor_type(value)
                    if member == "nextCursor"
                    else self.type_of(value, name + member[0].upper() + member[1:]),
                    member in required,
                    value.get("description", ""),
                )
                for member, value in schema["properties"].items()
            )
            self.structs[name] = Struct(name, schema.get("description", ""), members, is_open)
        return Type(Kind.STRUCT, name=name, is_open=is_open)

    def _operations(self, document: Mapping[str, Any]) -> Iterator[ApiOperation]:
        for path, item in document["paths"].items():
            for method in _METHODS:
                if method in item:
                    yield self._operation(path, method, item[method])

    def _operation(self, path: str, method: str, operation: Mapping[str, Any]) -> ApiOperation:
        resource, verb = operation["operationId"].split(".")
        parameters: dict[str, list[Member]] = {"path": [], "query": [], "header": []}
        for each in operation.get("parameters", ()):
            parameters[each["in"]].append(
                Member(
                    each["name"],
                    self.type_of(each["schema"], ""),
                    each.get("required", False),
                    each.get("description", ""),
                )
            )
        body = operation.get("requestBody")
        schema = None if body is None else _content(body)
        is_upload = body is not None and JSON not in body["content"]
        success = next(each for status, each in operation["responses"].items() if status[0] == "2")
        reply = success.get("content", {}).get(JSON, {}).get("schema")
        is_bytes = reply is None or reply.get("type") == "string"
        return ApiOperation(
            resource=resource,
            verb=verb,
            method=method.upper(),
            path=path,
            path_names=tuple(each.name for each in parameters["path"]),
            queries=tuple(parameters["query"]),
            headers=tuple(
                each
                for each in parameters["header"]
                # A create that has the id in its body needs no second spelling.
                if each.name != _KEY_HEADER or "x-idempotent" not in operation
            ),
            body=None if schema is None or is_upload else self.type_of(schema, ""),
            is_body_required=schema is not None and {"type": "null"} not in schema.get("oneOf", ()),
            is_upload=is_upload,
            reply=None if reply is None or is_bytes else self.type_of(reply, ""),
            items=operation.get("x-items"),
            id_member=operation.get("x-idempotent"),
            summary=operation["summary"],
            description=operation.get("description", ""),
        )


def _methods_of(operation: ApiOperation) -> Iterator[ApiOperation]:
    """Yield the methods of an operation: one more for files, if it answers them besides JSON."""
    yield operation
    formats = next((each for each in operation.queries if each.name == _FORMAT), None)
    if formats is None or operation.reply is None or _JSON_FORMAT not in formats.type.values:
        return
    files = tuple(each for each in formats.type.values if each != _JSON_FORMAT)
    chosen = replace(formats, type=replace(formats.type, values=files), is_required=True)
    yield replace(
        operation,
        verb=f"{operation.verb}File",
        queries=tuple(chosen if each is formats else each for each in operation.queries),
        reply=None,
    )


def _cursor_type(schema: Mapping[str, Any]) -> Type:
    """Return text: a cursor goes back as it came, although it looks like a time."""
    if {"type": "null"} in schema.get("oneOf", ()):
        return Type(Kind.UNION, of=(Type(Kind.TEXT), Type(Kind.NULL)))
    return Type(Kind.TEXT)


_SCALARS = {
    "string": Kind.TEXT,
    "integer": Kind.INTEGER,
    "number": Kind.NUMBER,
    "boolean": Kind.BOOLEAN,
    "null": Kind.NULL,
}


def _content(described: Mapping[str, Any]) -> Mapping[str, Any]:
    (content,) = described["content"].values()
    return content["schema"]


def _union(types: list[Type]) -> Type:
    distinct = tuple(dict.fromkeys(types))
    if any(each.kind is Kind.ANY for each in distinct):
        return Type(Kind.ANY)
    flat = tuple(
        inner for each in distinct for inner in (each.of if each.kind is Kind.UNION else (each,))
    )
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else Type(Kind.UNION, of=unique)
