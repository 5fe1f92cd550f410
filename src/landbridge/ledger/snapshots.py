"""Snapshots: records as they were right after one of their changes.

Snapshots are not stored: a record is its creation plus the facts of its changes. `details` are
never rewritten, and `facts` of changes never come from a postponement. Where a change replaces
amounts, its flow adds `source_units` and `destination_units` as facts, and creates the record
with both among its details.

A path of several statuses is one step: its intermediate statuses are shown without the facts of
the step, which belong to its last change.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.ledger import record_store, snapshot_store
from landbridge.ledger.model import Transfer
from landbridge.ledger.snapshot_store import StoredChange
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database

_SOURCE, _DESTINATION = "source_units", "destination_units"


async def as_of(
    database: Database, org_id: UUID, keys: Sequence[tuple[UUID, int]]
) -> Sequence[Transfer | None]:
    """Return each (record, version) as it was at that version, in order; None if it does not exist.

    `due_at` is always None: due times are in no change. Costs two statements for any number of
    records; past changes never change between them.
    """
    last: dict[UUID, int] = {}
    for each, seq in keys:
        last[each] = max(seq, last.get(each, 0))
    known = await _records(database, org_id, last)
    changes = await database.single(lambda tx: snapshot_store.find_changes(tx, org_id, last))
    return [
        _record_at(known.get(each), [one for one in changes.get(each, ()) if one.seq <= seq])
        for each, seq in keys
    ]


async def as_at(
    database: Database, org_id: UUID, keys: Sequence[tuple[UUID, datetime]]
) -> Sequence[Transfer | None]:
    """Return each (record, moment) as `as_of` does, including changes at that moment."""
    last: dict[UUID, datetime] = {}
    for each, at in keys:
        last[each] = max(at, last.get(each, at))
    known = await _records(database, org_id, last)
    changes = await database.single(lambda tx: snapshot_store.find_changes_until(tx, org_id, last))
    return [
        _record_at(known.get(each), [one for one in changes.get(each, ()) if one.at <= at])
        for each, at in keys
    ]


def amount_facts(source: Money, destination: Money) -> dict[str, int]:
    """Return the amount facts of a flow that replaces amounts, for its details and its changes."""
    return {_SOURCE: source.units, _DESTINATION: destination.units}


def original_units(record: Transfer) -> tuple[int, int]:
    """Return the source and destination units that a record was created with."""
    return override_units((record.source_units, record.destination_units), record.details)


def override_units(units: tuple[int, int], values: Mapping[str, Any]) -> tuple[int, int]:
    """Return source and destination units, overridden by those in details or facts."""
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


def _record_at(record: Transfer | None, past: Sequence[StoredChange]) -> Transfer | None:
    """Return the record after the last of these changes; None if there are none."""
    if record is None or not past:
        return None
    facts: dict[str, Any] = {}
    for each in past:
        facts |= each.facts
    last = past[-1]
    units = (record.source_units, record.destination_units)
    source_units, destination_units = override_units(units, {**record.details, **facts})
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
