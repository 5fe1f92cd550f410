"""Metadata of an object: at most 50 keys with texts of the client.

Ours; docs/concepts/metadata.md. Landbridge stores, returns and searches it, and otherwise ignores
it.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated, TypeAlias

import msgspec

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.constraints import Keywords, pattern_schema, query, text, with_schema
from landbridge.platform.http.responses import WireStruct

# Bounds that clients know from other payment interfaces.
KEYS_MAX = 50
KEY_LENGTH_MAX = 40
VALUE_LENGTH_MAX = 500
# Maximum size as JSON in UTF-8: files and pages hold the metadata of many objects at once.
BYTES_MAX = 8_000
FIELD = "metadata"
_PATTERN = rf"[A-Za-z0-9_.-]{{1,{KEY_LENGTH_MAX}}}"
_KEY = re.compile(_PATTERN)
# Filter: the key, a colon, the value.
PAIR: Keywords = pattern_schema(rf"^{_PATTERN}:(.|\n){{0,{VALUE_LENGTH_MAX}}}$")
_NULL: Keywords = {"type": "null"}
_BOUNDS: Keywords = {
    "maxProperties": KEYS_MAX,
    "propertyNames": pattern_schema(f"^{_PATTERN}$"),
    "additionalProperties": text(VALUE_LENGTH_MAX),
}

# Metadata in a request that creates an object.
Metadata: TypeAlias = Annotated[dict[str, str], with_schema(_BOUNDS)]
# Changes of metadata: null removes a key, and keys that are not named stay.
MetadataChanges: TypeAlias = Annotated[
    dict[str, str | None],
    with_schema({**_BOUNDS, "additionalProperties": {"oneOf": [text(VALUE_LENGTH_MAX), _NULL]}}),
]
# Filter of a list: an object must have every pair.
MetadataFilter: TypeAlias = Annotated[
    list[str] | None,
    query(
        FIELD,
        {"type": "array", "items": PAIR},
        description="`key:value`: objects with this metadata; repeated, with all of them.",
    ),
]


class MetadataUpdate(WireStruct, frozen=True):
    """Changes of metadata: keys with their new texts; null removes a key, others stay."""

    metadata: MetadataChanges


class MetadataReply(WireStruct, frozen=True):
    """Metadata of an object after a change."""

    metadata: dict[str, str]


def check_metadata(entries: Mapping[str, str | None]) -> None:
    """Raise `FieldInvalid` for a key or value beyond the bounds, or too much metadata in total."""
    if len(entries) > KEYS_MAX:
        raise FieldInvalid(f"{FIELD} may have {KEYS_MAX} keys, not {len(entries)}", field=FIELD)
    for key, value in entries.items():
        if not _KEY.fullmatch(key):
            raise FieldInvalid(
                f"{FIELD}: a key must have 1 to {KEY_LENGTH_MAX} letters, digits, underscores, "
                f"dots or hyphens, unlike {key[:KEY_LENGTH_MAX]!r}",
                field=FIELD,
            )
        if value is not None and len(value) > VALUE_LENGTH_MAX:
            raise FieldInvalid(
                f"{FIELD}.{key} must have at most {VALUE_LENGTH_MAX} characters, not {len(value)}",
                field=f"{FIELD}.{key}",
            )
    _check_size(entries)


def parse_pairs(texts: Sequence[str] | None) -> Mapping[str, str] | None:
    """Parse filters such as `orderId:17`; None if there are none. Raises `FieldInvalid`."""
    if texts is None:
        return None
    pairs: dict[str, str] = {}
    for each in texts:
        key, colon, value = each.partition(":")
        if not colon:
            raise FieldInvalid(f"{FIELD} must be a key and its value, as in key:value", field=FIELD)
        if pairs.setdefault(key, value) != value:
            raise FieldInvalid(f"{FIELD} has two values of {key[:KEY_LENGTH_MAX]}", field=FIELD)
    check_metadata(pairs)
    return pairs


def merged(entries: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """Return metadata after these changes: null removes a key, and keys that are not named stay.

    Raises `FieldInvalid` for a key or value beyond the bounds, or too much metadata in total.
    """
    check_metadata(changes)
    after = {key: value for key, value in {**entries, **changes}.items() if value is not None}
    if len(after) > KEYS_MAX:
        raise FieldInvalid(
            f"{FIELD} may have {KEYS_MAX} keys, and this would be {len(after)}", field=FIELD
        )
    _check_size(after)
    return after


def _check_size(entries: Mapping[str, str | None]) -> None:
    size = len(msgspec.json.encode(entries))
    if size > BYTES_MAX:
        raise FieldInvalid(
            f"{FIELD} may have {BYTES_MAX:,} bytes as JSON, not {size:,}", field=FIELD
        )


def decoded(stored: str | None) -> dict[str, str]:
    """Decode metadata that a statement returned as a JSON object; empty for null."""
    return {} if stored is None else msgspec.json.decode(stored, type=dict[str, str])


def as_text(entries: Mapping[str, str]) -> str | None:
    """Return metadata as JSON text for a cell of a file; None if there is none."""
    return msgspec.json.encode(entries, order="sorted").decode() if entries else None


def digest(entries: Mapping[str, str]) -> str:
    """Return the digest that a stored request has in place of its metadata, which can be erased."""
    return sha256(msgspec.json.encode(entries, order="sorted")).hexdigest()
