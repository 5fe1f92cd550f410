"""The header `Idempotency-Key`: an alternative to the request id in the body of a create.

A UUID is the request id itself. Any other text stands for an id derived from it, always the same
for the same text and organisation. Quotation marks around it, as in the header's draft standard,
are ignored.

Writes without a request id in their body take the header too: `platform/idempotency` stores it.
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
# Fields of bodies that the header can stand for.
MEMBERS = ("requestId", "idempotencyKey")

_TEXT = re.compile(r"[\x20-\x7e]{1,255}")
_QUOTED = re.compile(r'"([^"]*)"')


def key_member(annotation: Any) -> str | None:
    """Return the field that the header stands for in this type of body; None if it has none."""
    structs = [each for each in get_args(annotation) or (annotation,) if _is_struct(each)]
    names = {
        field.encode_name
        for each in structs
        for field in cast("inspect.StructType", inspect.type_info(each)).fields
    }
    return next((each for each in MEMBERS if each in names), None)


def with_key(raw: bytes, member: str, values: Sequence[str], org_id: UUID) -> bytes:
    """Return the body with the request id of the header; the body may contain the same id.

    `values` are the values of the header. Raises `FieldInvalid`, naming the header.
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
    """Return the request id of the header; raises `FieldInvalid` if it is malformed."""
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
# Keeps every other member as it was written, so that no number is read twice.
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
