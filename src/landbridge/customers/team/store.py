"""All SQL statements on team_members."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.customers.team.model import MemberCredentials, MemberSignInStatus, TeamMember, Theme
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.http.caller import MemberRole

_ADD = """
insert into team_members
    (org_id, id, email, name, role, password_hash, language, theme, receives_approval_emails,
    is_invited, created_at, version)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1)
on conflict (email) where removed_at is null do nothing
returning id
"""

_ALL = """
select org_id, id, email, name, role, password_hash is not null as has_password, language, theme,
    receives_approval_emails, is_invited, created_at, removed_at, version
from team_members
where org_id = $1
order by created_at, id
"""

_GET = """
select org_id, id, email, name, role, password_hash is not null as has_password, language, theme,
    receives_approval_emails, is_invited, created_at, removed_at, version
from team_members
where org_id = $1 and id = $2
"""

_SIGN_IN_STATUSES = """
select m.id, s.last_seen_at, t.confirmed_at is not null as has_second_factor, p.passkeys,
    l.expires_at as invitation_ends_at
from team_members m
left join lateral (
    select max(last_seen_at) as last_seen_at
    from sessions
    where org_id = m.org_id and member_id = m.id
) s on true
left join totp_secrets t on t.org_id = m.org_id and t.member_id = m.id
left join lateral (
    select count(id) as passkeys
    from passkeys
    where org_id = m.org_id and member_id = m.id
) p on true
left join team_member_links l
    on l.org_id = m.org_id and l.member_id = m.id and l.purpose = 'invitation'
where m.org_id = $1
"""

# Has no condition on org_id: the address determines the organisation.
_FIND_BY_EMAIL = """
select m.org_id, m.id, m.email, m.name, m.role, m.password_hash is not null as has_password,
    m.language, m.theme, m.receives_approval_emails, m.is_invited, m.created_at, m.removed_at,
    m.version, m.password_hash, o.clock_offset, o.name as org_name
from team_members m
join orgs o on o.id = m.org_id
where m.email = $1 and m.removed_at is null
"""

_LOCK = """
select m.org_id, m.id, m.email, m.name, m.role, m.password_hash is not null as has_password,
    m.language, m.theme, m.receives_approval_emails, m.is_invited, m.created_at, m.removed_at,
    m.version, m.password_hash, o.clock_offset, o.name as org_name
from team_members m
join orgs o on o.id = m.org_id
where m.org_id = $1 and m.id = $2 and m.removed_at is null
for update of m
"""

# The row locks serialise concurrent demotions and removals of admins.
_LOCK_ADMINS = """
select id
from team_members
where org_id = $1 and role = 'admin' and removed_at is null and not is_invited
order by id
for no key update
"""

_HAS_HAD = "select exists (select from team_members where org_id = $1)"

# Matches removed members too, by address or hash: they are not created again.
_IS_KNOWN = """
select exists (select from team_members where org_id = $1 and (email = $2 or email_hash = $3))
"""

# Rows without an e-mail hash still have the address and the name.
_REMOVED = """
select org_id, id, email
from team_members
where org_id = any($1::uuid[]) and removed_at < $2 and email_hash is null
order by org_id, id
limit $3
for update
"""

# Replaces address and name by the id, which the audit log contains.
_BLANK = """
update team_members
set email = id::text || '@removed.invalid', name = id::text, email_hash = $3
where org_id = $1 and id = $2 and removed_at is not null
"""

_SET_ROLE = """
update team_members set role = $3, version = version + 1 where org_id = $1 and id = $2
returning version
"""

_SET_NAME = """
update team_members set name = $3, version = version + 1 where org_id = $1 and id = $2
returning version
"""

_SET_PREFERENCES = """
update team_members set language = $3, theme = $4, receives_approval_emails = $5,
    version = version + 1
