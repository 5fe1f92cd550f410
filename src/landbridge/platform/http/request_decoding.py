"""Request bodies: JSON bytes to a frozen struct, or a sentence that names the field.

Guarantees: bounded time and memory (size is bounded by the app, depth and values here); numbers
arrive as exact decimals; a key given twice, a NUL character, NaN and half a surrogate pair are
refused; members that we don't know are reported (`unknown_names`).
"""

import json
import re
from collections.abc import Generator, Iterator
from decimal import Decimal
from functools import cache, partial
from typing import Annotated, Any, ClassVar, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

import msgspec
from litestar.connection import ASGIConnection
from litestar.dto import AbstractDTO
from litestar.dto._backend import DTOBackend
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.handlers.base import BaseRouteHandler
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition
from msgspec import inspect
from typing_extensions import override

from landbridge.platform.core.decode_errors import refuse
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.constraints import positive_text, with_schema
from landbridge.platform.http.headers import header, header_values
from landbridge.platform.http.idempotency_key import HEADER, key_member, with_key
from landbridge.platform.http.unknown_names import check_body_names

T = TypeVar("T")

_AMOUNT = {"is": "amount"}
# Amount in a request; the contract has it as a decimal string.
AmountText: TypeAlias = Annotated[str, with_schema(positive_text(), extra=_AMOUNT)]

_PLAIN = re.compile(r"[0-9]{1,100}(?:\.[0-9]{1,100})?")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
# Scope key of a parsed body, if the body was checked before.
TREE = "landbridge.tree"
# A body has at most as many values as commas and opening brackets together. The largest useful body
# is a list of ten thousand addresses.
COMMAS_MAX = 50_000
OPENINGS_MAX = 50_000
# Characters of a number with a fraction or exponent. A whole number has at most 4,300 digits.
NUMBER_LENGTH_MAX = 4_300
# Maximum digits before or after the point; no meaningful number has more.
_EXPONENT_MAX = 100
_NUL, _BACKSLASH = b"\\u0000", b"\\\\"


class RequestDecoder(AbstractDTO[Any]):
    """Decodes `data` of every route from the raw bytes with the route's own struct."""

    _decoders: ClassVar[dict[str, "msgspec.json.Decoder[Any]"]] = {}
    # Body field that the header `Idempotency-Key` provides, by handler.
    _key_members: ClassVar[dict[str, str | None]] = {}

    @override
    def decode_bytes(self, value: bytes) -> Any:
        return self.decode(cast("ASGIConnection[Any, Any, Any, Any]", self.asgi_connection), value)

    @classmethod
    def decode(cls, connection: ASGIConnection[Any, Any, Any, Any], raw: bytes) -> Any:
        """Decode the body of a request; raises `FieldInvalid`."""
        handler_id = _handler_id(connection.route_handler)
        # Errors refer to the body as it arrived, before the header's value is added.
        tree = cast("dict[str, Any]", connection.scope).get(TREE) or _check_body(connection, raw)
        keys = header_values(connection.scope, HEADER)
        if keys and (member := cls._key_members[handler_id]) is not None:
            raw = with_key(raw, member, keys, connection.user.org_id)
        decoder = cls._decoders[handler_id]
        data = _typed(raw, decoder, tree)
        check_body_names(connection, decoder.type, tree)
        return data

    @classmethod
    def is_of(cls, handler: BaseRouteHandler) -> bool:
        """Return whether this handler has a body that is decoded here."""
        return _handler_id(handler) in cls._decoders

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


@cache
def _handler_id(handler: BaseRouteHandler) -> str:
    """Return the id of a handler, which the framework would compose again each time."""
    return handler.handler_id


def _check_body(connection: ASGIConnection[Any, Any, Any, Any], raw: bytes) -> Any:
    """Check a body and parse it; a body that is an HTML form is refused as such."""
    try:
        return check_json(raw)
    except FieldInvalid as error:
        sent = (header(connection.scope, "content-type") or "").lower()
        if not sent.startswith(_FORMS):
            raise
        raise FieldInvalid(
            "the request body is form-encoded: send JSON, with Content-Type: application/json"
        ) from error


