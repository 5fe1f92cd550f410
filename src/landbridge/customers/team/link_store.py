"""All SQL statements on links to members: invitations and password resets."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.team.model import MemberLinkPurpose
from landbridge.platform.db.pool import Tx

# A new link replaces the old one.
_PUT = """
insert into team_member_links (org_id, member_id, purpose, token_hash, expires_at)
values ($1, $2, $3, $4, $5)
on conflict (org_id, member_id, purpose) do update
set token_hash = excluded.token_hash, expires_at = excluded.expires_at
"""

# Has no condition on org_id: the visitor of a link knows only its token.
_FIND = """
select org_id, member_id, expires_at
from team_member_links
where token_hash = $1 and purpose = $2 and expires_at > $3
"""

_TAKE = """
delete from team_member_links
where org_id = $1 and member_id = $2 and purpose = $3 and token_hash = $4 and expires_at > $5
returning expires_at
"""

_DROP = "delete from team_member_links where org_id = $1 and member_id = $2"

# Only expired resets are deleted, because the team page shows expired invitations.
_SWEEP = """
delete from team_member_links
where org_id = any($1::uuid[]) and purpose = 'reset' and expires_at < $2
"""


@dataclass(frozen=True, slots=True)
class MemberLinkOwner:
    """Member of a link, and its expiry."""

    org_id: UUID
    member_id: UUID
    expires_at: datetime


async def put(
    tx: Tx,
    org_id: UUID,
    member_id: UUID,
    purpose: MemberLinkPurpose,
    *,
    token_hash: bytes,
    expires_at: datetime,
) -> None:
    """Store a link, which replaces the member's previous one of this purpose."""
    await tx.execute(_PUT, org_id, member_id, purpose, token_hash, expires_at)


async def find(
    tx: Tx, token_hash: bytes, purpose: MemberLinkPurpose, now: datetime
) -> MemberLinkOwner | None:
    """Return the owner of a valid link; None if there is none."""
    row = await tx.fetchrow(_FIND, token_hash, purpose, now)
    return (
        None if row is None else MemberLinkOwner(row["org_id"], row["member_id"], row["expires_at"])
    )


async def take(
    tx: Tx, found: MemberLinkOwner, purpose: MemberLinkPurpose, token_hash: bytes, now: datetime
) -> bool:
    """Consume a link; False if it was already used."""
    row = await tx.fetchval(_TAKE, found.org_id, found.member_id, purpose, token_hash, now)
    return row is not None


async def drop(tx: Tx, org_id: UUID, member_id: UUID) -> None:
    """Delete all links of a member."""
    await tx.execute(_DROP, org_id, member_id)


async def sweep(tx: Tx, org_ids: Collection[UUID], before: datetime) -> None:
    """Delete expired links for a password reset."""
    await tx.execute(_SWEEP, list(org_ids), before)
