"""JSON of which only the sender knows the members, and JSON as readable text."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias, cast

import msgspec

from landbridge.platform.http.responses import encode

JsonValue: TypeAlias = "str | int | Decimal | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]


def as_object(value: object) -> JsonObject:
    """Return a copy of an object; an empty one for any other value."""
    return dict(cast("JsonObject", value)) if isinstance(value, Mapping) else {}


def as_objects(value: object) -> list[JsonObject]:
    """Return the objects of a list; an empty one for any other value."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [as_object(each) for each in found]


def as_texts(value: object) -> list[str]:
    """Return the texts of a list; an empty one for any other value."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [str(each) for each in found]


def pretty(value: object) -> str:
    """Return a value as indented JSON, with exact numbers."""
    return msgspec.json.format(encode(value), indent=2).decode()
