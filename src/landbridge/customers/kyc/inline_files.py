"""Files that KYC data contains in place of URLs, as `data:` URI or base64; stored as files.

Guarantees: a request stores at most `INLINE_FILES_MAX` files of `INLINE_BYTES_MAX` each, all or
none; if the update that they belong to is rejected, they are deleted.
"""

import base64
import binascii
import copy
import re
import string
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.member_documents import MEMBERS, OWNER_MEMBERS, listed_owners
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.files.inspection import kind_of, suffix_of_kind
from landbridge.platform.files.service import Files
from landbridge.platform.http.caller import Caller

# Source: contract, users 3.5: "3 MB for legacy *Url fields".
INLINE_BYTES_MAX = 3 * 1024 * 1024
INLINE_FILES_MAX = 20
# Two files of that size as base64, which takes four thirds, and the data around them.
BODY_BYTES_MAX = 9_000_000

_DATA_URI = re.compile(r"data:([^,;]{0,100})(;[^,]{0,200})?,", re.IGNORECASE)
_BLANKS = string.whitespace.encode()
_URL, _FILE_ID = "url", "fileId"

_Members: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _InlineFile:
    """Content in a member of `holder`, whose name in errors is `field`; `put_as` takes its id."""

    holder: _Members
    name: str
    put_as: str
    field: str
    content: bytes
    declared: str | None


@asynccontextmanager
async def stored_members(
    files: Files, caller: Caller, submitted: Mapping[str, Any], of: UserType | None
) -> AsyncGenerator[Mapping[str, Any]]:
    """Store the files in the data of a user (of an owner: None); yield the data with their ids."""
    names = OWNER_MEMBERS if of is None else MEMBERS[of]
    members = dict(submitted)
    if isinstance(listed := members.get(OWNERS), list):
        owners = cast("list[Any]", listed)
        members[OWNERS] = [copy.copy(each) for each in owners]
    found = list(_found(members, names, ""))
    for under, each in () if of is None else listed_owners(of, members):
        found += _found(each, OWNER_MEMBERS, under)
    async with _stored(files, caller, found):
        yield members


@asynccontextmanager
async def stored_documents(
    files: Files, caller: Caller, submitted: Sequence[Mapping[str, Any]]
) -> AsyncGenerator[Sequence[Mapping[str, Any]]]:
    """Store the files in `url` of documents; yield the documents with `fileId` instead."""
    documents = [dict(each) for each in submitted]
    found = [
        file
        for index, each in enumerate(documents)
        for file in _found(each, (_URL,), f"[{index}].", put_as=_FILE_ID)
    ]
    async with _stored(files, caller, found):
        yield documents


@asynccontextmanager
async def _stored(
    files: Files, caller: Caller, found: Sequence[_InlineFile]
) -> AsyncGenerator[None]:
    if not found:
        yield
        return
    if len(found) > INLINE_FILES_MAX:
        raise FieldInvalid(
            f"a request may contain {INLINE_FILES_MAX} files; send the others in another one",
            field=found[INLINE_FILES_MAX].field,
        )
    ids: list[str] = []
    async with files.reserve_upload(caller.org_id):
        try:
            for each in found:
                ids.append(await _store(files, caller, each))
                del each.holder[each.name]
                each.holder[each.put_as] = ids[-1]
            yield
        except Refused:
            for file_id in ids:
                # Rejected for one that is in use after all.
                with suppress(Refused):
                    await files.delete(caller, file_id)
            raise


async def _store(files: Files, caller: Caller, file: _InlineFile) -> str:
    kind = kind_of(file.content)
    name = file.name + (suffix_of_kind(kind) if kind else "")
    try:
        stored = await files.add(caller, name=name, content=file.content, declared=file.declared)
    except FieldInvalid as error:
        raise FieldInvalid(f"{file.field}: the {error.message}", field=file.field) from error
    return stored.id


def _found(
    holder: _Members,
    names: Mapping[str, Any] | Sequence[str],
    under: str,
    put_as: str | None = None,
) -> Iterator[_InlineFile]:
    for name in names:
        value = holder.get(name)
        decoded = _decoded(f"{under}{name}", value) if isinstance(value, str) else None
        if decoded is not None:
            content, declared = decoded
            yield _InlineFile(holder, name, put_as or name, f"{under}{name}", content, declared)


def _decoded(field: str, value: str) -> tuple[bytes, str | None] | None:
    """Return content and declared type; None for a text that is neither a `data:` URI nor a file.

    Base64 without `data:` counts as a file if a known type begins like its content.
    """
    uri = _DATA_URI.match(value)
    if uri is None:
        content = _bytes(value)
        if content is None or kind_of(content) is None:
            return None
        _check_size(field, content)
        return content, None
    if (uri[2] or "").lower().rpartition(";")[2].strip() != "base64":
        raise FieldInvalid(f"{field}: a data URI must be base64-encoded", field=field)
    content = _bytes(value[uri.end() :])
    if content is None:
        raise FieldInvalid(f"{field}: the data URI is not valid base64", field=field)
    _check_size(field, content)
    return content, uri[1]


def _bytes(text: str) -> bytes | None:
    try:
        compact = text.encode("ascii").translate(None, _BLANKS)
        return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None


def _check_size(field: str, content: bytes) -> None:
    if len(content) > INLINE_BYTES_MAX:
        raise FieldInvalid(
            f"{field}: the file has more than 3 MB; send it to POST /v2/files", field=field
        )
