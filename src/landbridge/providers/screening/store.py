"""Statements on sanctions lists, which belong to no organisation."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from landbridge.platform.db.commit_proofs import register_commit_proof
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_optional_row, read_row, write_row
from landbridge.providers.screening.model import SanctionsEntry, SanctionsListVersion

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

_LOCK = "select from sanctions_lock for update"

_SHARE = "select from sanctions_lock for share"

_BEFORE = """
select id, list, digest, published_on, entry_count, loaded_at, is_active
from sanctions_versions
where list = $1 and is_active
"""

_ENTRIES = """
select entry_id, type, names, programs, birth_dates, addresses
from sanctions_entries
where version_id = $1 and entry_id > $2
order by entry_id
limit $3
"""

_LISTED_ADDRESSES = """
select distinct address
from sanctions_entries e
join sanctions_versions v on v.id = e.version_id and v.is_active
cross join unnest(e.addresses) as address
where e.addresses && $1::text[] and address = any($1::text[])
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

# Entries are passed as JSON, because nested arrays need equal lengths.
_ADD_ENTRIES = """
insert into sanctions_entries (version_id, entry_id, type, names, programs, birth_dates,
    addresses)
select $1, i.id, i.type, i.names, i.programs, i.birth_dates, i.addresses
from jsonb_to_recordset($2::text::jsonb)
    as i (id text, type text, names text[], programs text[], birth_dates text[],
        addresses text[])
"""

# Entries are equal if all of their columns are.
_DIFFERENCES = """
select count(*) filter (where b.entry_id is null) as added,
    count(*) filter (where a.entry_id is null) as removed,
    count(*) filter (where b.entry_id is not null and a.entry_id is not null and
        (b.type, b.names, b.programs, b.birth_dates, b.addresses)
            is distinct from (a.type, a.names, a.programs, a.birth_dates, a.addresses)) as changed
from (
    select entry_id, type, names, programs, birth_dates, addresses
    from sanctions_entries
    where version_id = $1
) b
full join (
    select entry_id, type, names, programs, birth_dates, addresses
    from sanctions_entries
    where version_id = $2
) a on a.entry_id = b.entry_id
"""

_DELETE = "delete from sanctions_versions where list = $1"

_FORGET = """
delete from sanctions_versions where list = $1 and not is_active and id <> $2
"""


async def active(tx: Tx) -> list[SanctionsListVersion]:
    """Return the active versions, one per list."""
    return [read_row(row, SanctionsListVersion) for row in await tx.fetch(_ACTIVE)]


async def versions(tx: Tx) -> list[SanctionsListVersion]:
    """Return every stored version."""
    return [read_row(row, SanctionsListVersion) for row in await tx.fetch(_ALL)]


async def lock_active_versions(tx: Tx) -> list[SanctionsListVersion]:
    """Lock the active versions against replacement until `tx` ends, and return them."""
    await tx.execute(_SHARE)
    return await active(tx)


async def lock(tx: Tx, name: str) -> SanctionsListVersion | None:
    """Lock a list against concurrent replacement and return its active version.

    A separate row is locked, because the active version's row changes: a waiting load would lock a
    retired row, and the first load finds none. The unique index alone is not enough, as a load
    retires the active version before it adds one.
    """
    await tx.execute(_LOCK)
    return read_optional_row(await tx.fetchrow(_BEFORE, name), SanctionsListVersion)


async def entries(tx: Tx, version_id: UUID, *, after: str, limit: int) -> list[SanctionsEntry]:
    """Return a batch of a version's entries, ordered by id as text."""
    return [
        read_row(row, SanctionsEntry, id=row["entry_id"])
        for row in await tx.fetch(_ENTRIES, version_id, after, limit)
    ]


async def listed_addresses(tx: Tx, addresses: Sequence[str]) -> set[str]:
    """Return those of these addresses that an active list has."""
    return {row["address"] for row in await tx.fetch(_LISTED_ADDRESSES, addresses)}


async def retire(tx: Tx, name: str) -> None:
    """Retire the active version of a list."""
    await tx.execute(_RETIRE, name)


async def add(tx: Tx, version: SanctionsListVersion) -> None:
    """Add the active version of a list, which has none."""
    await write_row(tx, _ADD, version)
    register_commit_proof(_PROOF, version.id)


async def add_entries(tx: Tx, version_id: UUID, listed: Sequence[SanctionsEntry]) -> None:
    """Add a batch of a version's entries."""
    await tx.execute(_ADD_ENTRIES, version_id, msgspec.json.encode(listed).decode())


async def delete_inactive_versions(tx: Tx, name: str, *, but: UUID) -> None:
    """Delete the versions of a list that are not active, except `but`."""
    await tx.execute(_FORGET, name, but)


async def differences(tx: Tx, before: UUID, after: UUID) -> tuple[int, int, int]:
    """Return the numbers of entries added, removed and changed between two versions."""
    (row,) = await tx.fetch(_DIFFERENCES, before, after)
    return row["added"], row["removed"], row["changed"]


async def delete(tx: Tx, name: str) -> None:
    """Delete every version of a list, with its entries."""
    await tx.execute(_DELETE, name)
