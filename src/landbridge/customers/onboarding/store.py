"""All SQL statements on kyc_links."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.onboarding.model import KycLink, rail_names
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row

_ADD = """
insert into kyc_links (
    org_id, id, token_hash, user_type, creates_user, user_id, rails, sealed_details, created_at,
    expires_at
)
values ($1, $2, $3, $4, $5, $6, $7::text[], $8, $9, $10)
on conflict (org_id, id) do nothing
returning id
"""

# Has no condition on org_id: the hosted page knows only the token.
_FIND_BY_HASH = """
select org_id, id, user_type, creates_user, user_id, rails, sealed_details, entered, created_at,
    expires_at, completed_at
from kyc_links
where token_hash = $1
"""

_FIND_MANY = """
select org_id, id, user_type, creates_user, user_id, rails, entered, created_at, expires_at,
    completed_at
from kyc_links
where org_id = $1 and id = any($2::uuid[])
"""

_DETAILS = "select sealed_details from kyc_links where org_id = $1 and id = $2"

_JOIN = """
update kyc_links
set user_id = $3
where org_id = $1 and id = $2 and user_id is null
"""

_ENTER = """
update kyc_links
set entered = array(select distinct each from unnest(entered || $3::text[]) as e (each))
where org_id = $1 and id = $2
"""

_COMPLETE = """
update kyc_links
set completed_at = $3
where org_id = $1 and id = $2 and completed_at is null
returning id
"""

_OF_USER = "select id from kyc_links where org_id = $1 and user_id = $2"

_EXPIRED = """
select l.org_id, l.id
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select org_id, id, expires_at
    from kyc_links
    where org_id = o.org_id and expires_at <= o.now and sealed_details is not null
    order by expires_at
    limit $3
) l
order by l.expires_at
limit $3
"""

_FORGET = """
update kyc_links
set sealed_details = null, expires_at = least(expires_at, $3)
where org_id = $1 and id = any($2::uuid[])
"""


@dataclass(frozen=True, slots=True)
class StoredLink:
    """Row of kyc_links: the link without its details, and the encrypted details."""

    link: KycLink
    sealed_details: bytes | None


async def add(tx: Tx, link: KycLink, *, token_hash: bytes, sealed_details: bytes) -> bool:
    """Store a new link; False if it already exists."""
    stored = await write_row(
        tx,
        _ADD,
        link,
        token_hash=token_hash,
        rails=rail_names(link.rails),
        sealed_details=sealed_details,
    )
    return stored is not None


async def find(tx: Tx, token_hash: bytes) -> StoredLink | None:
    """Return the link with this token hash."""
    row = await tx.fetchrow(_FIND_BY_HASH, token_hash)
    return None if row is None else StoredLink(_link(row), row["sealed_details"])


async def sealed_details(tx: Tx, org_id: UUID, link_id: UUID) -> bytes | None:
    """Return the encrypted details of a link; None once they are deleted."""
    return await tx.fetchval(_DETAILS, org_id, link_id)


async def find_many(tx: Tx, org_id: UUID, link_ids: Collection[UUID]) -> list[KycLink]:
    """Return the existing links among these ids, without their details."""
    return [_link(row) for row in await tx.fetch(_FIND_MANY, org_id, list(link_ids))]


async def join(tx: Tx, org_id: UUID, link_id: UUID, user_id: UUID) -> None:
    """Record the user created through a link."""
    await tx.execute(_JOIN, org_id, link_id, user_id)


async def enter(tx: Tx, org_id: UUID, link_id: UUID, names: Collection[str]) -> None:
    """Record the fields submitted through a link."""
    await tx.execute(_ENTER, org_id, link_id, list(names))


async def complete(tx: Tx, org_id: UUID, link_id: UUID, at: datetime) -> bool:
    """Complete a link; False if it is already completed."""
    return await tx.fetchval(_COMPLETE, org_id, link_id, at) is not None


async def of_user(tx: Tx, org_id: UUID, user_id: UUID) -> list[UUID]:
    """Return the links of a user."""
    return [row["id"] for row in await tx.fetch(_OF_USER, org_id, user_id)]


async def expired(
    tx: Tx, clocks: Mapping[UUID, datetime], *, limit: int
) -> Sequence[tuple[UUID, UUID]]:
    """Return links (organisation, id) that have expired at these times and still have details."""
    rows = await tx.fetch(_EXPIRED, list(clocks), list(clocks.values()), limit)
    return [(row["org_id"], row["id"]) for row in rows]


async def forget(tx: Tx, org_id: UUID, link_ids: Collection[UUID], at: datetime) -> None:
    """Delete the details of links, which expire now at the latest."""
    await tx.execute(_FORGET, org_id, list(link_ids), at)


def _link(row: Row) -> KycLink:
    return read_row(row, KycLink, details=None)
