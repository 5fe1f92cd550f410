"""Every statement on mails."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx

_ADD = """
insert into mails (org_id, id, owner_id, sealed_letter, created_at, due_at)
values ($1, $2, $3, $4, $5, $6)
"""

# Read without locks: who sends a mail claims it first.
_DUE = """
select m.org_id, m.id, m.owner_id, m.sealed_letter, m.created_at, m.attempts
from unnest($1::uuid[]) as o (org_id)
cross join lateral (
    select org_id, id, owner_id, sealed_letter, created_at, attempts, due_at
    from mails
    where org_id = o.org_id and due_at <= $2
    order by due_at
    limit $3
) m
order by m.due_at
limit $3
"""

# Run again after a commit that was not acknowledged it finds its own claim, by its due time.
_CLAIM = """
update mails
set attempts = $3 + 1, due_at = $4
where org_id = $1 and id = $2 and (attempts = $3 or attempts = $3 + 1 and due_at = $4)
returning id
"""

_REMOVE = "delete from mails where org_id = $1 and id = $2 returning id"


@dataclass(frozen=True, slots=True)
class SealedMail:
    """A mail as it is stored."""

    org_id: UUID
    id: UUID
    owner_id: UUID
    letter: bytes
    created_at: datetime
    attempts: int


async def add(tx: Tx, mail: SealedMail, *, due_at: datetime) -> None:
    """Store a mail."""
    await tx.execute(
        _ADD, mail.org_id, mail.id, mail.owner_id, mail.letter, mail.created_at, due_at
    )


async def due(
    tx: Tx, org_ids: Collection[UUID], now: datetime, *, limit: int
) -> Sequence[SealedMail]:
    """Mails of these organisations that are due, the longest due first."""
    return [
        SealedMail(
            row["org_id"],
            row["id"],
            row["owner_id"],
            row["sealed_letter"],
            row["created_at"],
            row["attempts"],
        )
        for row in await tx.fetch(_DUE, list(org_ids), now, limit)
    ]


async def claim(tx: Tx, mail: SealedMail, until: datetime) -> bool:
    """Begin to send a mail; False if another worker has. It is due again at `until`.

    `until` is a moment that no other claim has.
    """
    return await tx.fetchval(_CLAIM, mail.org_id, mail.id, mail.attempts, until) is not None


async def remove(tx: Tx, org_id: UUID, mail_id: UUID) -> bool:
    """Forget a mail; False if somebody has."""
    return await tx.fetchval(_REMOVE, org_id, mail_id) is not None
