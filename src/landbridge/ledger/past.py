"""Records as they were right after one of their changes.

Nothing is kept twice for this: a record is what it was opened with and what its changes have told
since. `details` are never written again, and `facts` are of moves alone (a flow tells nothing of
a record by what only puts it off). Where a move replaces amounts, its flow tells `source_units` and
`destination_units` as facts, and opens with them among the details.

A station of a path that was taken in one go is shown with its own status, and without what the
path has brought: that is told with its last station.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger import past_store, record_store
from landbridge.ledger.model import Transfer
from landbridge.ledger.past_store import Told

_SOURCE, _DESTINATION = "source_units", "destination_units"


async def as_of(
    database: Database, org_id: UUID, wanted: Sequence[tuple[UUID, int]]
) -> Sequence[Transfer | None]:
    """Each (record, version) as it was at that version, in the order asked; None for none.

    Its `due_at` is None, whatever it was: when a record falls due is in no change. Two statements,
    however many are wanted; between them nothing changes of the past.
    """
    last: dict[UUID, int] = {}
    for each, seq in wanted:
        last[each] = max(seq, last.get(each, 0))
    known = await _records(database, org_id, last)
    told = await database.single(lambda tx: past_store.told(tx, org_id, last))
    return [
        _as_was(known.get(each), [one for one in told.get(each, ()) if one.seq <= seq])
        for each, seq in wanted
    ]


async def as_at(
    database: Database, org_id: UUID, wanted: Sequence[tuple[UUID, datetime]]
) -> Sequence[Transfer | None]:
    """As `as_of`, each (record, moment of its organisation), what happened then included."""
    last: dict[UUID, datetime] = {}
    for each, at in wanted:
        last[each] = max(at, last.get(each, at))
    known = await _records(database, org_id, last)
    told = await database.single(lambda tx: past_store.told_at(tx, org_id, last))
    return [
        _as_was(known.get(each), [one for one in told.get(each, ()) if one.at <= at])
        for each, at in wanted
    ]


def amounts_told(source: Money, destination: Money) -> dict[str, int]:
    """What a flow that replaces amounts opens with among its details, and tells as facts then."""
    return {_SOURCE: source.units, _DESTINATION: destination.units}


def opened_units(record: Transfer) -> tuple[int, int]:
    """Return the source and destination units that a record was opened with."""
    return replaced_units((record.source_units, record.destination_units), record.details)


def replaced_units(units: tuple[int, int], values: Mapping[str, Any]) -> tuple[int, int]:
    """Return source and destination units, or those that details or facts give instead."""
    source_units, destination_units = units
    return (
        int(values.get(_SOURCE, source_units)),
        int(values.get(_DESTINATION, destination_units)),
    )


async def _records(
    database: Database, org_id: UUID, ids: Collection[UUID]
) -> Mapping[UUID, Transfer]:
    if not ids:
        return {}
    found = await database.single(
        lambda tx: record_store.get_batch(tx, [(org_id, each) for each in ids])
    )
    return {each.id: each for each in found if each is not None}


def _as_was(record: Transfer | None, past: Sequence[Told]) -> Transfer | None:
    """The record after the last of its first changes; None if there are none."""
    if record is None or not past:
        return None
    facts: dict[str, Any] = {}
    for each in past:
        facts |= each.facts
    last = past[-1]
    units = (record.source_units, record.destination_units)
    source_units, destination_units = replaced_units(units, {**record.details, **facts})
    return replace(
        record,
        status=last.status,
        version=last.seq,
        source_units=source_units,
        destination_units=destination_units,
        facts=facts,
        due_at=None,
        updated_at=last.at,
    )
