"""All SQL statements on recipients of e-mails about approvals and scheduled reports."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

# The row locks delay a member's removal, so that no data key is created for a removed member. They
# are taken in the order of ids, which prevents deadlocks.
_ADMINS = """
select id, email, name
from team_members
where org_id = $1 and role = 'admin' and removed_at is null and not is_invited
    and receives_approval_emails and id <> $2
order by id
for key share
"""

# Returns the initiator if they are still a member and subscribed.
_INITIATOR = """
select id, email, name
from team_members
where org_id = $1 and id = $2 and removed_at is null and receives_approval_emails
for key share
"""

# Locks the rows as `_ADMINS` does.
_MEMBERS = """
select id, email, name
from team_members
where org_id = $1 and id = any($2::uuid[]) and removed_at is null and not is_invited
order by id
for key share
"""

_NAME = "select name from team_members where org_id = $1 and id = $2"


@dataclass(frozen=True, slots=True)
class Recipient:
    """Member who gets e-mails."""

    id: UUID
    email: str
    name: str


async def lock_other_admins(tx: Tx, org_id: UUID, member_id: UUID) -> Sequence[Recipient]:
    """Return and lock the admins subscribed to approval e-mails, except this one."""
    return [_recipient(row) for row in await tx.fetch(_ADMINS, org_id, member_id)]


async def initiator(tx: Tx, org_id: UUID, member_id: UUID) -> Recipient | None:
    """Return and lock a member; None unless subscribed to approval e-mails."""
    row = await tx.fetchrow(_INITIATOR, org_id, member_id)
    return None if row is None else _recipient(row)


async def members(tx: Tx, org_id: UUID, member_ids: Collection[UUID]) -> Sequence[Recipient]:
    """Return and lock those of these members who have joined and were not removed."""
    return [_recipient(row) for row in await tx.fetch(_MEMBERS, org_id, list(member_ids))]


async def name(tx: Tx, org_id: UUID, member_id: UUID) -> str | None:
    """Return the name of a member, also of a removed one."""
    return await tx.fetchval(_NAME, org_id, member_id)


def _recipient(row: Row) -> Recipient:
    return Recipient(row["id"], row["email"], row["name"])
