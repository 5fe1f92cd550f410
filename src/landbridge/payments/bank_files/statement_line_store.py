"""Every statement on statement_lines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLineFields,
    StatementLineKind,
    StatementLineStatus,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import column_arrays, read_row
from landbridge.providers.rails.currencies import FIAT_ASSETS

_ADD = """
insert into statement_lines (
    org_id, id, account_id, file_id, fingerprint, source, kind, asset, units, booked_on, status,
    reason, sealed_texts, priority, version, created_at, updated_at
)
select $1, i.id, $2, $3, i.fingerprint, i.source, i.kind, $4, i.units, i.booked_on, i.status,
    i.reason, i.sealed_texts, i.priority, 1, i.created_at, i.created_at
from unnest(
    $5::uuid[], $6::bytea[], $7::bytea[], $8::text[], $9::numeric[], $10::date[], $11::text[],
    $12::text[], $13::bytea[], $14::smallint[], $15::timestamptz[]
) as i (
    id, fingerprint, source, kind, units, booked_on, status, reason, sealed_texts, priority,
    created_at
)
on conflict do nothing
returning fingerprint
"""

# Statement or file in which each of these lines was first contained.
_SOURCES = """
select fingerprint, source
from statement_lines
where org_id = $1 and account_id = $2 and fingerprint = any($3::bytea[])
"""

_GET = """
select org_id, id, account_id, file_id, kind, asset, units, booked_on, status, reason, payment_key,
    incoming_payment_id, transfer_id, sealed_texts, resolution, resolved_by, priority, version,
    created_at,
    updated_at
from statement_lines
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, account_id, file_id, kind, asset, units, booked_on, status, reason, payment_key,
    incoming_payment_id, transfer_id, sealed_texts, resolution, resolved_by, priority, version,
    created_at,
    updated_at
from statement_lines
where org_id = $1 and id = $2
for update
"""

# New lines of files that are fully stored; returns come first, because they are applied first.
_NEW = """
select l.org_id, l.id, l.account_id, l.file_id, l.kind, l.asset, l.units, l.booked_on, l.status,
    l.reason, l.payment_key, l.incoming_payment_id, l.transfer_id, l.sealed_texts, l.resolution,
    l.resolved_by, l.priority, l.version, l.created_at, l.updated_at
from statement_lines l
join bank_inbound_files a on a.org_id = l.org_id and a.id = l.file_id
where l.org_id = any($1::uuid[]) and l.status = 'NEW' and a.ingested_at is not null
    and not (l.id = any($2::uuid[]))
order by l.priority, l.created_at
limit $3
"""

_QUEUE = """
select org_id, id, account_id, file_id, kind, asset, units, booked_on, status, reason, payment_key,
    incoming_payment_id, transfer_id, sealed_texts, resolution, resolved_by, priority, version,
    created_at,
    updated_at
from statement_lines
where org_id = $1 and status = any($2::text[]) and (created_at, id) > ($3, $4)
    and created_at < $5
order by created_at, id
limit $6
"""

# The texts of a matched line are deleted: the payment or incoming payment has its own.
_MOVE = """
update statement_lines
set status = $3, reason = $4, payment_key = $5, incoming_payment_id = $6, updated_at = $7,
    version = version + 1, sealed_texts = case when $3 = 'MATCHED' then null else sealed_texts end
where org_id = $1 and id = $2 and status = 'NEW'
returning version
"""

_RESOLVE = """
update statement_lines
set status = 'RESOLVED', resolution = $3, resolved_by = $4, sealed_texts = $5, updated_at = $6,
    version = version + 1, incoming_payment_id = $7, transfer_id = $8
where org_id = $1 and id = $2 and status = 'UNMATCHED'
returning version
"""

# A payment is booked by a line of its own, or by the line of its file. A return that lacks a bank's
# fee counts if a reviewer has resolved it.
_BOOKED = """
select count(*) filter (where kind = 'DEBIT' and priority = 1) as debit_count,
    count(*) filter (where kind = 'CREDIT' and priority = 0) as credit_count,
    count(*) filter (where kind = 'RETURN') as return_count
from statement_lines
where org_id = $1 and (
    payment_key = $2 and (units = $3 or resolution = 'RETURN')
    or payment_key = $4 and status = 'MATCHED'
)
"""

_COUNTS = """
select status, count(*) as count from statement_lines where org_id = $1
    and file_id = $2 group by status
"""

_HAS_REFUSED_FILE = """
select exists (
    select from statement_lines
    where org_id = $1 and account_id = any($2::uuid[]) and kind = 'FILE' and status = 'UNMATCHED'
)
"""

# Lines that were resolved before a time, earliest first.
_SWEEP = """
with old as (
    select r.org_id, r.id
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, until)
    cross join lateral (
        select d.org_id, d.id
        from statement_lines d
        where d.org_id = o.org_id and d.status = 'RESOLVED' and d.sealed_texts is not null
            and d.updated_at < o.until
        order by d.updated_at
        limit $3
    ) r
    limit $3
)
update statement_lines l set sealed_texts = null from old where l.org_id = old.org_id
    and l.id = old.id
