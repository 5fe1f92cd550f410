"""Generates values that a schema of the OpenAPI document allows, and values that break a keyword.

Supports the keywords that our document uses, and fails for others.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from functools import cache
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

Schema = Mapping[str, Any]

_ANNOTATIONS = {"title", "description", "examples", "default", "example"}
_KNOWN = {
    *("type", "enum", "const", "format", "pattern", "minLength", "maxLength", "required"),
    *("minimum", "maximum", "exclusiveMinimum", "minItems", "maxItems", "items", "properties"),
    *("additionalProperties", "minProperties", "maxProperties", "allOf", "anyOf", "oneOf"),
    *("uniqueItems", "not", "propertyNames"),
    *_ANNOTATIONS,
}
# A text with characters of no format, and one that is in no enumeration.
NONSENSE = "no such thing \u0001"
_ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_DEEP = 3
# The time zone is generated.
_FIRST, _LAST = datetime(1000, 1, 1), datetime(9000, 1, 1)  # noqa: DTZ001
_LENGTH_MAX = 10_000
# A pattern with a fixed number of characters is generated from its character class.
_LONG = 500


@dataclass(frozen=True, slots=True)
class Breach:
    """Value that breaks one stated keyword."""

    keyword: str
    value: Any


# Stands for an omitted member.
ABSENT = object()


@dataclass(frozen=True, slots=True)
class Values:
    """Generator of values for the schemas of one document.

    `names` has ids of existing resources, by the members that use some of them.
    """

    schemas: Mapping[str, Schema]
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    variants_by_key: dict[Any, st.SearchStrategy[Any]] = field(default_factory=dict[Any, Any])

    def merged(self, schema: Schema) -> dict[str, Any]:
        """Return the schema with references and `allOf` resolved."""
        found = dict(schema)
        if "$ref" in found:
            named = self.schemas[found.pop("$ref").rpartition("/")[2]]
            found = {**self.merged(named), **found}
        for each in found.pop("allOf", ()):
            inner = self.merged(each)
            found = {**inner, **found}
        assert found.keys() <= _KNOWN, found.keys() - _KNOWN
        return found

    def variants(self, schema: Schema) -> list[dict[str, Any]]:
        """Return the schemas of which a value must match one."""
        whole = self.merged(schema)
        choices = [*whole.pop("oneOf", ()), *whole.pop("anyOf", ())]
        if not choices:
            # Our document uses `not` where no value is accepted.
            return [] if "not" in whole else [whole]
        beside = {key: value for key, value in whole.items() if key != "type"}
        return [{**beside, **found} for choice in choices for found in self.variants(choice)]

    def variant(self, schema: Schema, value: Any) -> dict[str, Any]:
        """Return the variant that a valid value matches; empty if it matches none."""
        for each in self.variants(schema):
            constants = {
                name: member["const"]
                for name, member in each.get("properties", {}).items()
                if "const" in member
            }
            if isinstance(value, dict) != (each.get("type") == "object"):
                continue
            if all(value.get(name) == constant for name, constant in constants.items()):
                return each
        return {}

    def of(self, schema: Schema, name: str = "", depth: int = 0) -> st.SearchStrategy[Any]:
        """Values that match."""
        key = (json.dumps(schema, sort_keys=True), name if name in self.names else "", depth)
        if key not in self.variants_by_key:
            variants = self.variants(schema)
            self.variants_by_key[key] = st.one_of(
                [self._of_one(each, name, depth) for each in variants]
            )
        return self.variants_by_key[key]

    def _of_one(self, schema: dict[str, Any], name: str, depth: int) -> st.SearchStrategy[Any]:
        if "const" in schema or "enum" in schema:
            return st.sampled_from([schema["const"]] if "const" in schema else schema["enum"])
        kind = schema.get("type")
        if kind is None:
            assert not schema.keys() - _ANNOTATIONS, schema
            return st.sampled_from([None, True, 1, "a", [], {}])
        draws: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
            "string": lambda: self._text(schema, name),
            "integer": lambda: st.integers(schema.get("minimum"), schema.get("maximum")),
            "number": lambda: _number(schema),
            "boolean": st.booleans,
            "null": st.none,
            "array": lambda: self._list(schema, name, depth),
            "object": lambda: self._object(schema, depth),
        }
        return draws[kind]()

    def _list(self, schema: dict[str, Any], name: str, depth: int) -> st.SearchStrategy[Any]:
        least = schema.get("minItems", 0)
        return st.lists(
            self.of(schema["items"], name, depth + 1),
            min_size=least,
            max_size=max(min(schema.get("maxItems", 3), 3), least),
            unique_by=_key if schema.get("uniqueItems") else None,
        )

    def _object(self, schema: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
        if "propertyNames" in schema:
            names = self.of(schema["propertyNames"])
            return st.dictionaries(names, self.of(schema["additionalProperties"]), max_size=2)
        members = {
            name: self.of(each, name, depth + 1)
            for name, each in schema.get("properties", {}).items()
        }
        required = {name: members[name] for name in schema.get("required", ())}
        optional = {name: each for name, each in members.items() if name not in required}
        if depth >= _DEEP:
            return st.fixed_dictionaries(required)
        whole = st.fixed_dictionaries(required, optional=optional)
        if len(optional) > _DEEP:
            # Each is in few values, so that most values have no other error.
            some = st.lists(st.sampled_from(sorted(optional)), max_size=2, unique=True)
            few = some.flatmap(
                lambda names: st.fixed_dictionaries(
                    {**required, **{each: optional[each] for each in names}}
                )
            )
            return st.one_of(few, few, few, whole)
        return whole

    def _text(self, schema: dict[str, Any], name: str) -> st.SearchStrategy[str]:
        texts = _of_form(schema)
        if schema.get("format") == "uuid" and (own := self.names.get(name)):
            texts = st.one_of(st.just(own), st.just(own), texts)
        least, most = schema.get("minLength", 0), schema.get("maxLength", _LENGTH_MAX)
        form = re.compile(_python(schema.get("pattern", "")))
        return texts.filter(
            lambda each: (
                least <= len(each) <= most and form.search(each) is not None and _is_sendable(each)
            )
        )

    def breaches(self, schema: Schema) -> Iterator[Breach]:
        """Values each of which breaks one keyword, and with it the schema."""
        variants = self.variants(schema)
        for each in variants:
            for breach in _broken(each):
                others = (other for other in variants if other is not each)
                if not any(matches(other, breach.value) for other in others):
                    yield breach


def _of_form(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    """Texts of a format or a pattern; they may be too long or too short."""
    named: dict[str, Callable[[], st.SearchStrategy[str]]] = {
        "uuid": lambda: st.uuids().map(str),
        "date": lambda: st.dates(date(1000, 1, 1), date(9000, 1, 1)).map(date.isoformat),
        "date-time": _times,
    }
    if (kind := schema.get("format")) in named:
        return named[kind]()
    pattern = schema.get("pattern")
    if pattern is None:
        return _ANY_TEXT
    if len(pattern) > _LONG:
        return st.text(_alphabet(pattern), min_size=1, max_size=30)
    return st.from_regex(_python(pattern), fullmatch=True)


def _times() -> st.SearchStrategy[str]:
    zones = st.integers(-12 * 60, 12 * 60).map(lambda each: timezone(timedelta(minutes=each)))
    times = st.datetimes(_FIRST, _LAST, timezones=zones)
    return times.map(lambda each: each.isoformat().replace("+00:00", "Z"))


def _broken(schema: Mapping[str, Any]) -> Iterator[Breach]:
    """Values that break one keyword of a schema without variants."""
    if "enum" in schema or "const" in schema:
        yield Breach("enum", NONSENSE)
        return
    breaking: tuple[tuple[str, Any], ...] = (
        ("minLength", ""),
        ("pattern", "a\u0000b"),
        ("format", NONSENSE),
        ("minItems", []),
        ("exclusiveMinimum", schema.get("exclusiveMinimum")),
        ("minimum", schema.get("minimum", 0) - 1),
        ("maximum", schema.get("maximum", 0) + 1),
        ("maxLength", "x" * (schema.get("maxLength", 0) + 1)),
    )
    for keyword, value in breaking:
        # An address that is too long is not an address.
        is_form = keyword == "maxLength" and "format" in schema
        if keyword in schema and not is_form:
            yield Breach(keyword, value)
    kind = schema.get("type")
    if kind == "array":
        yield Breach("type", {"no": "list"})
    elif kind in {"integer", "number", "boolean", "object"}:
        yield Breach("type", NONSENSE)


@cache
def _alphabet(pattern: str) -> st.SearchStrategy[str]:
    """Return some characters allowed in texts of a format with long character classes."""
    form = re.compile(_python(pattern))
    points = [*range(0x2000), *range(0x2000, 0x11000, 97), *range(0x11000, 0x110000, 9973)]
    found = [chr(each) for each in points if form.search(f"a{chr(each)}a")]
    return st.sampled_from([each for each in found if _is_sendable(each)])


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _number(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    most = schema.get("maximum", 10**9)
    whole = st.integers(least + ("exclusiveMinimum" in schema), most)
    cents = whole.map(lambda each: min(each + 0.25, most))
    return st.one_of(whole, cents)


def _python(pattern: str) -> str:
    """Return the pattern in Python's dialect, where a dollar also matches before a line feed."""
    return pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern


def _is_sendable(text: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in text)


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "boolean": (bool,),
    "null": (type(None),),
}


def matches(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a value that breaks a keyword of another variant matches this one."""
    words = [schema["const"]] if "const" in schema else schema.get("enum")
    if words is not None:
        return value in words
    is_type = isinstance(value, _TYPES[schema["type"]]) if "type" in schema else True
    return is_type and (not isinstance(value, str) or _has_form(schema, value))


def _has_form(schema: Mapping[str, Any], text: str) -> bool:
    if schema.get("format") == "uuid":
        try:
            UUID(text)
        except ValueError:
            return False
    elif "format" in schema:
        return text != NONSENSE and "\u0000" not in text and bool(text)
    if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
        return False
    return "pattern" not in schema or re.search(_python(schema["pattern"]), text) is not None
