"""Portraits from pictures: the retrieve's own answer, kept sealed with the change that it followed.

Guarantees: what a picture shows is never made anew, so an event shows the same however often it is
read; once its owner's key is destroyed, or where no picture was taken, an event shows what the
retrieve answers now. Pictures cost two statements for all events together; what is shown without
one is looked up object by object, since that is rare.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from landbridge.changes.model import Change
from landbridge.core.errors import Refused
from landbridge.db.pool import Database
from landbridge.events.model import Event
from landbridge.privacy.pictures import develop
from landbridge.privacy.service import Vault

# What the retrieve answers now about the object of a change; raises as the retrieve does.
Now = Callable[[Change], Awaitable[Any]]


async def from_pictures(
    database: Database, vault: Vault, events: Sequence[Event], now: Now
) -> list[Any]:
    """What these events of one organisation show, in their order."""
    changes = [each.change for each in events]
    pictures = await database.single(lambda tx: develop(tx, vault, changes, msgspec.Raw))
    bare = {each.object_id: each for each in changes if _key(each) not in pictures}
    looked_up = {object_id: await _find(now, each) for object_id, each in bare.items()}
    return [
        pictures[_key(each)] if _key(each) in pictures else looked_up[each.object_id]
        for each in changes
    ]


def named(change: Change, fact: str) -> UUID:
    """The id that a change tells as one of its facts."""
    return UUID(change.facts[fact])


async def _find(now: Now, change: Change) -> Any:
    try:
        return await now(change)
    except Refused:
        # Nothing of ours is ever deleted; were it, an event must not stop those behind it.
        return None


def _key(change: Change) -> tuple[UUID, int]:
    return change.object_id, change.seq
