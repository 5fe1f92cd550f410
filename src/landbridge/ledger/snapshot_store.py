"""Reads of changes for snapshots: only the columns that a record of the past needs."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from landbridge.platform.db.pool import Row, Tx

CHANGES = """
select c.object_id, c.seq, c.status_after, c.facts::text as facts, c.occurred_at
from unnest($2::uuid[], $3::integer[]) as i (object_id, seq)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.seq <= i.seq
order by c.object_id, c.seq
"""

# For the few records that requests for information refer to.
CHANGES_UNTIL = """
select c.object_id, c.seq, c.status_after, c.facts::text as facts, c.occurred_at
from unnest($2::uuid[], $3::timestamptz[]) as i (object_id, occurred_at)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.occurred_at <= i.occurred_at
order by c.object_id, c.seq
"""

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class StoredChange(NamedTuple):
    """Content of a change: the record's status and facts after it."""

    seq: int
    status: str
    facts: Mapping[str, Any]
    at: datetime


async def find_changes(
    tx: Tx, org_id: UUID, keys: Mapping[UUID, int]
) -> Mapping[UUID, Sequence[StoredChange]]:
    """Return the changes of these records, each up to a number, oldest first."""
    if not keys:
        return {}
    return _by_record(await tx.fetch(CHANGES, org_id, *_columns(keys.items())))


async def find_changes_until(
    tx: Tx, org_id: UUID, keys: Mapping[UUID, datetime]
) -> Mapping[UUID, Sequence[StoredChange]]:
    """Return the changes of these records, each up to a moment, oldest first."""
    if not keys:
        return {}
    return _by_record(await tx.fetch(CHANGES_UNTIL, org_id, *_columns(keys.items())))


def _columns(pairs: Collection[tuple[UUID, Any]]) -> tuple[list[UUID], list[Any]]:
    return [each for each, _ in pairs], [last for _, last in pairs]


def _by_record(rows: Sequence[Row]) -> Mapping[UUID, Sequence[StoredChange]]:
    found: defaultdict[UUID, list[StoredChange]] = defaultdict(list)
    for row in rows:
        facts = row["facts"]
        found[row["object_id"]].append(
            StoredChange(
                row["seq"],
                row["status_after"],
                {} if facts is None else _decode(facts),
                row["occurred_at"],
            )
        )
    return found
