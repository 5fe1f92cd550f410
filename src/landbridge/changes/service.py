"""The verbs of the log: tell what happened, in the transaction in which it happened; read it.

Guarantees of the order of reading (`Place`):
- nothing is ever committed behind a place that was read: readers see what is below the database's
  horizon only, that is what no transaction under way can add to;
- the changes of one object come in the order of their numbers.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from landbridge.changes import store
from landbridge.changes.model import START, Change, Picture, Place
from landbridge.db.pool import Database, Tx

# How long before its transaction begins to write a change may have been stamped, at most: no
# statement and no wait for a lock takes longer, and clocks of processes differ by less.
SPREAD = timedelta(minutes=1)
_SETTLE_S, _SETTLE_EVERY_S = 0.5, 0.01


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
    picture: Picture | None = None,
) -> None:
    """Tell of an object without a status; `seq` is its number of changes, this one included.

    `facts` is what is needed to show the object as it was then, and never personal data: the log
    is kept for good, people are not. What is personal is in the `picture`, which goes with them.
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
        picture=picture,
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


def prove_change(org_id: UUID, object_id: UUID, seq: int, at: datetime) -> None:
    """Let a change that was written otherwise prove that its transaction was committed."""
    store.prove_change(org_id, object_id, seq, at)


async def was_told(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Whether anything was told of this object."""
    return await store.exists(tx, org_id, object_id)


async def read(tx: Tx, org_id: UUID, after: Place, *, limit: int) -> Sequence[Change]:
    """Changes right after a place, in the order of the log; fewer than `limit` at its end."""
    return await store.read(tx, org_id, after, limit)


async def read_back(tx: Tx, org_id: UUID, before: Place, *, limit: int) -> Sequence[Change]:
    """Changes right before a place, the last first; fewer than `limit` at the log's beginning."""
    return await store.read_back(tx, org_id, before, limit)


async def end_of_log(tx: Tx) -> Place:
    """A place behind all that is settled and before all that is not."""
    return Place(await store.horizon(tx), UUID(int=0), 0)


async def settle(database: Database, org_id: UUID) -> None:
    """Wait until all that an organisation has committed is before the end of the log.

    Milliseconds, unless something holds the log up: then no longer than half a second.
    """
    until_s = time.monotonic() + _SETTLE_S
    while await database.single(lambda tx: store.has_unsettled(tx, org_id)):
        if time.monotonic() >= until_s:
            return
        await asyncio.sleep(_SETTLE_EVERY_S)


async def read_object(
    tx: Tx, org_id: UUID, object_id: UUID, after: Place, *, limit: int
) -> Sequence[Change]:
    """As `read`, of one object."""
    return await store.read_object(tx, org_id, object_id, after, limit)


async def read_object_back(
    tx: Tx, org_id: UUID, object_id: UUID, before: Place, *, limit: int
) -> Sequence[Change]:
    """As `read_back`, of one object."""
    return await store.read_object_back(tx, org_id, object_id, before, limit)


async def place_before(tx: Tx, org_id: UUID, at: datetime) -> Place:
    """A place before all changes of this moment of the organisation, or later."""
    return Place(await store.first_since(tx, org_id, at, SPREAD), UUID(int=0), 0)


async def place_behind(tx: Tx, org_id: UUID, at: datetime) -> Place:
    """A place behind all changes of before this moment that are settled `SPREAD` later."""
    last = await store.last_before(tx, org_id, at, SPREAD)
    return START if last is None else Place(last + 1, UUID(int=0), 0)


async def find(
    tx: Tx, org_id: UUID, wanted: Collection[tuple[UUID, int]]
) -> Mapping[tuple[UUID, int], Change]:
    """Those of these changes, by (object, number), that there are; settled or not."""
    found = await store.find(tx, org_id, wanted)
    return {(each.object_id, each.seq): each for each in found}


async def history(
    tx: Tx, org_id: UUID, object_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[Change]]:
    """All changes of these objects, of those that have any, oldest first."""
    found: defaultdict[UUID, list[Change]] = defaultdict(list)
    for each in await store.history(tx, org_id, object_ids):
        found[each.object_id].append(each)
    return found


async def forget_pictures(
    tx: Tx, org_id: UUID, *, before: datetime, below: int | None, limit: int
) -> int:
    """Take the pictures of old changes away, at most so many; how many these were.

    Of changes from before that moment, and of transactions `below` that one if there is one.
    """
    return await store.forget_pictures(tx, org_id, before, below, limit)


def _json(facts: Mapping[str, Any] | None) -> str | None:
    return None if facts is None else msgspec.json.encode(facts).decode()
