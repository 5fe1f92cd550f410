"""Every statement on `metadata` by object; lists of payments join the table themselves."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from landbridge.platform.db.pool import Tx

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

# A value alone, or the value of one key.
_MATCH = """
select distinct object_id, user_id
from metadata
where org_id = $1
    and (value = $2::text or (value = $4::text and key = $3::text))
limit $5
"""

_FORGET = "delete from metadata where org_id = $1 and user_id = $2"


async def put(
    tx: Tx, org_id: UUID, object_id: UUID, user_id: UUID, entries: Mapping[str, str]
) -> None:
    """Set these keys of an object; the others stay."""
    await tx.execute(_PUT, org_id, object_id, user_id, list(entries.keys()), list(entries.values()))


async def remove(tx: Tx, org_id: UUID, object_id: UUID, keys: Sequence[str]) -> None:
    """Remove these keys of an object."""
    await tx.execute(_REMOVE, org_id, object_id, keys)


async def find(tx: Tx, org_id: UUID, object_ids: Collection[UUID]) -> Mapping[UUID, dict[str, str]]:
    """Return the metadata of these objects, of those that have any."""
    found: dict[UUID, dict[str, str]] = {}
    for row in await tx.fetch(_FIND, org_id, list(object_ids)):
        found.setdefault(row["object_id"], {})[row["key"]] = row["value"]
    return found


async def match(
    tx: Tx, org_id: UUID, text: str, pair: tuple[str, str] | None, limit: int
) -> Mapping[UUID, UUID]:
    """Return objects with this text as a value, or with this key and value, and their users."""
    key, value = pair or (None, None)
    rows = await tx.fetch(_MATCH, org_id, text, key, value, limit)
    return {row["object_id"]: row["user_id"] for row in rows}


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Delete the metadata of a user and of everything of theirs."""
    await tx.execute(_FORGET, org_id, user_id)
