"""Statements on outbound_emails."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row

_ADD = """
insert into outbound_emails (org_id, id, owner_id, sealed_email, created_at, due_at)
values ($1, $2, $3, $4, $5, $6)
"""

# Takes no locks: a worker claims each e-mail before sending it. Organisations alternate, so that
# one with many e-mails does not delay the others.
_DUE = """
select m.org_id, m.id, m.owner_id, m.sealed_email, m.created_at, m.attempts
from unnest($1::uuid[]) as o (org_id)
cross join lateral (
    select org_id, id, owner_id, sealed_email, created_at, attempts, due_at,
        row_number() over (order by due_at) as place
    from outbound_emails
    where org_id = o.org_id and due_at <= $2
    order by due_at
    limit $3
) m
order by m.place, m.due_at
limit $3
"""

# If this runs again after a commit that was not acknowledged, the unique due time finds its own
# claim.
_CLAIM = """
update outbound_emails
set attempts = $3 + 1, due_at = $4
where org_id = $1 and id = $2 and (attempts = $3 or attempts = $3 + 1 and due_at = $4)
returning id
"""

_REMOVE = "delete from outbound_emails where org_id = $1 and id = $2 returning id"


@dataclass(frozen=True, slots=True)
class SealedOutboundEmail:
    """E-mail in the outbox, as stored."""

    org_id: UUID
    id: UUID
    owner_id: UUID
    email: bytes
    created_at: datetime
    attempts: int


async def add(tx: Tx, mail: SealedOutboundEmail, *, due_at: datetime) -> None:
    """Store an e-mail."""
    await tx.execute(_ADD, mail.org_id, mail.id, mail.owner_id, mail.email, mail.created_at, due_at)


async def due(
    tx: Tx, org_ids: Collection[UUID], now: datetime, *, limit: int
) -> Sequence[SealedOutboundEmail]:
    """Return due e-mails of these organisations, the longest due of each organisation first."""
    return [
        read_row(row, SealedOutboundEmail, email=row["sealed_email"])
        for row in await tx.fetch(_DUE, list(org_ids), now, limit)
    ]


async def claim(tx: Tx, mail: SealedOutboundEmail, until: datetime) -> bool:
    """Claim an e-mail until `until`; return False if another worker has claimed it.

    `until` is different for each claim.
    """
    return await tx.fetchval(_CLAIM, mail.org_id, mail.id, mail.attempts, until) is not None


async def remove(tx: Tx, org_id: UUID, mail_id: UUID) -> bool:
    """Delete an e-mail; return False if it was deleted already."""
    return await tx.fetchval(_REMOVE, org_id, mail_id) is not None
