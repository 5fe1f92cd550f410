"""Every statement on `changes`, but for the ledger's: it writes its changes with the money."""

from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx

_ADD = """
insert into changes
    (org_id, object_id, seq, kind, what, actor, facts, at, rests, tx)
values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, true, pg_current_xact_id())
"""

# The caller holds the lock of the object's row, so nobody else counts at the same time.
_ADD_NEXT = """
insert into changes
    (org_id, object_id, seq, kind, what, actor, facts, at, rests, tx)
select $1, $2, coalesce(max(seq), 0) + 1, $3, $4, $5, $6::text::jsonb, $7, true,
    pg_current_xact_id()
from changes
where org_id = $1 and object_id = $2
"""

_EXISTS = "select exists (select from changes where org_id = $1 and object_id = $2)"


async def add(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    seq: int,
    kind: str,
    what: str,
    actor: str,
    facts: str | None,
    at: datetime,
) -> None:
    """Append a change; a sequence number that is taken is a bug, and raises."""
    await tx.execute(_ADD, org_id, object_id, seq, kind, what, actor, facts, at)


async def add_next(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    kind: str,
    what: str,
    actor: str,
    facts: str | None,
    at: datetime,
) -> None:
    """Append a change of an object whose row the caller has locked."""
    await tx.execute(_ADD_NEXT, org_id, object_id, kind, what, actor, facts, at)


async def exists(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Whether anything was told of this object."""
    return await tx.fetchval(_EXISTS, org_id, object_id)
