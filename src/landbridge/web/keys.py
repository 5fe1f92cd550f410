"""The header `Idempotency-Key`: another spelling of the id that a create has in its body.

A UUID is that id itself. Any other text stands for an id that is derived from it, the same one for
the same text and organisation each time. Quotation marks around it, as the header's draft standard
has them, are no part of it.

Handlers that do the same once more each time they are asked, and know no such id, have
`unkeyed=True` in their options. There the header is refused: who sends it counts on it.
"""

import re
from collections.abc import Sequence
from typing import Any, cast, get_args
from uuid import UUID

import msgspec
from msgspec import inspect

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import derived_id
from landbridge.web.lists import AnyRequest

HEADER = "Idempotency-Key"
# The ids that the header can stand for, as they are called in bodies.
MEMBERS = ("requestId", "idempotencyKey")

_TEXT = re.compile(r"[\x20-\x7e]{1,255}")
_QUOTED = re.compile(r'"([^"]*)"')


def key_member(annotation: Any) -> str | None:
    """What a body of this type calls the id that the header stands for; None if it has none."""
    structs = [each for each in get_args(annotation) or (annotation,) if _is_struct(each)]
    names = {
        field.encode_name
        for each in structs
        for field in cast("inspect.StructType", inspect.type_info(each)).fields
    }
    return next((each for each in MEMBERS if each in names), None)


def with_key(raw: bytes, member: str, told: Sequence[str], org_id: UUID) -> bytes:
    """The body with the id that the header tells, which may stand in both if it is the same.

    `told` are the header's values. Raises `FieldInvalid`, naming the header.
    """
    if len(set(told)) > 1:
        raise FieldInvalid(f"{HEADER} is given twice", field=HEADER)
    key = _key(told[0], org_id)
    try:
        members = _members.decode(raw)
        inside = msgspec.json.decode(members.get(member, _NULL), type=UUID | None)
    except msgspec.MsgspecError:
        return raw  # the decoder of the body says what is wrong
    if inside is not None and inside != key:
        raise FieldInvalid(
            f"{HEADER} and {member} tell different ids; one of them is enough", field=HEADER
        )
    return msgspec.json.encode({**members, member: key})


async def check_key(request: AnyRequest) -> None:
    """Raise `FieldInvalid` for the header where nothing keeps a request from being done twice."""
    if HEADER in request.headers and request.route_handler.opt.get("unkeyed"):
        raise FieldInvalid(
            f"{HEADER}: this request knows no id, each call is carried out; leave the header out, "
            "and after a lost answer look whether it was done",
            field=HEADER,
        )


def _key(told: str, org_id: UUID) -> UUID:
    quoted = _QUOTED.fullmatch(told)
    text = quoted[1] if quoted else told
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
