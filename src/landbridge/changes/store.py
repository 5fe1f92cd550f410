"""Every statement on `changes` outside the ledger, which writes its own with the money."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.db.pool import Database, Row, Tx

_TELL = """
insert into changes
    (org_id, object_id, seq, kind, what, actor, facts, at, rests, tx)
values ($1, $2, $3, $4, $5, $6, $7, $8, true, pg_current_xact_id())
"""

_HISTORY = """
select seq, kind, what, status_before, status_after, actor, facts, at, rests
from changes
where org_id = $1 and object_id = $2
order by seq
"""

# Everything below the oldest transaction still running is settled: a later commit can't slip in
# behind a reader that has passed it.
_SETTLED_TO = "select pg_snapshot_xmin(pg_current_snapshot())::text as settled_to"

_SINCE = """
select tx::text as tx, object_id, seq, kind, what, status_before, status_after, actor, facts, at
from changes
where org_id = $1
  and (tx, object_id, seq) > ($2::text::xid8, $3, $4)
  and tx < $5::text::xid8
order by tx, object_id, seq
limit $6
"""


async def tell(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    seq: int,
    kind: str,
    what: str,
    actor: str,
    facts: dict[str, Any] | None,
    at: datetime,
) -> None:
    """Write one change of an object without a status, in the transaction of the change itself."""
    told = None if facts is None else msgspec.json.encode(facts).decode()
    await tx.execute(_TELL, org_id, object_id, seq, kind, what, actor, told, at)


async def history(database: Database, org_id: UUID, object_id: UUID) -> Sequence[Row]:
    """All changes of one object, in order."""
    return await database.rows(_HISTORY, org_id, object_id)


async def settled_to(database: Database) -> str:
    """The transaction id below which nothing new can appear."""
    return (await database.rows(_SETTLED_TO))[0]["settled_to"]


async def since(
    database: Database,
    org_id: UUID,
    *,
    after: tuple[str, UUID, int],
    settled_to: str,
    limit: int,
) -> Sequence[Row]:
    """Changes after a place in commit order, up to what is settled; never skips a late commit."""
    return await database.rows(_SINCE, org_id, *after, settled_to, limit)
