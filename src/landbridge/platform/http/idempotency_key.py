"""The header `Idempotency-Key`: an alternative to the request id in the body of a create.

A UUID is the request id itself. From any other text an id is derived, always the same for the same
text and organisation. Quotation marks around it, as in the header's draft standard, are ignored.

Writes without a request id in their body accept the header too: `platform/idempotency` stores the
key.
"""

import re
from collections.abc import Sequence
from typing import Any, cast, get_args
from uuid import UUID

import msgspec
from msgspec import inspect

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import derived_id
from landbridge.platform.http.headers import header_values
from landbridge.platform.http.list_query import AnyRequest

HEADER = "Idempotency-Key"
# Body fields that the header can provide.
MEMBERS = ("requestId", "idempotencyKey")

_TEXT = re.compile(r"[\x20-\x7e]{1,255}")
_QUOTED = re.compile(r'"([^"]*)"')


def key_member(annotation: Any) -> str | None:
    """Return the field of this body type that the header provides; None if it has none."""
    structs = [each for each in get_args(annotation) or (annotation,) if _is_struct(each)]
    names = {
        field.encode_name
        for each in structs
        for field in cast("inspect.StructType", inspect.type_info(each)).fields
    }
    return next((each for each in MEMBERS if each in names), None)


def with_key(raw: bytes, member: str, values: Sequence[str], org_id: UUID) -> bytes:
    """Return the body with the header's request id added.

    `values` are the values of the header. If the body has a request id, it must be the same. Raises
    `FieldInvalid`, naming the header.
    """
    key = _single_key(values, org_id)
    try:
        members = _members.decode(raw)
        inside = msgspec.json.decode(members.get(member, _NULL), type=UUID | None)
    except msgspec.MsgspecError:
        return raw  # the decoder of the body reports the error
    if inside is not None and inside != key:
        raise FieldInvalid(
            f"{HEADER} and {member} are different ids; one of them is enough", field=HEADER
        )
    return msgspec.json.encode({**members, member: key})


def request_key(request: AnyRequest, org_id: UUID) -> UUID | None:
    """Return the request id of the header; None without it. Raises `FieldInvalid`."""
    values = header_values(request.scope, HEADER)
    return _single_key(values, org_id) if values else None


def _single_key(values: Sequence[str], org_id: UUID) -> UUID:
    if len(set(values)) > 1:
        raise FieldInvalid(f"{HEADER} is given twice", field=HEADER)
    return _key(values[0], org_id)


def _key(value: str, org_id: UUID) -> UUID:
    quoted = _QUOTED.fullmatch(value)
    text = quoted[1] if quoted else value
    if not _TEXT.fullmatch(text):
        raise FieldInvalid(f"{HEADER} must be 1 to 255 printable ASCII characters", field=HEADER)
    try:
        return msgspec.convert(text, UUID)
    except msgspec.ValidationError:
        return derived_id(org_id, f"idempotency-key/{text}")


def _is_struct(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)


_NULL = msgspec.Raw(b"null")
# Keeps the other members as they were written, so that their numbers are not parsed twice.
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
