"""Reads records with their changes and entries, one record after the other, for the audit.

Three cursors advance side by side over one snapshot, each ordered by record id, so memory use
does not grow with the number of records.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from landbridge.ledger.audit_rules import RecordChange
from landbridge.ledger.model import HouseRole, Transfer
from landbridge.platform.db.pool import Cursor, Row, Tx

RECORDS = """
select org_id, id, kind, user_id, request_id, request::text as request, status, version,
    source_asset, source_units, destination_asset, destination_units, details::text as details,
    facts::text as facts, due_at, created_at, updated_at
from transfers
where (org_id = $1 or $1::uuid is null) and kind = any ($2::text[])
order by org_id, id
"""

CHANGES = """
select org_id, object_id as id, seq, change_type, status_after, actor, facts::text as facts,
    occurred_at, is_settled,
    creation_digest
from changes
where (org_id = $1 or $1::uuid is null) and kind = any ($2::text[])
order by org_id, object_id, seq
"""

ENTRIES = """
select org_id, transfer_id as id, seq, account_id, role, asset, available, held
from entries
where org_id = $1 or $1::uuid is null
order by org_id, transfer_id, seq, line
"""

# Rows that a cursor fetches at a time: enough to make round trips cheap.
FETCH_SIZE = 2_000

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class AuditedEntry(NamedTuple):
    """Line of a journal as stored."""

    seq: int
    account: UUID | HouseRole | str | None
    asset: str
    available: int
    held: int


class AuditedRecord(NamedTuple):
    """Record with all its changes and entries, each in order."""

    record: Transfer
    changes: Sequence[RecordChange]
    entries: Sequence[AuditedEntry]


async def read_records(
    tx: Tx, org_id: UUID | None, kinds: Collection[str], *, fetch_size: int = FETCH_SIZE
) -> AsyncIterator[AuditedRecord]:
    """Yield the records of these kinds, of one organisation or all."""
    names = list(kinds)
    records = await tx.cursor(RECORDS, org_id, names)
    changes = _Rows(await tx.cursor(CHANGES, org_id, names), fetch_size)
    entries = _Rows(await tx.cursor(ENTRIES, org_id), fetch_size)
    while rows := await records.fetch(fetch_size):
        for row in rows:
            key = (row["org_id"], row["id"])
            yield AuditedRecord(
                _record(row),
                [_change(each) for each in await changes.take(key)],
                [_entry(each) for each in await entries.take(key)],
            )


class _Rows:
    """Buffered rows of a cursor, read record by record in ascending order."""

    def __init__(self, cursor: Cursor, fetch_size: int) -> None:
        self._cursor = cursor
        self._fetch_size = fetch_size
        self._rows: list[Row] = []
        self._position = 0

    async def take(self, key: tuple[UUID, UUID]) -> list[Row]:
        """Return the rows of a record; rows of earlier records are skipped."""
        found: list[Row] = []
        org_id, record_id = key
        while await self._fill():
            for position in range(self._position, len(self._rows)):
                row = self._rows[position]
                if row["id"] == record_id and row["org_id"] == org_id:
                    found.append(row)
                elif (row["org_id"], row["id"]) > key:
                    self._position = position
                    return found
            self._position = len(self._rows)
        return found

    async def _fill(self) -> bool:
        """Fetch more rows once the buffer is consumed; return whether there are any."""
        if self._position == len(self._rows):
            self._rows, self._position = await self._cursor.fetch(self._fetch_size), 0
        return bool(self._rows)


def _record(row: Row) -> Transfer:
    return Transfer(
        org_id=row["org_id"],
        id=row["id"],
        kind=row["kind"],
        user_id=row["user_id"],
        request_id=row["request_id"],
        request=_decode(row["request"]),
        status=row["status"],
        version=row["version"],
        source_asset=row["source_asset"],
        source_units=int(row["source_units"]),
        destination_asset=row["destination_asset"],
        destination_units=int(row["destination_units"]),
        details=_decode(row["details"]),
        facts=_decode(row["facts"]),
        due_at=row["due_at"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _change(row: Row) -> RecordChange:
    facts: str | None = row["facts"]
    nothing: Mapping[str, Any] = {}
    return RecordChange(
        seq=row["seq"],
        change_type=row["change_type"],
        status_after=row["status_after"],
        actor=row["actor"],
        facts=nothing if facts is None else _decode(facts),
        occurred_at=row["occurred_at"],
        is_settled=row["is_settled"],
        creation_digest=row["creation_digest"],
    )


def _entry(row: Row) -> AuditedEntry:
    return AuditedEntry(
        seq=row["seq"],
        account=row["account_id"] or row["role"],
        asset=row["asset"],
        available=int(row["available"]),
        held=int(row["held"]),
    )
