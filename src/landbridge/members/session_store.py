"""Every statement on sessions."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx

_ADD = """
insert into sessions
    (org_id, id, member_id, secret_hash, created_at, last_seen_at, expires_at, verified_at,
    sealed_origin)
values ($1, $2, $3, $4, $5, $5, $6, $7, $8)
"""

# No org_id in front: the cookie is how the organisation is found out.
_FIND = """
select s.org_id, s.id as session_id, s.last_seen_at, s.expires_at, s.verified_at, m.id, m.email,
    m.name, m.role, m.password_hash is not null as has_password, m.language, m.theme,
    m.wants_approval_mails, m.is_invited, m.created_at, m.removed_at, m.version,
    o.name as org_name, o.clock_offset, o.frozen_at is not null as is_org_frozen
from sessions s
join members m on m.org_id = s.org_id and m.id = s.member_id
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

# With another secret: who knew the one before does not get in by it.
_VERIFY = """
update sessions set verified_at = $3, secret_hash = $4
where org_id = $1 and id = $2 and ended_at is null
returning id
"""

# Who has not given a second factor yet proves nothing by a password.
_RENEW = """
update sessions set verified_at = $3
where org_id = $1 and id = $2 and ended_at is null and verified_at is not null
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

# Processes of the version before note it in clear.
_FORGET_ORIGINS = """
update sessions set ip_address = null, browser = null
where org_id = any($1::uuid[]) and (ip_address is not null or browser is not null)
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
    """Begin a session."""
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
    """A session that goes on, with its member and organisation."""
    return await tx.fetchrow(_FIND, secret_hash)


async def see(tx: Tx, org_id: UUID, session_id: UUID, at: datetime) -> None:
    """Note that a session was used."""
    await tx.execute(_SEE, org_id, session_id, at)


async def end(tx: Tx, org_id: UUID, session_id: UUID, at: datetime) -> bool:
    """End a session; False if it has ended."""
    return await tx.fetchval(_END, org_id, session_id, at) is not None


async def end_of(tx: Tx, org_id: UUID, session_id: UUID, member_id: UUID, at: datetime) -> bool:
    """End a session of this member; False if it is another's, or has ended."""
    return await tx.fetchval(_END_OF, org_id, session_id, member_id, at) is not None


async def end_others(
    tx: Tx, org_id: UUID, member_id: UUID, but: UUID | None, at: datetime
) -> Sequence[UUID]:
    """End a member's sessions, but for one; which these were."""
    return [row["id"] for row in await tx.fetch(_END_OTHERS, org_id, member_id, but, at)]


async def verify(tx: Tx, org_id: UUID, session_id: UUID, at: datetime, secret_hash: bytes) -> bool:
    """The second factor was given; False if the session has ended."""
    return await tx.fetchval(_VERIFY, org_id, session_id, at, secret_hash) is not None


async def renew(tx: Tx, org_id: UUID, session_id: UUID, at: datetime) -> None:
    """Somebody has proven once more who they are."""
    await tx.execute(_RENEW, org_id, session_id, at)


async def of(
    tx: Tx, org_id: UUID, member_id: UUID, now: datetime, seen_since: datetime
) -> Sequence[Row]:
    """Sessions of a member that go on, the last used first."""
    return await tx.fetch(_OF, org_id, member_id, now, seen_since)


async def sweep(tx: Tx, org_ids: Collection[UUID], before: datetime, *, limit: int) -> int:
    """Forget sessions that would have ended before that; how many these were."""
    tag = await tx.execute(_SWEEP, list(org_ids), before, limit)
    return int(tag.rpartition(" ")[2])


async def forget_origins(tx: Tx, org_ids: Collection[UUID]) -> None:
    """Forget where sessions began that is not sealed."""
    await tx.execute(_FORGET_ORIGINS, list(org_ids))
