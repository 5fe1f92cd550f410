"""Every statement on who is mailed about approvals."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.db.pool import Row, Tx

# Held: whoever removes one of them waits, so that no data key is made for who is gone. In one
# order, so that nobody waits for somebody who waits for them.
_ADMINS = """
select id, email, name
from members
where org_id = $1 and role = 'admin' and removed_at is null and not is_invited
    and wants_approval_mails and id <> $2
order by id
for key share
"""

# Whoever asked, as long as they are here and want to know.
_INITIATOR = """
select id, email, name
from members
where org_id = $1 and id = $2 and removed_at is null and wants_approval_mails
for key share
"""

_NAME = "select name from members where org_id = $1 and id = $2"


@dataclass(frozen=True, slots=True)
class Recipient:
    """A member who wants mails."""

    id: UUID
    email: str
    name: str


async def admins_but(tx: Tx, org_id: UUID, member_id: UUID) -> Sequence[Recipient]:
    """Admins who want mails about approvals, without this one; none is removed meanwhile."""
    return [_recipient(row) for row in await tx.fetch(_ADMINS, org_id, member_id)]


async def initiator(tx: Tx, org_id: UUID, member_id: UUID) -> Recipient | None:
    """A member, if they want mails about approvals; they are not removed meanwhile."""
    row = await tx.fetchrow(_INITIATOR, org_id, member_id)
    return None if row is None else _recipient(row)


async def name(tx: Tx, org_id: UUID, member_id: UUID) -> str | None:
    """What a member is called, also once they were removed."""
    return await tx.fetchval(_NAME, org_id, member_id)


def _recipient(row: Row) -> Recipient:
    return Recipient(row["id"], row["email"], row["name"])
