"""All SQL statements on sessions."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_ADD = """
insert into sessions
    (org_id, id, member_id, secret_hash, created_at, last_seen_at, expires_at, verified_at,
    sealed_origin)
values ($1, $2, $3, $4, $5, $5, $6, $7, $8)
"""

# Has no condition on org_id: the cookie determines the organisation.
_FIND = """
select s.org_id, s.id as session_id, s.last_seen_at, s.expires_at, s.verified_at, m.id, m.email,
    m.name, m.role, m.password_hash is not null as has_password, m.language, m.theme,
    m.receives_approval_emails, m.is_invited, m.created_at, m.removed_at, m.version,
    o.name as org_name, o.clock_offset, o.frozen_at is not null as is_org_frozen
from sessions s
join team_members m on m.org_id = s.org_id and m.id = s.member_id
join orgs o on o.id = s.org_id
where s.secret_hash = $1 and s.ended_at is null and m.removed_at is null
"""

_SEE = """
update sessions set last_seen_at = greatest(last_seen_at, $3)
where org_id = $1 and id = $2 and ended_at is null
"""

_END = """
update sessions set ended_at = $3 where org_id = $1 and id = $2 and ended_at is null
returning id
"""

_END_OF = """
update sessions set ended_at = $4
where org_id = $1 and id = $2 and member_id = $3 and ended_at is null
returning id
"""

_END_OTHERS = """
update sessions set ended_at = $4
where org_id = $1 and member_id = $2 and ended_at is null and id is distinct from $3
returning id
"""

# Replaces the secret, so that the previous one gives no access. A concurrent proof with the same
# previous secret may have stored the new secret already.
_VERIFY = """
update sessions set verified_at = $3, secret_hash = $5
where org_id = $1 and id = $2 and ended_at is null and secret_hash in ($4, $5)
returning id
"""

# Renews only a verified session: a password is no proof while the second factor is outstanding.
_RENEW = """
update sessions set verified_at = $3, secret_hash = $5
where org_id = $1 and id = $2 and ended_at is null and verified_at is not null
    and secret_hash in ($4, $5)
returning id
"""

_OF = """
select id, created_at, last_seen_at, expires_at, verified_at, sealed_origin
from sessions
where org_id = $1 and member_id = $2 and ended_at is null and expires_at > $3
    and last_seen_at > $4
order by last_seen_at desc
"""

_SWEEP = """
delete from sessions s
using (
    select org_id, id
    from sessions
    where org_id = any($1::uuid[]) and expires_at < $2
    limit $3
) old
where s.org_id = old.org_id and s.id = old.id
"""


async def add(
    tx: Tx,
    *,
    org_id: UUID,
    session_id: UUID,
    member_id: UUID,
    secret_hash: bytes,
    at: datetime,
    expires_at: datetime,
    verified_at: datetime | None,
    sealed_origin: bytes,
) -> None:
    """Store a new session."""
    await tx.execute(
        _ADD,
        org_id,
        session_id,
        member_id,
        secret_hash,
        at,
        expires_at,
        verified_at,
        sealed_origin,
    )


async def find(tx: Tx, secret_hash: bytes) -> Row | None:
    """Return an active session with its member and organisation."""
    return await tx.fetchrow(_FIND, secret_hash)


async def see(tx: Tx, org_id: UUID, session_id: UUID, at: datetime) -> None:
    """Store when a session was last used."""
    await tx.execute(_SEE, org_id, session_id, at)


async def end(tx: Tx, org_id: UUID, session_id: UUID, at: datetime) -> bool:
    """End a session; False if it has already ended."""
    return await tx.fetchval(_END, org_id, session_id, at) is not None


async def end_of(tx: Tx, org_id: UUID, session_id: UUID, member_id: UUID, at: datetime) -> bool:
    """End a session of this member; False if it is another member's, or has already ended."""
    return await tx.fetchval(_END_OF, org_id, session_id, member_id, at) is not None


async def end_others(
    tx: Tx, org_id: UUID, member_id: UUID, but: UUID | None, at: datetime
) -> Sequence[UUID]:
    """End a member's sessions, except `but`; return the ids of those ended now."""
    return [row["id"] for row in await tx.fetch(_END_OTHERS, org_id, member_id, but, at)]


async def verify(
    tx: Tx, org_id: UUID, session_id: UUID, *, at: datetime, before: bytes, after: bytes
) -> bool:
    """Record a proof of identity, and replace the cookie hash `before` by `after`.

    Return False if the session has ended, or has neither of the two hashes.
    """
    return await tx.fetchval(_VERIFY, org_id, session_id, at, before, after) is not None


async def renew(
    tx: Tx, org_id: UUID, session_id: UUID, *, at: datetime, before: bytes, after: bytes
) -> bool:
    """Record a renewed proof of identity, as `verify`; False also before the second factor."""
    return await tx.fetchval(_RENEW, org_id, session_id, at, before, after) is not None


async def of(
    tx: Tx, org_id: UUID, member_id: UUID, now: datetime, seen_since: datetime
) -> Sequence[Row]:
    """Return a member's active sessions, last used first."""
    return await tx.fetch(_OF, org_id, member_id, now, seen_since)


async def sweep(tx: Tx, org_ids: Collection[UUID], before: datetime, *, limit: int) -> int:
    """Delete sessions that ended before the cutoff; return their number."""
    tag = await tx.execute(_SWEEP, list(org_ids), before, limit)
    return int(tag.rpartition(" ")[2])
