"""Request bodies: JSON bytes to a frozen struct, or a sentence that names the field.

Guarantees: bounded time and memory (size is bounded by the app, depth here); numbers arrive as
exact decimals; a key given twice, a NUL character, NaN and half a surrogate pair are refused;
members that we don't know are ignored.
"""

import json
import re
from collections.abc import Generator
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

import msgspec
from litestar.connection import ASGIConnection
from litestar.dto import AbstractDTO
from litestar.dto._backend import DTOBackend
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition
from msgspec import inspect
from typing_extensions import override

from landbridge.core.errors import FieldInvalid
from landbridge.core.shapes import refuse
from landbridge.web.keys import HEADER, key_member, with_key

T = TypeVar("T")

_AMOUNT = {"is": "amount"}
# An amount that the contract has as a decimal string.
AmountText: TypeAlias = Annotated[str, msgspec.Meta(extra=_AMOUNT)]

_PLAIN = re.compile(r"[0-9]{1,100}(?:\.[0-9]{1,100})?")
# Digits before or behind the point of any number that makes sense here.
_EXPONENT_MAX = 100
# Not behind an odd number of backslashes, where it is a backslash and the letters u0000.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


class Body(AbstractDTO[Any]):
    """Decodes `data` of every route from the raw bytes with the route's own struct."""

    _decoders: ClassVar[dict[str, "msgspec.json.Decoder[Any]"]] = {}
    # By what name the header `Idempotency-Key` would go in the body.
    _key_members: ClassVar[dict[str, str | None]] = {}

    @override
    def decode_bytes(self, value: bytes) -> Any:
        connection = cast("ASGIConnection[Any, Any, Any, Any]", self.asgi_connection)
        handler_id = connection.route_handler.handler_id
        keys = connection.headers.getall(HEADER, [])
        if keys and (member := self._key_members[handler_id]) is not None:
            # What is wrong with the body is said of it as it came.
            check_json(value)
            value = with_key(value, member, keys, connection.user.org_id)
        return decode(value, self._decoders[handler_id])

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
        cls._key_members[handler_id] = key_member(field_definition.annotation)

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
    tree = check_json(raw)
    try:
        told = decoder.decode(raw)
    except msgspec.ValidationError as error:
        refuse(str(error))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FieldInvalid(f"the request body is not valid JSON: {error}") from error
    _check_plain(told, tree, "")
    return told


def check_json(raw: bytes) -> Any:
    """What is in `raw`; refuses what a lenient parser lets through."""
    try:
        tree = _STRICT.decode(raw.decode())
    except RecursionError as error:
        raise FieldInvalid("the request body is nested too deeply") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FieldInvalid(f"the request body is not valid JSON: {error}") from error
    except ValueError as error:
        raise FieldInvalid("the request body has a number with too many digits") from error
    if _NUL.search(raw):
        raise FieldInvalid("the request body has a NUL character in a text")
    return tree


def _check_plain(told: Any, tree: Any, path: str) -> None:
    """Refuse a text for a number that only Python takes for one, as it does 1_0 and +5."""
    match told:
        case Decimal() if isinstance(tree, str) and not _PLAIN.fullmatch(tree.removeprefix("-")):
            raise FieldInvalid(f"{path} is not a plain decimal number", field=path)
        case msgspec.Struct() if _has_numbers(type(told)):
            members = cast("dict[str, Any]", tree)
            for member in _members(type(told)):
                if member.wire_name in members:
                    under = f"{path}.{member.wire_name}" if path else member.wire_name
                    _check_plain(getattr(told, member.name), members[member.wire_name], under)
        case list() | tuple():
            pairs = zip(cast("list[Any]", told), tree, strict=True)
            for place, (each, of) in enumerate(pairs):
                _check_plain(each, of, f"{path}[{place}]")
        case _:
            pass


@cache
def _has_numbers(struct: type[msgspec.Struct]) -> bool:
    """Whether a number may stand in such a request, as a text too."""
    return _holds_decimals(inspect.type_info(struct))


def _holds_decimals(told: inspect.Type) -> bool:
    match told:
        case inspect.DecimalType():
            return True
        case inspect.StructType():
            return any(_holds_decimals(each.type) for each in told.fields)
        case inspect.UnionType():
            return any(_holds_decimals(each) for each in told.types)
        case inspect.ListType() | inspect.VarTupleType():
            return _holds_decimals(told.item_type)
        case inspect.Metadata():
            return _holds_decimals(told.type)
        case _:
            return False


def as_asked(data: msgspec.Struct) -> dict[str, Any]:
    """A request as JSON-like values, in one spelling: kept beside what it made.

    A replay must equal it. Left out are members that were left out or null, and those that say
    what holds without them; 10, 10.0 and "10" are one number, as are an `AmountText` "10.0" and
    "10".
    """
    told: dict[str, Any] = {}
    tag = data.__struct_config__
    if tag.tag_field is not None:
        told[tag.tag_field] = tag.tag
    for member in _members(type(data)):
        value = getattr(data, member.name)
        if value is None or value == member.default:
            continue
        is_amount = member.is_amount and _PLAIN.fullmatch(value)
        told[member.wire_name] = _one_spelling(Decimal(value)) if is_amount else _told(value)
    return told


class _Member(NamedTuple):
    name: str
    wire_name: str
    default: Any
    is_amount: bool


@cache
def _members(struct: type[msgspec.Struct]) -> tuple[_Member, ...]:
    info = cast("inspect.StructType", inspect.type_info(struct))
    return tuple(
        _Member(each.name, each.encode_name, each.default, is_amount=_is_amount(each.type))
        for each in info.fields
    )


def _is_amount(told: inspect.Type) -> bool:
    if isinstance(told, inspect.UnionType):
        return any(_is_amount(each) for each in told.types)
    if not isinstance(told, inspect.Metadata):
        return False
    return cast("dict[str, str] | None", told.extra) == _AMOUNT


def _told(value: Any) -> Any:
    match value:
        case msgspec.Struct():
            return as_asked(value)
        case dict():
            members = cast("dict[str, Any]", value)
            return {name: _told(each) for name, each in members.items() if each is not None}
        case list() | tuple():
            # A list either way: that is what it will be when it is read back.
            return [_told(each) for each in cast("list[Any]", value)]
        case Decimal():
            return _one_spelling(value)
        case _:
            return msgspec.to_builtins(value)


def _one_spelling(number: Decimal) -> str:
    """Without trailing zeros; without an exponent too, if that is not absurdly long."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return str(number)
    if not number:
        return "0"
    zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    number = Decimal((sign, digits[: len(digits) - zeros], exponent + zeros))
    return f"{number:f}" if abs(exponent) <= _EXPONENT_MAX else str(number)


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
