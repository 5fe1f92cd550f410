"""Replies: frozen structs to JSON. Decimals are JSON numbers, exactly as written."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

import msgspec
from litestar import MediaType, Response
from litestar.openapi.spec.enums import OpenAPIFormat, OpenAPIType
from litestar.params import BodyKwarg
from typing_extensions import override

# How members are described in the OpenAPI document; on the wire they are what they say.
Number: TypeAlias = Annotated[Decimal, BodyKwarg(schema_extra={"type": OpenAPIType.NUMBER})]
Moment: TypeAlias = Annotated[str, BodyKwarg(schema_extra={"format": OpenAPIFormat.DATE_TIME})]

_encoder = msgspec.json.Encoder(decimal_format="number")


def encode(value: Any) -> bytes:
    """The bytes that go over the wire."""
    return _encoder.encode(value)


def moment(at: datetime) -> str:
    """A time as the contract prints it: ISO 8601, microseconds, `+00:00`."""
    return at.isoformat(timespec="microseconds")


class Reply(Response[Any]):
    """Encodes what a route returns; the one place that makes JSON of a struct."""

    @override
    def render(self, content: Any, media_type: str, enc_hook: Any = None) -> bytes:
        if media_type == MediaType.JSON and not isinstance(content, bytes):
            return encode(content)
        return super().render(content, media_type, enc_hook)


class WireStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of every request and reply: snake_case here, camelCase on the wire."""
