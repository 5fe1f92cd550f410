"""The one verb of the log: tell what happened, in the transaction in which it happened."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.changes import store
from landbridge.db.pool import Tx


async def tell(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    seq: int,
    kind: str,
    what: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Tell of an object without a status; `seq` is its number of changes, this one included.

    `facts` is what is needed to show the object as it was then, and never personal data: the log
    is kept for good, people are not.
    """
    told = None if facts is None else msgspec.json.encode(facts).decode()
    await store.add(
        tx,
        org_id=org_id,
        object_id=object_id,
        seq=seq,
        kind=kind,
        what=what,
        actor=actor,
        facts=told,
        at=at,
    )
