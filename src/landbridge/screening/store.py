"""Every statement on sanctions lists, which belong to no organisation."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from landbridge.db.pool import Row, Tx
from landbridge.db.proofs import prove
from landbridge.screening.model import Entry, EntryType, Version

_ACTIVE = """
select id, list, digest, published_on, entry_count, loaded_at, is_active
from sanctions_versions
where is_active
order by list
"""

_ALL = """
select id, list, digest, published_on, entry_count, loaded_at, is_active
from sanctions_versions
order by list, loaded_at desc
"""

_LOCK = "select from sanctions_gate for update"

_SHARE = "select from sanctions_gate for share"

_BEFORE = """
select id, list, digest, published_on, entry_count, loaded_at, is_active
from sanctions_versions
where list = $1 and is_active
"""

_ENTRIES = """
select entry_id, type, names, programs, birth_dates
from sanctions_entries
where version_id = $1 and entry_id > $2
order by entry_id
limit $3
"""

_RETIRE = """
update sanctions_versions set is_active = false where list = $1 and is_active
"""

_ADD = """
insert into sanctions_versions
    (id, list, digest, published_on, entry_count, loaded_at, is_active)
values ($1, $2, $3, $4, $5, $6, true)
"""

_PROOF = "select 1 from sanctions_versions where id = $1"

# Arrays of arrays would all have to be of one length, so entries come as JSON.
_ADD_ENTRIES = """
insert into sanctions_entries (version_id, entry_id, type, names, programs, birth_dates)
select $1, i.id, i.type, i.names, i.programs, i.birth_dates
from jsonb_to_recordset($2::text::jsonb)
    as i (id text, type text, names text[], programs text[], birth_dates text[])
"""

_FORGET = """
delete from sanctions_versions where list = $1 and not is_active and id <> $2
"""


async def active(tx: Tx) -> list[Version]:
    """The versions that are screened against, one for each list."""
    return [_version(row) for row in await tx.fetch(_ACTIVE)]


async def versions(tx: Tx) -> list[Version]:
    """Every version that is kept."""
    return [_version(row) for row in await tx.fetch(_ALL)]


async def hold(tx: Tx) -> list[Version]:
    """The versions that are screened against, which are not replaced until `tx` ends."""
    await tx.execute(_SHARE)
    return await active(tx)


async def lock(tx: Tx, name: str) -> Version | None:
    """The active version of a list, so that nobody else replaces it meanwhile.

    A row of its own is locked, not that one: a row that a load has waited for is not the active one
    any more, and the first load finds none. The unique index alone does not help, as a load retires
    what is active before it adds.
    """
    await tx.execute(_LOCK)
    row = await tx.fetchrow(_BEFORE, name)
    return None if row is None else _version(row)


async def entries(tx: Tx, version_id: UUID, *, after: str, limit: int) -> list[Entry]:
    """A part of what a version lists, in the order of ids as texts."""
    return [
        Entry(
            id=row["entry_id"],
            type=EntryType(row["type"]),
            names=tuple(row["names"]),
            programs=tuple(row["programs"]),
            birth_dates=tuple(row["birth_dates"]),
        )
        for row in await tx.fetch(_ENTRIES, version_id, after, limit)
    ]


async def retire(tx: Tx, name: str) -> None:
    """Leave a list without an active version."""
    await tx.execute(_RETIRE, name)


async def add(tx: Tx, version: Version) -> None:
    """Store the active version of a list, which has none."""
    await tx.execute(
        _ADD,
        version.id,
        version.list,
        version.digest,
        version.published_on,
        version.entry_count,
        version.loaded_at,
    )
    prove(_PROOF, version.id)


async def add_entries(tx: Tx, version_id: UUID, listed: Sequence[Entry]) -> None:
    """Store a part of what a version lists."""
    await tx.execute(_ADD_ENTRIES, version_id, msgspec.json.encode(listed).decode())


async def forget(tx: Tx, name: str, *, but: UUID) -> None:
    """Delete the versions of a list that are neither active nor `but`."""
    await tx.execute(_FORGET, name, but)


def _version(row: Row) -> Version:
    return Version(
        id=row["id"],
        list=row["list"],
        digest=row["digest"],
        published_on=row["published_on"],
        entry_count=row["entry_count"],
        loaded_at=row["loaded_at"],
        is_active=row["is_active"],
    )
