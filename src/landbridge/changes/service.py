"""The verbs of the log: tell what happened, in the transaction in which it happened."""

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
    await store.add(
        tx,
        org_id=org_id,
        object_id=object_id,
        seq=seq,
        kind=kind,
        what=what,
        actor=actor,
        facts=_json(facts),
        at=at,
    )


async def tell_next(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    kind: str,
    what: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Tell of an object that keeps no number of its changes; the caller has locked its row."""
    await store.add_next(
        tx,
        org_id=org_id,
        object_id=object_id,
        kind=kind,
        what=what,
        actor=actor,
        facts=_json(facts),
        at=at,
    )


async def was_told(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Whether anything was told of this object."""
    return await store.exists(tx, org_id, object_id)


def _json(facts: Mapping[str, Any] | None) -> str | None:
    return None if facts is None else msgspec.json.encode(facts).decode()
