"""Request bodies: JSON bytes to a frozen struct, or a sentence that names the field.

Guarantees: bounded time and memory (size is bounded by the app, depth here); numbers arrive as
exact decimals; a key given twice, a NUL character, NaN and half a surrogate pair are refused;
members that we don't know are ignored.
"""

import json
import re
from collections.abc import Generator
from decimal import Decimal
from typing import Any, ClassVar, NoReturn, TypeVar, cast

import msgspec
from litestar.connection import ASGIConnection
from litestar.dto import AbstractDTO
from litestar.dto._backend import DTOBackend
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition
from typing_extensions import override

from landbridge.core.errors import FieldInvalid
from landbridge.core.shapes import refuse

T = TypeVar("T")

# Not behind an odd number of backslashes, where it is a backslash and the letters u0000.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


class Body(AbstractDTO[Any]):
    """Decodes `data` of every route from the raw bytes with the route's own struct."""

    _decoders: ClassVar[dict[str, "msgspec.json.Decoder[Any]"]] = {}

    @override
    def decode_bytes(self, value: bytes) -> Any:
        connection = cast("ASGIConnection[Any, Any, Any, Any]", self.asgi_connection)
        return decode(value, self._decoders[connection.route_handler.handler_id])

    @classmethod
    @override
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        return field_definition.name == "data"

    @classmethod
    @override
    def create_for_field_definition(
        cls,
        field_definition: FieldDefinition,
        handler_id: str,
        backend_cls: type[DTOBackend] | None = None,
    ) -> None:
        cls._decoders[handler_id] = msgspec.json.Decoder(
            field_definition.annotation, float_hook=_exact
        )

    @classmethod
    @override
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Reference | Schema:
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    @override
    def generate_field_definitions(
        cls, model_type: type[Any]
    ) -> Generator[DTOFieldDefinition, None, None]:
        yield from ()

    @classmethod
    @override
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        return False


def decode(raw: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """The struct in `raw`; raises `FieldInvalid`."""
    check_json(raw)
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        refuse(str(error))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FieldInvalid(f"the request body is not valid JSON: {error}") from error


def check_json(raw: bytes) -> None:
    """Refuse what a lenient parser lets through."""
    try:
        _STRICT.decode(raw.decode())
    except RecursionError as error:
        raise FieldInvalid("the request body is nested too deeply") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FieldInvalid(f"the request body is not valid JSON: {error}") from error
    except ValueError as error:
        raise FieldInvalid("the request body has a number with too many digits") from error
    if _NUL.search(raw):
        raise FieldInvalid("the request body has a NUL character in a text")


def as_asked(data: msgspec.Struct) -> dict[str, Any]:
    """A request as JSON-like values without the members that were left out.

    This is what is kept beside what the request made, and what a replay of it must equal.
    """
    return cast("dict[str, Any]", _without_nones(msgspec.to_builtins(data)))


def _without_nones(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _without_nones(each) for name, each in members.items() if each is not None}
    if isinstance(value, list | tuple):
        # A list either way: that is what it will be when it is read back.
        return [_without_nones(each) for each in cast("list[Any]", value)]
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise FieldInvalid(f"{name[:100]!r} is given twice", field=name[:100])
            seen.add(name)
    return members


def _exact(number: str) -> Decimal:
    """A number with a point or an exponent, where the body says no more than that it is JSON."""
    try:
        return Decimal(number)
    except ArithmeticError as error:
        raise ValueError("a number is too large or too small") from error


def _refuse_constant(name: str) -> NoReturn:
    raise FieldInvalid(f"{name} is not a JSON number")


# Made once: `json.loads` with hooks makes a decoder at each call, at four times the price.
_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
