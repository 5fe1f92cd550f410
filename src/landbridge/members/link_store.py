"""Every statement on links to members: invitations, and links to choose another password."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx
from landbridge.members.model import Purpose

# A new link is the one that counts.
_PUT = """
insert into member_links (org_id, member_id, purpose, token_hash, expires_at)
values ($1, $2, $3, $4, $5)
on conflict (org_id, member_id, purpose) do update
set token_hash = excluded.token_hash, expires_at = excluded.expires_at
"""

# No org_id in front: whoever follows a link knows its token alone.
_FIND = """
select org_id, member_id, expires_at
from member_links
where token_hash = $1 and purpose = $2 and expires_at > $3
"""

_TAKE = """
delete from member_links
where org_id = $1 and member_id = $2 and purpose = $3 and token_hash = $4 and expires_at > $5
returning expires_at
"""

_DROP = "delete from member_links where org_id = $1 and member_id = $2"

# Invitations that ran out are shown as such; resets need not be.
_SWEEP = """
delete from member_links
where org_id = any($1::uuid[]) and purpose = 'reset' and expires_at < $2
"""


@dataclass(frozen=True, slots=True)
class Found:
    """Whose link it is, and until when."""

    org_id: UUID
    member_id: UUID
    expires_at: datetime


async def put(
    tx: Tx,
    org_id: UUID,
    member_id: UUID,
    purpose: Purpose,
    *,
    token_hash: bytes,
    expires_at: datetime,
) -> None:
    """Make a link; the one before is void."""
    await tx.execute(_PUT, org_id, member_id, purpose, token_hash, expires_at)


async def find(tx: Tx, token_hash: bytes, purpose: Purpose, now: datetime) -> Found | None:
    """A link that is good."""
    row = await tx.fetchrow(_FIND, token_hash, purpose, now)
    return None if row is None else Found(row["org_id"], row["member_id"], row["expires_at"])


async def take(tx: Tx, found: Found, purpose: Purpose, token_hash: bytes, now: datetime) -> bool:
    """Use a link up; False if somebody has."""
    taken = await tx.fetchval(_TAKE, found.org_id, found.member_id, purpose, token_hash, now)
    return taken is not None


async def drop(tx: Tx, org_id: UUID, member_id: UUID) -> None:
    """Void all links of a member."""
    await tx.execute(_DROP, org_id, member_id)


async def sweep(tx: Tx, org_ids: Collection[UUID], before: datetime) -> None:
    """Forget links to choose another password that ran out."""
    await tx.execute(_SWEEP, list(org_ids), before)
