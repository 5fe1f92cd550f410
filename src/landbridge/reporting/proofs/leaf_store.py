"""Reads the content of leaves: changes with their entries, in log order."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from landbridge.platform.changes.model import LogPosition
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.reporting.proofs.model import LoggedChange, LoggedEntry, RecordOpening

# Returns changes after a position, with the record at its first change. The digest of a payload
# snapshot remains when the snapshot is removed.
_READ = """
select c.object_id, c.seq, c.place, c.kind, c.change_type, c.status_before,
    c.status_after, c.actor, c.facts::text as facts, c.occurred_at, c.is_settled,
    coalesce(c.snapshot_digest, sha256(c.sealed_snapshot)) as snapshot_digest,
    t.user_id, t.request_id, t.source_asset, t.source_units::text as source_units,
    t.destination_asset, t.destination_units::text as destination_units,
    t.details::text as details
from (
    select l.org_id, l.object_id, l.seq, b.place, l.kind, l.change_type, l.status_before,
        l.status_after, l.actor, l.facts, l.occurred_at, l.is_settled, l.snapshot_digest,
        l.sealed_snapshot
    from change_batches b
    join changes l on l.org_id = b.org_id and l.batch = b.number
    where b.org_id = $1 and b.place >= $2 and (b.place, l.object_id, l.seq) > ($2, $3, $4)
    order by b.place, l.object_id, l.seq
    limit $5
) c
left join transfers t on t.org_id = c.org_id and t.id = c.object_id and c.seq = 1
order by c.place, c.object_id, c.seq
"""

_ENTRIES = """
select e.transfer_id, e.seq, e.line, e.account_id, e.role, e.asset,
    e.available::text as available, e.held::text as held, a.wallet_id
from unnest($2::uuid[], $3::integer[]) as k (object_id, seq)
join entries e on e.org_id = $1 and e.transfer_id = k.object_id and e.seq = k.seq
left join accounts a on a.org_id = e.org_id and a.id = e.account_id
order by e.transfer_id, e.seq, e.line
"""


async def read(tx: Tx, org_id: UUID, after: LogPosition, limit: int) -> list[LoggedChange]:
    """Return the changes after a position with their entries, at most `limit`."""
    rows = await tx.fetch(_READ, org_id, after.place, after.object_id, after.seq, limit)
    keys = [(row["object_id"], row["seq"]) for row in rows]
    entries: defaultdict[tuple[UUID, int], list[LoggedEntry]] = defaultdict(list)
    for row in await tx.fetch(
        _ENTRIES, org_id, [object_id for object_id, _ in keys], [seq for _, seq in keys]
    ):
        entries[row["transfer_id"], row["seq"]].append(_entry(row))
    return [_change(row, entries.get(key, ())) for row, key in zip(rows, keys, strict=True)]


def _entry(row: Row) -> LoggedEntry:
    account_id = row["account_id"]
    return LoggedEntry(
        account=f"{row['role']}/{row['asset']}" if account_id is None else str(account_id),
        wallet_id=row["wallet_id"],
        asset=row["asset"],
        available=int(row["available"]),
        held=int(row["held"]),
    )


def _change(row: Row, entries: Sequence[LoggedEntry]) -> LoggedChange:
    return read_row(
        row,
        LoggedChange,
        position=LogPosition(row["place"], row["object_id"], row["seq"]),
        opening=None if row["user_id"] is None else _opening(row),
        entries=tuple(entries),
    )


def _opening(row: Row) -> RecordOpening:
    return read_row(
        row,
        RecordOpening,
        source_units=int(row["source_units"]),
        destination_units=int(row["destination_units"]),
    )
