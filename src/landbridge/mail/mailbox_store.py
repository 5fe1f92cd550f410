"""Every statement on the sandbox's mailbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Row, Tx

_ADD = """
insert into mailbox (org_id, id, owner_id, sealed_letter, created_at)
values ($1, $2, $3, $4, $5)
on conflict (org_id, id) do nothing
"""

_TRIM = """
delete from mailbox m
using (
    select org_id, id
    from mailbox
    where org_id = $1
    order by created_at desc, id desc
    offset $2
) old
where m.org_id = old.org_id and m.id = old.id
"""

_NEWEST = """
select id, owner_id, sealed_letter, created_at
from mailbox
where org_id = $1
order by created_at desc, id desc
limit $2
"""

_FIND = """
select id, owner_id, sealed_letter, created_at
from mailbox
where org_id = $1 and id = $2
for update
"""


@dataclass(frozen=True, slots=True)
class SealedKept:
    """A mail as it is kept."""

    id: UUID
    owner_id: UUID
    letter: bytes
    created_at: datetime


async def add(tx: Tx, org_id: UUID, mail: SealedKept) -> None:
    """Keep a mail; the same one once."""
    await tx.execute(_ADD, org_id, mail.id, mail.owner_id, mail.letter, mail.created_at)


async def trim(tx: Tx, org_id: UUID, *, kept: int) -> None:
    """Forget all but the newest."""
    await tx.execute(_TRIM, org_id, kept)


async def newest(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[SealedKept]:
    """The newest first."""
    return [_kept(row) for row in await tx.fetch(_NEWEST, org_id, limit)]


async def find(tx: Tx, org_id: UUID, mail_id: UUID) -> SealedKept | None:
    """One mail, nobody else's until the transaction ends."""
    row = await tx.fetchrow(_FIND, org_id, mail_id)
    return None if row is None else _kept(row)


def _kept(row: Row) -> SealedKept:
    return SealedKept(row["id"], row["owner_id"], row["sealed_letter"], row["created_at"])
