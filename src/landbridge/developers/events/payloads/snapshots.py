"""Payloads from snapshots: the retrieve route's reply, sealed and stored with its change.

Guarantees: a snapshot's content is never rebuilt, so an event shows the same at each read. Once its
owner's key is destroyed, or without a snapshot, an event shows the present reply of the retrieve
route. Snapshots cost two statements for all events together. Objects without one are read one by
one, since that is rare.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from landbridge.developers.events.model import Event
from landbridge.platform.changes.model import Change
from landbridge.platform.core.errors import Refused
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.encryption.snapshots import open_snapshots

# Returns the present retrieve reply for the object of a change; raises like the retrieve route.
Now = Callable[[Change], Awaitable[Any]]


async def from_snapshots(
    database: Database, vault: Vault, events: Sequence[Event], now: Now
) -> list[Any]:
    """Return the payloads of these events of one organisation, in their order."""
    changes = [each.change for each in events]
    snapshots = await database.single(lambda tx: open_snapshots(tx, vault, changes, msgspec.Raw))
    bare = {each.object_id: each for each in changes if _key(each) not in snapshots}
    current = {object_id: await _find(now, each) for object_id, each in bare.items()}
    return [
        snapshots[_key(each)] if _key(each) in snapshots else current[each.object_id]
        for each in changes
    ]


def fact_id(change: Change, fact: str) -> UUID:
    """Return an id from the facts of the change."""
    return UUID(change.facts[fact])


async def _find(now: Now, change: Change) -> Any:
    try:
        return await now(change)
    except Refused:
        # Our records are never deleted. If one were, its event must not block the following ones.
        return None


def _key(change: Change) -> tuple[UUID, int]:
    return change.object_id, change.seq