returning l.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStatementLine:
    """New row of `statement_lines`; values equal for a whole file are passed separately."""

    id: UUID
    fingerprint: bytes
    source: bytes
    kind: StatementLineKind
    units: int | None
    booked_on: date | None
    status: StatementLineStatus
    reason: str | None
    sealed_texts: bytes
    rank: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedStatementLine(StatementLineFields):
    """Row of `statement_lines`, with encrypted texts."""

    sealed_texts: bytes | None
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedCounts:
    """Numbers of lines that report a payment's debits and its returns.

    An ACH return is reported twice: by a file of `returns`, and by the `credits` of a statement.
    """

    debits: int
    credits: int
    returns: int

    @property
    def net(self) -> int:
        """Debits less returns; negative if a return was reported before its debit."""
        return self.debits - max(self.credits, self.returns)


async def add(
    tx: Tx,
    org_id: UUID,
    account_id: UUID,
    file_id: UUID,
    *,
    asset_code: str,
    lines: Sequence[NewStatementLine],
) -> set[bytes]:
    """Store lines of a file; return the fingerprints of the new ones."""
    rows = await tx.fetch(
        _ADD,
        org_id,
        account_id,
        file_id,
        asset_code,
        *column_arrays(_ADD, lines, priority=[each.rank for each in lines]),
    )
    return {row["fingerprint"] for row in rows}


async def sources(
    tx: Tx, org_id: UUID, account_id: UUID, fingerprints: Collection[bytes]
) -> Mapping[bytes, bytes]:
    """Return the source (statement or file) of the lines that are stored, by fingerprint."""
    rows = await tx.fetch(_SOURCES, org_id, account_id, list(fingerprints))
    return {row["fingerprint"]: row["source"] for row in rows}


async def get(tx: Tx, org_id: UUID, line_id: UUID) -> SealedStatementLine | None:
    """Return the line with this id; None if there is none."""
    row = await tx.fetchrow(_GET, org_id, line_id)
    return None if row is None else _line(row)


async def lock(tx: Tx, org_id: UUID, line_id: UUID) -> SealedStatementLine | None:
    """Return the line with this id, locked until the transaction ends; None if there is none."""
    row = await tx.fetchrow(_LOCK, org_id, line_id)
    return None if row is None else _line(row)


async def list_new(
    tx: Tx, org_ids: Collection[UUID], *, skip: Collection[UUID], limit: int
) -> Sequence[SealedStatementLine]:
    """Return at most `limit` new lines, returns first, without those in `skip`."""
    return [_line(row) for row in await tx.fetch(_NEW, list(org_ids), list(skip), limit)]


async def queue(
    tx: Tx, org_id: UUID, statuses: Collection[StatementLineStatus], window: QueueWindow
) -> Sequence[SealedStatementLine]:
    """Return the lines with these statuses, the oldest first."""
    rows = await tx.fetch(_QUEUE, org_id, list(statuses), *window.bounds)
    return [_line(row) for row in rows]


async def move(
    tx: Tx,
    line: SealedStatementLine,
    *,
    status: StatementLineStatus,
    reason: str | None,
    payment_key: UUID | None,
    incoming_payment_id: UUID | None,
    at: datetime,
) -> int | None:
    """Set the status and match of a new line; return its version, None if it is not new."""
    return await tx.fetchval(
        _MOVE, line.org_id, line.id, status, reason, payment_key, incoming_payment_id, at
    )


async def resolve(
    tx: Tx,
    line: SealedStatementLine,
    *,
    resolution: LineResolutionKind,
    resolved_by: str,
    sealed_texts: bytes,
    incoming_payment_id: UUID | None,
    transfer_id: UUID | None,
    at: datetime,
) -> int | None:
    """Record the resolution of a line; return its version, None if it needs no review any more."""
    return await tx.fetchval(
        _RESOLVE,
        line.org_id,
        line.id,
        resolution,
        resolved_by,
        sealed_texts,
        at,
        incoming_payment_id,
        transfer_id,
    )


async def count_booked(
    tx: Tx, org_id: UUID, key: UUID, money: Money, *, file_id: UUID | None = None
) -> BookedCounts:
    """Return how often a payment, or a whole file, was booked and returned.

    `key` is the payment's key or the file's id; for a payment, `file_id` is its file.
    """
    row = await tx.fetchrow(_BOOKED, org_id, key, money.units, file_id)
    if row is None:
        raise InvariantBroken("a count has no row")
    return BookedCounts(
        debits=row["debit_count"], credits=row["credit_count"], returns=row["return_count"]
    )


async def counts(tx: Tx, org_id: UUID, file_id: UUID) -> Mapping[StatementLineStatus, int]:
    """Return how many lines that first appeared in a file are in each status."""
    rows = await tx.fetch(_COUNTS, org_id, file_id)
    return {StatementLineStatus(row["status"]): row["count"] for row in rows}


async def has_refused_file(tx: Tx, org_id: UUID, account_ids: Collection[UUID]) -> bool:
    """Return whether a reviewer has yet to resolve an unreadable file of these accounts."""
    return bool(await tx.fetchval(_HAS_REFUSED_FILE, org_id, list(account_ids)))


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Delete the texts of at most `limit` old lines; return how many lines that were.

    `until` has for each organisation the time before which its lines were resolved.
    """
    return len(await tx.fetch(_SWEEP, list(until), list(until.values()), limit))


def _line(row: Row) -> SealedStatementLine:
    asset, units = FIAT_ASSETS[row["asset"]], row["units"]
    money = None if units is None else Money(int(units), asset)
    return read_row(
        row, SealedStatementLine, currency=asset.currency, money=money, rank=row["priority"]
    )
