"""Record changes in the transaction in which they happen, and read the log.

Guarantees of the reading order (`LogPosition`):
- Nothing is ever committed before a position that was read: readers see only changes below the
  database's horizon, to which no active transaction can add.
- The changes of one object are read in the order of their numbers.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from landbridge.platform.changes import store
from landbridge.platform.changes.model import START, Change, LogPosition, PayloadSnapshot
from landbridge.platform.db.pool import Database, Tx

# Maximum time between a change's timestamp and the start of its writing transaction: no statement
# and no wait for a lock takes longer, and clocks of processes differ by less.
SPREAD = timedelta(minutes=1)
_SETTLE_S, _SETTLE_EVERY_S = 0.5, 0.01


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
    """Record a change of an object without a status; `seq` is its number of changes, this included.

    `facts` is what is needed to show the object as it was then, and never personal data: the log is
    kept forever, personal data are not. Personal data belong in the `picture`, which is erased with
    them.
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


def prove_change(org_id: UUID, object_id: UUID, seq: int, at: datetime) -> None:
    """Set a change that was written by another statement as the commit proof of the transaction."""
    store.prove_change(org_id, object_id, seq, at)


async def has_changes(tx: Tx, org_id: UUID, object_id: UUID) -> bool:
    """Return whether any change of this object was recorded."""
    return await store.exists(tx, org_id, object_id)


async def last_change_at(tx: Tx, org_id: UUID, object_id: UUID) -> datetime | None:
    """Return the organisation time of an object's last change; None for one without changes."""
    return await store.last_at(tx, org_id, object_id)


async def last_actor(tx: Tx, org_id: UUID, object_id: UUID, change_type: str) -> str | None:
    """Return who made an object's last change of this type; None if there is none."""
    return await store.last_actor(tx, org_id, object_id, change_type)


async def read(tx: Tx, org_id: UUID, after: LogPosition, *, limit: int) -> Sequence[Change]:
    """Return the changes after a position, in log order; fewer than `limit` at its end."""
    return await store.read(tx, org_id, after, limit)


async def read_back(tx: Tx, org_id: UUID, before: LogPosition, *, limit: int) -> Sequence[Change]:
    """Return the changes before a position, newest first; fewer than `limit` at the beginning."""
    return await store.read_back(tx, org_id, before, limit)


async def end_of_log(tx: Tx) -> LogPosition:
    """Return the position that separates settled changes from unsettled ones."""
    return LogPosition(await store.horizon(tx), UUID(int=0), 0)


async def settle(database: Database, org_id: UUID) -> None:
    """Wait until all committed changes of an organisation are settled.

    Takes milliseconds, unless something holds up the log: then at most half a second.
    """
    until_s = time.monotonic() + _SETTLE_S
    while await database.single(lambda tx: store.has_unsettled(tx, org_id)):
        if time.monotonic() >= until_s:
            return
        await asyncio.sleep(_SETTLE_EVERY_S)


async def read_object(
    tx: Tx, org_id: UUID, object_id: UUID, after: LogPosition, *, limit: int
) -> Sequence[Change]:
    """As `read`, for one object."""
    return await store.read_object(tx, org_id, object_id, after, limit)


async def read_object_back(
    tx: Tx, org_id: UUID, object_id: UUID, before: LogPosition, *, limit: int
) -> Sequence[Change]:
    """As `read_back`, for one object."""
    return await store.read_object_back(tx, org_id, object_id, before, limit)


async def position_before(tx: Tx, org_id: UUID, at: datetime) -> LogPosition:
    """Return a position before all changes of the organisation at this time or later."""
    return LogPosition(await store.first_since(tx, org_id, at, SPREAD), UUID(int=0), 0)


async def position_after(tx: Tx, org_id: UUID, at: datetime) -> LogPosition:
    """Return a position after all changes before this time that are settled `SPREAD` later."""
    last = await store.last_before(tx, org_id, at, SPREAD)
    return START if last is None else LogPosition(last + 1, UUID(int=0), 0)


async def find(
    tx: Tx, org_id: UUID, versions: Collection[tuple[UUID, int]]
) -> Mapping[tuple[UUID, int], Change]:
    """Return the existing ones of these changes, by (object, number), settled or not."""
    found = await store.find(tx, org_id, versions)
    return {(each.object_id, each.seq): each for each in found}


async def history(
    tx: Tx, org_id: UUID, object_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[Change]]:
    """Return all changes of these objects, oldest first."""
    found: defaultdict[UUID, list[Change]] = defaultdict(list)
    for each in await store.history(tx, org_id, object_ids):
        found[each.object_id].append(each)
    return found


async def delete_snapshots(
    tx: Tx, org_id: UUID, *, before: datetime, below: int | None, limit: int
) -> int:
    """Delete a bounded number of snapshots of old changes; return how many.

    Old changes happened before `before` and, if `below` is given, in a transaction below it.
    """
    return await store.delete_snapshots(tx, org_id, before, below, limit)


def _json(facts: Mapping[str, Any] | None) -> str | None:
    return None if facts is None else msgspec.json.encode(facts).decode()
