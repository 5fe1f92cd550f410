"""Statements on captured_emails."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_ADD = """
insert into captured_emails (org_id, id, owner_id, sealed_email, created_at)
values ($1, $2, $3, $4, $5)
on conflict (org_id, id) do nothing
"""

_TRIM = """
delete from captured_emails m
using (
    select org_id, id
    from captured_emails
    where org_id = $1
    order by created_at desc, id desc
    offset $2
) old
where m.org_id = old.org_id and m.id = old.id
"""

_NEWEST = """
select id, owner_id, sealed_email, created_at
from captured_emails
where org_id = $1
order by created_at desc, id desc
limit $2
"""

_FIND = """
select id, owner_id, sealed_email, created_at
from captured_emails
where org_id = $1 and id = $2
for update
"""


@dataclass(frozen=True, slots=True)
class SealedCapturedEmail:
    """Captured e-mail as stored."""

    id: UUID
    owner_id: UUID
    email: bytes
    created_at: datetime


async def add(tx: Tx, org_id: UUID, mail: SealedCapturedEmail) -> None:
    """Store a captured e-mail; does nothing if it is stored already."""
    await tx.execute(_ADD, org_id, mail.id, mail.owner_id, mail.email, mail.created_at)


async def trim(tx: Tx, org_id: UUID, *, limit: int) -> None:
    """Delete all but the newest `limit` e-mails."""
    await tx.execute(_TRIM, org_id, limit)


async def newest(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[SealedCapturedEmail]:
    """Return the newest e-mails, newest first."""
    return [_captured(row) for row in await tx.fetch(_NEWEST, org_id, limit)]


async def find(tx: Tx, org_id: UUID, mail_id: UUID) -> SealedCapturedEmail | None:
    """Lock and return one e-mail; None if there is none."""
    row = await tx.fetchrow(_FIND, org_id, mail_id)
    return None if row is None else _captured(row)


def _captured(row: Row) -> SealedCapturedEmail:
    return SealedCapturedEmail(row["id"], row["owner_id"], row["sealed_email"], row["created_at"])
