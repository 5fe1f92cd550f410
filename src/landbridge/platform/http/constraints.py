"""Constraints of requests that the OpenAPI document states.

Handlers check most values themselves, with their own error messages, which a type checked by the
decoder would change. So a constraint that a handler checks is stated beside the type, as keywords
of JSON Schema that validate nothing: `query` for a query parameter, `with_schema` for a field of a
body. `ConstraintPlugin` states what msgspec checks, from the type itself.

A schema may refuse what a lenient check accepts (spaces around a value, a second spelling); it
never allows what the server always refuses. tests/contract/test_schema_trust.py compares them.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from litestar._openapi.schema_generation import SchemaCreator
from litestar._openapi.schema_generation.plugins.struct import StructSchemaPlugin
from litestar.openapi.spec import OpenAPIType, Reference, Schema
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition
from msgspec import inspect
from typing_extensions import override

from landbridge.platform.core.money import UNITS_DIGITS_MAX

Keywords = Mapping[str, Any]

# Schema keyword of a required parameter, until `take_required` moves it to the parameter.
_REQUIRED = "required"
_ALIASES = {**Schema().field_aliases(), "exclusiveMaximum": "exclusive_maximum"}
# Keywords that describe a schema without limiting its values; Litestar emits them itself.
_ANNOTATIONS = {"title", "description", "examples", "extra"}

# Decimals of stablecoins, and digits of the largest amount before the point.
_DECIMALS, _WHOLE_DIGITS = 6, 24

_TYPE_STRING: Keywords = {"type": "string"}
IDENTIFIER: Keywords = {**_TYPE_STRING, "format": "uuid"}
# The server accepts a time with an offset; a space may replace the plus sign.
_SECONDS = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"
_OFFSET = "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
# Years 1 and 9999 are excluded: an offset could lead beyond the calendar.
_YEAR = "(?!0000|0001|9999)[0-9]{4}"
DATE: Keywords = {**_TYPE_STRING, "format": "date"}
TIME: Keywords = {
    **_TYPE_STRING,
    "format": "date-time",
    "pattern": f"^{_YEAR}-[0-9]{{2}}-[0-9]{{2}}{_SECONDS}{_OFFSET}$",
}
# Name in IANA's time zone database; the handler checks that it exists.
ZONE_NAME: Keywords = {**_TYPE_STRING, "pattern": "^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}$"}


# Query parameter that is `true` or `false`.
BOOLEAN: Keywords = {"type": "boolean"}


def one_of(values: Iterable[str]) -> Keywords:
    """Return the schema of a text that is one of these values."""
    return {**_TYPE_STRING, "enum": [str(each) for each in values]}


def some_of(values: Iterable[str]) -> Keywords:
    """Return the schema of a parameter that may be repeated, each time with one of these values."""
    return {"type": "array", "items": one_of(values)}


def integer(minimum: int, maximum: int) -> Keywords:
    """Return the schema of a whole number within these bounds, inclusive."""
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def text(length_max: int, *, length_min: int = 0) -> Keywords:
    """Return the schema of a text with at most this many characters."""
    shortest = {"minLength": length_min} if length_min else {}
    return {**_TYPE_STRING, **shortest, "maxLength": length_max}


def pattern_schema(pattern: str, **keywords: Any) -> Keywords:
    """Return the schema of a text that matches this pattern."""
    return {**_TYPE_STRING, "pattern": pattern, **keywords}


def coins(decimals: int) -> Keywords:
    """Return the schema of an amount in whole coins, zero or more, as a decimal text."""
    pattern = f"^[0-9]{{1,{UNITS_DIGITS_MAX - decimals}}}([.][0-9]{{1,{decimals}}})?$"
    return pattern_schema(pattern, format="decimal")


def schema_reference(name: str, **keywords: Any) -> Keywords:
    """Return the schema of a text that refers to a shared schema, which `describe` receives."""
    return {**_TYPE_STRING, "allOf": [{"$ref": f"#/components/schemas/{name}"}], **keywords}


DATE_OR_TIME = schema_reference("DateOrTime")
# Shared schemas of the document that this module's keywords refer to.
SCHEMAS: Mapping[str, Keywords] = {
    "DateOrTime": {
        "description": "A date, which means its beginning in UTC unless the parameter says "
        "otherwise, or a time with an offset.",
        **_TYPE_STRING,
        "anyOf": [{**DATE, "pattern": f"^{_YEAR}-[0-9]{{2}}-[0-9]{{2}}$"}, TIME],
    }
}


def or_empty(keywords: Keywords) -> Keywords:
    """Return keywords that accept an empty text too."""
    return {**_TYPE_STRING, "anyOf": [keywords, {**_TYPE_STRING, "const": ""}]}


def positive_text(decimals: int = _DECIMALS, whole_digits: int = _WHOLE_DIGITS) -> Keywords:
    """Return the schema of an amount above zero, as a decimal text."""
    pattern = f"^(?=.*[1-9])[0-9]{{1,{whole_digits}}}([.][0-9]{{1,{decimals}}})?$"
    return pattern_schema(pattern, format="decimal")


def number(minimum: int, maximum: int) -> Keywords:
    """Return the schema of a number within these bounds; its currency decides the decimals."""
    return {"minimum": minimum, "maximum": maximum}


# An amount above zero; the bounds of the currency are narrower.
POSITIVE: Keywords = {"exclusiveMinimum": 0, "maximum": 10**_WHOLE_DIGITS}


def query(
    name: str | None,
    keywords: Keywords,
    *,
    description: str | None = None,
    is_required: bool = False,
) -> QueryParameter:
    """Return a query parameter; its handler checks what the keywords state.

    `is_required`: the handler refuses a request without the parameter.
    """
    required = {_REQUIRED: [name]} if is_required else {}
    extra = {_ALIASES.get(key, key): value for key, value in {**keywords, **required}.items()}
    return QueryParameter(
        name=name,
        description=description,
        schema_extra={"type": None, "one_of": None, "items": None, **extra},
    )


def take_required(parameter: dict[str, Any]) -> None:
    """Mark a parameter of the document as required if its schema says so."""
    if parameter["schema"].pop(_REQUIRED, None):
        parameter["required"] = True


def with_schema(keywords: Keywords, **checked: Any) -> msgspec.Meta:
    """Return metadata of a type: `keywords` are checked by the handler, `checked` by msgspec."""
    return msgspec.Meta(extra_json_schema=dict(keywords), **checked)


class ConstraintPlugin(StructSchemaPlugin):
    """Adds the constraints that msgspec checks to fields of structs, lists and unions."""

    @override
    def to_openapi_schema(
        self, field_definition: FieldDefinition, schema_creator: SchemaCreator
    ) -> Schema:
        schema = super().to_openapi_schema(field_definition, schema_creator)
        struct = cast("inspect.StructType", inspect.type_info(field_definition.type_))
        if struct.forbid_unknown_fields:
            schema.additional_properties = False
        for field in struct.fields:
            _state((schema.properties or {})[field.encode_name], field.type)
        return schema


def _state(schema: Schema | Reference, info: inspect.Type) -> None:
    """Add to a schema the constraints that msgspec checks for its type."""
    if isinstance(schema, Reference):
        return
    match info:
        case inspect.UnionType():
            _state_union(schema, info)
        case inspect.Metadata():
            _state(schema, info.type)
            _add(schema, cast("Keywords", info.extra_json_schema or {}))
        case inspect.StrType():
            _add(
                schema,
                {
                    "minLength": info.min_length,
                    "maxLength": info.max_length,
                    "pattern": info.pattern,
                },
            )
        case inspect.IntType() | inspect.FloatType():
            _add(schema, {"minimum": info.ge, "maximum": info.le})
        case inspect.ListType() | inspect.VarTupleType():
            _add(schema, {"minItems": info.min_length, "maxItems": info.max_length})
            if schema.items is not None:
                _state(schema.items, info.item_type)
        case _:
            pass


def _state_union(schema: Schema, info: inspect.UnionType) -> None:
    """Add the constraints to each choice of a union, except null."""
    types = [each for each in info.types if not isinstance(each, inspect.NoneType)]
    choices = [
        each
        for each in schema.one_of or ()
        if isinstance(each, Reference) or each.type is not OpenAPIType.NULL
    ]
    if len(types) == 1 and len(choices) == 1:
        _state(choices[0], types[0])
        for keyword in ("min_length", "max_length", "pattern", "minimum", "maximum"):
            setattr(schema, keyword, None)
        schema.min_items = schema.max_items = None
        return
    lists = (inspect.ListType, inspect.VarTupleType)
    for choice in choices:
        of_lists = isinstance(choice, Schema) and choice.type is OpenAPIType.ARRAY
        same = [each for each in types if isinstance(each, lists)] if of_lists else []
        if len(same) == 1:
            _state(choice, same[0])


def _add(schema: Schema, keywords: Keywords) -> None:
    for keyword, value in keywords.items():
        if value is not None and keyword not in _ANNOTATIONS:
            setattr(schema, _ALIASES.get(keyword, keyword), value)