where org_id = $1 and id = $2
returning version
"""

_SET_HASH = """
update team_members set password_hash = $3, version = version + 1 where org_id = $1 and id = $2
returning version
"""

_REHASH = "update team_members set password_hash = $3 where org_id = $1 and id = $2"

_JOIN = """
update team_members set name = $3, password_hash = $4, is_invited = false, version = version + 1
where org_id = $1 and id = $2
returning version
"""

_REMOVE = """
update team_members set removed_at = $3, password_hash = null, version = version + 1
where org_id = $1 and id = $2
returning version
"""

_COUNT = """
update team_members set version = version + 1 where org_id = $1 and id = $2
returning version
"""


async def add(tx: Tx, person: TeamMember, password_hash: str | None) -> bool:
    """Create a member; False if the address is already registered."""
    inserted_id = await write_row(tx, _ADD, person, password_hash=password_hash)
    return inserted_id is not None


async def list_members(tx: Tx, org_id: UUID) -> Sequence[TeamMember]:
    """List all members of an organisation, including removed ones, oldest first."""
    return [person(row) for row in await tx.fetch(_ALL, org_id)]


async def get(tx: Tx, org_id: UUID, member_id: UUID) -> TeamMember | None:
    """Return a member, also a removed one."""
    row = await tx.fetchrow(_GET, org_id, member_id)
    return None if row is None else person(row)


async def sign_in_statuses(tx: Tx, org_id: UUID) -> Mapping[UUID, MemberSignInStatus]:
    """Return the sign-in status of the members of an organisation."""
    return {
        row["id"]: read_row(row, MemberSignInStatus)
        for row in await tx.fetch(_SIGN_IN_STATUSES, org_id)
    }


async def find_by_email(tx: Tx, email: str) -> MemberCredentials | None:
    """Return the member with this address; None if there is none, or the member was removed."""
    row = await tx.fetchrow(_FIND_BY_EMAIL, email)
    return None if row is None else _account(row)


async def lock(tx: Tx, org_id: UUID, member_id: UUID) -> MemberCredentials | None:
    """Return a member who is not removed, locked until the transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, member_id)
    return None if row is None else _account(row)


async def lock_admins(tx: Tx, org_id: UUID) -> Sequence[UUID]:
    """Return the admins with accepted invitations, locked until the transaction ends."""
    return [row["id"] for row in await tx.fetch(_LOCK_ADMINS, org_id)]


async def has_had(tx: Tx, org_id: UUID) -> bool:
    """Return whether an organisation has, or had, a member."""
    return await tx.fetchval(_HAS_HAD, org_id)


async def is_known(tx: Tx, org_id: UUID, email: str, email_hash: bytes | None) -> bool:
    """Return whether an address is, or was, a member's; `email_hash` matches blanked rows."""
    return await tx.fetchval(_IS_KNOWN, org_id, email, email_hash)


async def removed(
    tx: Tx, org_ids: Collection[UUID], before: datetime, *, limit: int
) -> Sequence[tuple[UUID, UUID, str]]:
    """Return and lock members removed before the cutoff and not blanked: org id, id, address."""
    rows = await tx.fetch(_REMOVED, list(org_ids), before, limit)
    return [(row["org_id"], row["id"], row["email"]) for row in rows]


async def blank(tx: Tx, org_id: UUID, member_id: UUID, email_hash: bytes) -> None:
    """Replace the address and the name of a removed member by the id."""
    await tx.execute(_BLANK, org_id, member_id, email_hash)


async def set_role(tx: Tx, org_id: UUID, member_id: UUID, role: MemberRole) -> int:
    """Set the role; return the change number, as all following functions do.

    The caller has locked the row.
    """
    return await tx.fetchval(_SET_ROLE, org_id, member_id, role)


async def set_name(tx: Tx, org_id: UUID, member_id: UUID, name: str) -> int:
    """Set the name."""
    return await tx.fetchval(_SET_NAME, org_id, member_id, name)


async def set_preferences(
    tx: Tx,
    org_id: UUID,
    member_id: UUID,
    *,
    language: str,
    theme: Theme,
    receives_approval_emails: bool,
) -> int:
    """Set the preferences."""
    return await tx.fetchval(
        _SET_PREFERENCES, org_id, member_id, language, theme, receives_approval_emails
    )


async def set_password(tx: Tx, org_id: UUID, member_id: UUID, password_hash: str | None) -> int:
    """Set the password's hash; None for no password."""
    return await tx.fetchval(_SET_HASH, org_id, member_id, password_hash)


async def rehash(tx: Tx, org_id: UUID, member_id: UUID, password_hash: str) -> None:
    """Store the same password, hashed with other parameters."""
    await tx.execute(_REHASH, org_id, member_id, password_hash)


async def join(tx: Tx, org_id: UUID, member_id: UUID, name: str, password_hash: str) -> int:
    """Accept an invitation: set name and password."""
    return await tx.fetchval(_JOIN, org_id, member_id, name, password_hash)


async def remove(tx: Tx, org_id: UUID, member_id: UUID, at: datetime) -> int:
    """Remove a member, who may not sign in any more."""
    return await tx.fetchval(_REMOVE, org_id, member_id, at)


async def count_change(tx: Tx, org_id: UUID, member_id: UUID) -> int:
    """Increment the version for a change that is stored elsewhere, and return it."""
    return await tx.fetchval(_COUNT, org_id, member_id)


def person(row: Row) -> TeamMember:
    """Return a member from a row with all its columns."""
    return read_row(row, TeamMember)


def _account(row: Row) -> MemberCredentials:
    return MemberCredentials(
        person(row), row["password_hash"], row["clock_offset"], row["org_name"]
    )
