"""The reads of what changes have told of records: only what makes a record of the past."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from landbridge.db.pool import Row, Tx

TOLD = """
select c.object_id, c.seq, c.status_after, c.facts::text as facts, c.at
from unnest($2::uuid[], $3::integer[]) as i (object_id, seq)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.seq <= i.seq
order by c.object_id, c.seq
"""

# Of the few records that requests for information ask about.
TOLD_AT = """
select c.object_id, c.seq, c.status_after, c.facts::text as facts, c.at
from unnest($2::uuid[], $3::timestamptz[]) as i (object_id, at)
join changes c on c.org_id = $1 and c.object_id = i.object_id and c.at <= i.at
order by c.object_id, c.seq
"""

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class Told(NamedTuple):
    """What a change has told of its record."""

    seq: int
    status: str
    facts: Mapping[str, Any]
    at: datetime


async def told(tx: Tx, org_id: UUID, wanted: Mapping[UUID, int]) -> Mapping[UUID, Sequence[Told]]:
    """The changes of these records, each up to a number, oldest first."""
    if not wanted:
        return {}
    return _by_record(await tx.fetch(TOLD, org_id, *_columns(wanted.items())))


async def told_at(
    tx: Tx, org_id: UUID, wanted: Mapping[UUID, datetime]
) -> Mapping[UUID, Sequence[Told]]:
    """The changes of these records, each up to a moment, oldest first."""
    if not wanted:
        return {}
    return _by_record(await tx.fetch(TOLD_AT, org_id, *_columns(wanted.items())))


def _columns(pairs: Collection[tuple[UUID, Any]]) -> tuple[list[UUID], list[Any]]:
    return [each for each, _ in pairs], [last for _, last in pairs]


def _by_record(rows: Sequence[Row]) -> Mapping[UUID, Sequence[Told]]:
    found: defaultdict[UUID, list[Told]] = defaultdict(list)
    for row in rows:
        facts = row["facts"]
        found[row["object_id"]].append(
            Told(
                row["seq"], row["status_after"], {} if facts is None else _decode(facts), row["at"]
            )
        )
    return found
