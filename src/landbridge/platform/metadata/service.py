"""Metadata of objects, in the caller's transaction.

All statements by object are here; lists of payments join the table themselves.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.metadata.model import merged

_PUT = """
insert into metadata (org_id, object_id, user_id, key, value)
select $1, $2, $3, e.key, e.value
from unnest($4::text[], $5::text[]) as e (key, value)
on conflict (org_id, object_id, key) do update set value = excluded.value
"""

_REMOVE = "delete from metadata where org_id = $1 and object_id = $2 and key = any($3::text[])"

_FIND = """
select object_id, key, value
from metadata
where org_id = $1 and object_id = any($2::uuid[])
order by object_id, key
"""

# Matches a text that is the whole value of any key, or a pair of key and value.
_MATCH = """
select distinct object_id, user_id
from metadata
where org_id = $1
    and (value = $2::text or (value = $4::text and key = $3::text))
limit $5
"""

_FORGET = "delete from metadata where org_id = $1 and user_id = $2"


async def attach(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, entries: Mapping[str, str]
) -> None:
    """Set keys of a user's object, which the caller has checked; other keys stay."""
    await tx.execute(_PUT, org_id, object_id, user_id, list(entries.keys()), list(entries.values()))


async def find_by_objects(
    tx: Tx, org_id: UUID, object_ids: Collection[UUID]
) -> Mapping[UUID, dict[str, str]]:
    """Return the metadata of those of these objects that have any."""
    found: dict[UUID, dict[str, str]] = {}
    for row in await tx.fetch(_FIND, org_id, list(object_ids)):
        found.setdefault(row["object_id"], {})[row["key"]] = row["value"]
    return found


async def search(tx: Tx, org_id: UUID, text: str, *, limit: int) -> Mapping[UUID, UUID]:
    """Return objects with this text as a value or as `key:value`, each with its user."""
    key, colon, value = text.partition(":")
    pair = (key, value) if colon else (None, None)
    rows = await tx.fetch(_MATCH, org_id, text, *pair, limit)
    return {row["object_id"]: row["user_id"] for row in rows}


async def change(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, changes: Mapping[str, str | None]
) -> Mapping[str, str]:
    """Set and remove keys of an object that the caller has locked; return its metadata.

    Raises `FieldInvalid` for a key or value beyond the bounds, or too many keys.
    """
    found = (await find_by_objects(tx, org_id, [object_id])).get(object_id, {})
    after = merged(found, changes)
    await write(tx, org_id, object_id, user_id, changes)
    return after


async def write(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, changes: Mapping[str, str | None]
) -> None:
    """Write changes that `merged` has checked, to an object that the caller has locked."""
    removed = [key for key, value in changes.items() if value is None]
    await tx.execute(_REMOVE, org_id, object_id, removed)
    entries = {key: value for key, value in changes.items() if value is not None}
    await attach(tx, org_id, object_id, user_id, entries)


async def delete_of_user(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Delete the metadata of an erased user, and of the user's payments and accounts."""
    del at  # no row is kept, so there is no time to store
    await tx.execute(_FORGET, org_id, user_id)