def decode(raw: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """Decode `raw` into a struct; raises `FieldInvalid`."""
    return _typed(raw, decoder, check_json(raw))


def _typed(raw: bytes, decoder: "msgspec.json.Decoder[T]", tree: Any) -> T:
    try:
        value = decoder.decode(raw)
    except msgspec.ValidationError as error:
        refuse(str(error), partial(choices, decoder.type))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FieldInvalid(f"the request body is not valid JSON: {error}") from error
    _check_plain(value, tree, "")
    return value


def check_json(raw: bytes) -> Any:
    """Parse `raw`; raises `FieldInvalid` for what a lenient parser would accept."""
    # A value takes sixty times the memory of its text, so the size alone does not bound the cost.
    if raw.count(b",") > COMMAS_MAX:
        raise FieldInvalid(f"the request body has more than {COMMAS_MAX:,} values or commas")
    if raw.count(b"[") + raw.count(b"{") > OPENINGS_MAX:
        raise FieldInvalid(f"the request body has more than {OPENINGS_MAX:,} arrays and objects")
    try:
        tree = _STRICT.decode(raw.decode())
    except RecursionError as error:
        raise FieldInvalid("the request body is nested too deeply") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FieldInvalid(f"the request body is not valid JSON: {error}") from error
    except ValueError as error:
        raise FieldInvalid("the request body has a number with too many digits") from error
    if _has_nul(raw):
        raise FieldInvalid("the request body has a NUL character in a text")
    return tree


def _has_nul(raw: bytes) -> bool:
    """Return whether valid JSON has an escaped NUL, ignoring an escaped backslash before u0000.

    A regular expression would block the process for a second with the largest body.
    """
    return _NUL in raw and _NUL in raw.replace(_BACKSLASH, b"  ")


def _check_plain(value: Any, tree: Any, path: str) -> None:
    """Refuse a text that only Python accepts as a number, such as 1_0 or +5."""
    match value:
        case Decimal() if isinstance(tree, str) and not _PLAIN.fullmatch(tree.removeprefix("-")):
            raise FieldInvalid(f"{path} is not a plain decimal number", field=path)
        case msgspec.Struct() if _has_numbers(type(value)):
            members = cast("dict[str, Any]", tree)
            for member in _members(type(value)):
                if member.wire_name in members:
                    under = f"{path}.{member.wire_name}" if path else member.wire_name
                    _check_plain(getattr(value, member.name), members[member.wire_name], under)
        case list() | tuple():
            pairs = zip(cast("list[Any]", value), tree, strict=True)
            for index, (each, of) in enumerate(pairs):
                _check_plain(each, of, f"{path}[{index}]")
        case _:
            pass


@cache
def _has_numbers(struct: type[msgspec.Struct]) -> bool:
    """Return whether a request of this type may contain a number, including one in a text."""
    return _holds_decimals(inspect.type_info(struct))


def _holds_decimals(info: inspect.Type) -> bool:
    match info:
        case inspect.DecimalType():
            return True
        case inspect.StructType():
            return any(_holds_decimals(each.type) for each in info.fields)
        case inspect.UnionType():
            return any(_holds_decimals(each) for each in info.types)
        case inspect.ListType() | inspect.VarTupleType():
            return _holds_decimals(info.item_type)
        case inspect.Metadata():
            return _holds_decimals(info.type)
        case _:
            return False


def request_values(data: msgspec.Struct) -> dict[str, Any]:
    """Normalise a request to JSON-like values, which are stored to compare replays with.

    Fields that are missing, null or equal to their default are left out. 10, 10.0 and "10" are the
    same number, as are "10.0" and "10" of an `AmountText`.
    """
    values: dict[str, Any] = {}
    tag = data.__struct_config__
    if tag.tag_field is not None:
        values[tag.tag_field] = tag.tag
    for member in _members(type(data)):
        value = getattr(data, member.name)
        if value is None or value == member.default:
            continue
        is_amount = member.is_amount and _PLAIN.fullmatch(value)
        values[member.wire_name] = (
            _one_spelling(Decimal(value)) if is_amount else plain_values(value)
        )
    return values


class _StructField(NamedTuple):
    name: str
    wire_name: str
    default: Any
    is_amount: bool


@cache
def _members(struct: type[msgspec.Struct]) -> tuple[_StructField, ...]:
    info = cast("inspect.StructType", inspect.type_info(struct))
    return tuple(
        _StructField(each.name, each.encode_name, each.default, is_amount=_is_amount(each.type))
        for each in info.fields
    )


def _is_amount(info: inspect.Type) -> bool:
    if isinstance(info, inspect.UnionType):
        return any(_is_amount(each) for each in info.types)
    if not isinstance(info, inspect.Metadata):
        return False
    return cast("dict[str, str] | None", info.extra) == _AMOUNT


def plain_values(value: Any) -> Any:
    """Normalise structs, arrays and objects as `request_values` does; null members are left out."""
    match value:
        case msgspec.Struct():
            return request_values(value)
        case dict():
            members = cast("dict[str, Any]", value)
            return {name: plain_values(each) for name, each in members.items() if each is not None}
        case list() | tuple():
            # Tuples become lists, because stored JSON is decoded to lists.
            return [plain_values(each) for each in cast("list[Any]", value)]
        case Decimal():
            return _one_spelling(value)
        case _:
            return msgspec.to_builtins(value)


def _one_spelling(number: Decimal) -> str:
    """Remove trailing zeros, and the exponent unless the result would be absurdly long."""
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
        names: set[str] = set()
        for name, _ in pairs:
            if name in names:
                raise FieldInvalid(f"{name[:100]!r} is given twice", field=name[:100])
            names.add(name)
    return members


def _exact(number: str) -> Decimal:
    """Decode a number with a fraction or an exponent exactly, in a field of any JSON type."""
    try:
        return Decimal(number)
    except ArithmeticError as error:
        raise ValueError("a number is too large or too small") from error


def _check_length(number: str) -> float:
    """Decode a number approximately: only texts and the structure of the parsed tree are used."""
    if len(number) > NUMBER_LENGTH_MAX:
        raise ValueError("a number is too long")
    return float(number)


def _refuse_constant(name: str) -> NoReturn:
    raise FieldInvalid(f"{name} is not a JSON number")


# Created once: `json.loads` with hooks builds a decoder at each call, at four times the cost.
_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_float=_check_length, parse_constant=_refuse_constant
)


