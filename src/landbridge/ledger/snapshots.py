"""Snapshots: records as they were right after one of their changes.

Snapshots are not stored: a record is its creation plus the facts of its changes. `details` are
never rewritten, and `facts` of changes never come from a postponement. Where a change replaces
amounts, its flow adds `source_units` and `destination_units` as facts, and creates the record
with both among its details.

A path of several statuses is one step: its intermediate statuses are shown without the facts of
the step, which belong to its last change.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from landbridge.ledger import record_store
from landbridge.ledger.model import Transfer
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database

CHANGES = """
select c.object_id, c.seq, c.status_after, c.facts::text as facts, c.occurred_at
from unnest($2::uuid[], $3::integer[]) as i (object_id, seq)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.seq <= i.seq
order by c.object_id, c.seq
"""

# Used for the few records that requests for information refer to.
CHANGES_UNTIL = """
select c.object_id, c.seq, c.status_after, c.facts::text as facts, c.occurred_at
from unnest($2::uuid[], $3::timestamptz[]) as i (object_id, occurred_at)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.occurred_at <= i.occurred_at
order by c.object_id, c.seq
"""

_decode = msgspec.json.Decoder(dict[str, Any]).decode

_SOURCE, _DESTINATION = "source_units", "destination_units"


class StoredChange(NamedTuple):
    """Change of a record: its status and its facts after the change."""

    seq: int
    status: str
    facts: Mapping[str, Any]
    at: datetime


async def find_at_versions(
    database: Database, org_id: UUID, keys: Sequence[tuple[UUID, int]]
) -> Sequence[Transfer | None]:
    """Return each (record, version) as it was at that version, in order; None for an unknown one.

    `due_at` is always None, because due times are part of no change. Costs two statements for any
    number of records; past changes never change between them.
    """
    last: dict[UUID, int] = {}
    for each, seq in keys:
        last[each] = max(seq, last.get(each, 0))
    known, changes = await _records_and_changes(database, org_id, CHANGES, last)
    return [
        _record_at(known.get(each), [one for one in changes.get(each, ()) if one.seq <= seq])
        for each, seq in keys
    ]


async def find_at_moments(
    database: Database, org_id: UUID, keys: Sequence[tuple[UUID, datetime]]
) -> Sequence[Transfer | None]:
    """Return each (record, moment) as it was after the changes up to and including that moment."""
    last: dict[UUID, datetime] = {}
    for each, at in keys:
        last[each] = max(at, last.get(each, at))
    known, changes = await _records_and_changes(database, org_id, CHANGES_UNTIL, last)
    return [
        _record_at(known.get(each), [one for one in changes.get(each, ()) if one.at <= at])
        for each, at in keys
    ]


def amount_facts(source: Money, destination: Money) -> dict[str, int]:
    """Return both amounts as facts, for a flow that replaces amounts (details and changes)."""
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


async def _records_and_changes(
    database: Database, org_id: UUID, statement: str, last: Mapping[UUID, Any]
) -> tuple[Mapping[UUID, Transfer], Mapping[UUID, Sequence[StoredChange]]]:
    """Return these records, and their changes up to a number or moment for each, oldest first."""
    if not last:
        return {}, {}
    known = await database.single(
        lambda tx: record_store.get_batch(tx, [(org_id, each) for each in last])
    )
    rows = await database.single(
        lambda tx: tx.fetch(statement, org_id, list(last), list(last.values()))
    )
    changes: defaultdict[UUID, list[StoredChange]] = defaultdict(list)
    for row in rows:
        facts = {} if row["facts"] is None else _decode(row["facts"])
        changes[row["object_id"]].append(
            StoredChange(row["seq"], row["status_after"], facts, row["occurred_at"])
        )
    return {each.id: each for each in known if each is not None}, changes


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
