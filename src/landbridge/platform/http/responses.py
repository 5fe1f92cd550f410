"""Replies: frozen structs to JSON. Decimals are JSON numbers, exactly as written."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from litestar import MediaType, Response
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import BodyKwarg
from typing_extensions import override

from landbridge.platform.core.fields import named_fields
from landbridge.platform.http.constraints import POSITIVE, number, with_schema

# Descriptions of fields in the OpenAPI document; the JSON is unaffected.
Number: TypeAlias = Annotated[
    Decimal, BodyKwarg(schema_extra={"type": OpenAPIType.NUMBER, "format": "decimal"})
]
# Number in a request, with the constraints that the handler checks.
PositiveNumber: TypeAlias = Annotated[Number, with_schema(POSITIVE)]
# Fee in a request: a fraction or an amount in coins; another member says which.
FeeNumber: TypeAlias = Annotated[Number, with_schema(number(0, 10**24))]
# Amount or rate as a JSON text, so that no reader converts it to a float.
DecimalText: TypeAlias = Annotated[str, BodyKwarg(schema_extra={"format": "decimal"})]
Moment: TypeAlias = Annotated[str, BodyKwarg(schema_extra={"format": OpenAPIFormat.DATE_TIME})]

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")

_encoder = msgspec.json.Encoder(decimal_format="number")


def encode(value: Any) -> bytes:
    """Encode as JSON bytes."""
    return _encoder.encode(value)


def moment(at: datetime) -> str:
    """Format a time as the contract does: ISO 8601 with microseconds and `+00:00`."""
    return at.isoformat(timespec="microseconds")


def reply_of(source: object, kind: type[T], /, **values: Any) -> T:
    """Build a reply from the attributes of `source` that match its fields by name.

    Times become texts. `values` are fields that differ from `source`, or that it does not have.
    """
    found = {**named_fields(source, kind, values), **values}
    texts = {name: moment(at) for name, at in found.items() if isinstance(at, datetime)}
    return kind(**{**found, **texts})


def or_unset(value: T | None) -> T | msgspec.UnsetType:
    """Return a value; UNSET for None, so that the reply omits the field instead of having null."""
    return msgspec.UNSET if value is None else value


class ResponseEncoder(Response[Any]):
    """Encodes the result of a route: the one place that renders a struct as JSON."""

    @override
    def render(self, content: Any, media_type: str, enc_hook: Any = None) -> bytes:
        if media_type == MediaType.JSON and not isinstance(content, bytes):
            return encode(content)
        return super().render(content, media_type, enc_hook)


class WireStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of every request and reply: snake_case in Python, camelCase in JSON."""
