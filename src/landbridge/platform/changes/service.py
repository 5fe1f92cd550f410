"""Record changes in the transaction in which they happen, and read the log.

Guarantees of the reading order (`LogPosition`):
- Nothing ever appears before a position that was read: readers see only changes with a place, and
  places are given in ascending order, after the commit (placing.py).
- The changes of one object are read in the order of their numbers.

Readers on the primary first call `placing.place_changes`, so that they see every commit so far.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from landbridge.platform.changes import store
from landbridge.platform.changes.model import START, UNPLACED, Change, LogPosition, PayloadSnapshot
from landbridge.platform.db.pool import Tx

# Maximum time between a change's timestamp and its commit: no statement, no wait for a lock and no
# idle transaction takes longer, and clocks of processes differ by less.
SPREAD = timedelta(minutes=1)


async def append_change(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    seq: int,
    kind: str,
    change_type: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
    snapshot: PayloadSnapshot | None = None,
) -> None:
    """Record a change of an object without a status.

    `seq` counts the object's changes, including this one. `facts` is what is needed to show the
    object as it was then, and never personal data: the log is kept forever, personal data are not.
    Personal data belong in the `snapshot`, which is erased with its owner.
    """
    await store.add(
        tx,
        org_id=org_id,
        object_id=object_id,
        seq=seq,
        kind=kind,
        change_type=change_type,
        actor=actor,
        facts=_json(facts),
        at=at,
        snapshot=snapshot,
    )


async def append_next_change(
    tx: Tx,
    *,
    org_id: UUID,
    object_id: UUID,
    kind: str,
    change_type: str,
    actor: str,
    at: datetime,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Record a change of an object without a change counter; the caller has locked its row."""
    await store.add_next(
        tx,
        org_id=org_id,
        object_id=object_id,
        kind=kind,
        change_type=change_type,
        actor=actor,
        facts=_json(facts),
        at=at,
    )


def register_change_as_proof(org_id: UUID, object_id: UUID, seq: int, at: datetime) -> None:
    """Use a change that another statement wrote as the commit proof of the transaction."""
    store.register_change_as_proof(org_id, object_id, seq, at)


async def has_changes(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Return whether any change of this object was recorded."""
    return await store.exists(tx, org_id, object_id)


async def last_change_at(tx: Tx, org_id: UUID, object_id: UUID) -> datetime | None:
    """Return the organisation time of an object's last change; None for one without changes."""
    return await store.last_at(tx, org_id, object_id)


async def last_actor(tx: Tx, org_id: UUID, object_id: UUID, change_type: str) -> str | None:
    """Return the actor of an object's last change of this type; None if there is none."""
    return await store.last_actor(tx, org_id, object_id, change_type)


async def read(tx: Tx, org_id: UUID, after: LogPosition, *, limit: int) -> Sequence[Change]:
    """Return up to `limit` changes after a position, in log order; fewer at the end of the log."""
    return await store.read(tx, org_id, after, limit)


async def read_back(tx: Tx, org_id: UUID, before: LogPosition, *, limit: int) -> Sequence[Change]:
    """Return up to `limit` changes before a position, newest first; fewer at the beginning."""
    return await store.read_back(tx, org_id, before, limit)


async def end_of_log(tx: Tx, org_id: UUID) -> LogPosition:
    """Return the position after all changes of an organisation that have a place."""
    return LogPosition(await store.last_place(tx, org_id) + 1, UUID(int=0), 0)


async def read_object(
    tx: Tx, org_id: UUID, object_id: UUID, after: LogPosition, *, limit: int
) -> Sequence[Change]:
    """Return up to `limit` changes of one object after a position, in log order."""
    return await store.read_object(tx, org_id, object_id, after, limit)


async def read_object_back(
    tx: Tx, org_id: UUID, object_id: UUID, before: LogPosition, *, limit: int
) -> Sequence[Change]:
    """Return up to `limit` changes of one object before a position, newest first."""
    return await store.read_object_back(tx, org_id, object_id, before, limit)


async def position_before(tx: Tx, org_id: UUID, at: datetime) -> LogPosition:
    """Return a position before all changes of the organisation at this time or later."""
    # The end is read first: changes that get a place in the meantime come after it.
    end = await end_of_log(tx, org_id)
    first = await store.first_since(tx, org_id, at, SPREAD)
    return end if first is None else min(end, LogPosition(first, UUID(int=0), 0))


async def position_after(tx: Tx, org_id: UUID, at: datetime) -> LogPosition:
    """Return a position after all changes before `at`, once `SPREAD` has passed since `at`.

    The position is beyond the end of the log if one of these changes has no place yet.
    """
    last = await store.last_before(tx, org_id, at, SPREAD)
    return START if last is None else LogPosition(min(last + 1, UNPLACED), UUID(int=0), 0)


async def find(
    tx: Tx, org_id: UUID, versions: Collection[tuple[UUID, int]]
) -> Mapping[tuple[UUID, int], Change]:
    """Return those of these changes that exist, by object and number, with or without a place."""
    found = await store.find(tx, org_id, versions)
    return {(each.object_id, each.seq): each for each in found}


async def history(
    tx: Tx, org_id: UUID, object_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[Change]]:
    """Return all changes of these objects, by object, oldest first."""
    found: defaultdict[UUID, list[Change]] = defaultdict(list)
    for each in await store.history(tx, org_id, object_ids):
        found[each.object_id].append(each)
    return found


async def delete_snapshots(
    tx: Tx, org_id: UUID, *, before: datetime, below: int | None, limit: int
) -> int:
    """Delete up to `limit` snapshots of old changes, and return the number deleted.

    Old changes happened before `before` and, if `below` is given, have a place below it.
    """
    return await store.delete_snapshots(tx, org_id, before, below, limit)


def _json(facts: Mapping[str, Any] | None) -> str | None:
    return None if facts is None else msgspec.json.encode(facts).decode()