_INDEX = re.compile(r"\[[^\]]*\]")


def choices(of: Any, path: str) -> list[str]:
    """Return the values of the enumeration at a path such as `chains[0]`; empty if it is none."""
    return list(_choices(inspect.type_info(of), path))


def _choices(info: inspect.Type, path: str) -> Iterator[str]:
    """Yield the allowed texts at this path of a body of this type."""
    match info:
        case inspect.Metadata():
            yield from _choices(info.type, path)
        case inspect.UnionType():
            for each in info.types:
                yield from _choices(each, path)
        case inspect.ListType() | inspect.VarTupleType() if path.startswith("["):
            yield from _choices(info.item_type, _INDEX.sub("", path, count=1).removeprefix("."))
        case inspect.StructType():
            yield from _member_choices(info, path)
        case inspect.EnumType() if not path:
            yield from (str(cast("Any", each).value) for each in info.cls)
        case inspect.LiteralType() if not path:
            yield from (str(each) for each in info.values)
        case _:
            pass


def _member_choices(info: inspect.StructType, path: str) -> Iterator[str]:
    name, rest = _first(path)
    if name == info.tag_field:
        yield str(info.tag)
    for field in info.fields:
        if field.encode_name == name:
            yield from _choices(field.type, rest)


def _first(path: str) -> tuple[str, str]:
    """Split `chains[0].name` into its first member `chains` and the rest `[0].name`."""
    end = next((index for index, sign in enumerate(path) if sign in ".["), len(path))
    return path[:end], path[end:].removeprefix(".")
