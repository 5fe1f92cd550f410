"""Every statement on `changes`, but for the ledger's: it writes its changes with the money."""

from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx

_ADD = """
insert into changes
    (org_id, object_id, seq, kind, what, actor, facts, at, rests, tx)
values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, true, pg_current_xact_id())
"""


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
