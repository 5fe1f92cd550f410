"""Every statement on bank_lines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from landbridge.bank_files.line_model import LineKind, LineStatus, Resolution
from landbridge.core.errors import Broken
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.db.pool import Row, Tx
from landbridge.rails.currencies import FIAT_ASSETS

_ADD = """
insert into bank_lines (
    org_id, id, account_id, file_id, fingerprint, source, kind, asset, units, booked_on, status,
    reason, sealed_words, rank, version, created_at, updated_at
)
select $1, i.id, $2, $3, i.fingerprint, i.source, i.kind, $4, i.units, i.booked_on, i.status,
    i.reason, i.sealed_words, i.rank, 1, i.created_at, i.created_at
from unnest(
    $5::uuid[], $6::bytea[], $7::bytea[], $8::text[], $9::numeric[], $10::date[], $11::text[],
    $12::text[], $13::bytea[], $14::smallint[], $15::timestamptz[]
) as i (
    id, fingerprint, source, kind, units, booked_on, status, reason, sealed_words, rank, created_at
)
on conflict do nothing
returning fingerprint
"""

# In which statement each stands that was known before.
_SOURCES = """
select fingerprint, source
from bank_lines
where org_id = $1 and account_id = $2 and fingerprint = any($3::bytea[])
"""

_GET = """
select org_id, id, account_id, file_id, kind, asset, units, booked_on, status, reason, payment_key,
    receipt_id, transfer_id, sealed_words, resolution, resolved_by, rank, version, created_at,
    updated_at
from bank_lines
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, account_id, file_id, kind, asset, units, booked_on, status, reason, payment_key,
    receipt_id, transfer_id, sealed_words, resolution, resolved_by, rank, version, created_at,
    updated_at
from bank_lines
where org_id = $1 and id = $2
for update
"""

# What comes back goes first. Nothing of a file counts before all of it is here.
_NEW = """
select l.org_id, l.id, l.account_id, l.file_id, l.kind, l.asset, l.units, l.booked_on, l.status,
    l.reason, l.payment_key, l.receipt_id, l.transfer_id, l.sealed_words, l.resolution,
    l.resolved_by, l.rank, l.version, l.created_at, l.updated_at
from bank_lines l
join bank_answers a on a.org_id = l.org_id and a.id = l.file_id
where l.org_id = any($1::uuid[]) and l.status = 'NEW' and a.taken_at is not null
    and not (l.id = any($2::uuid[]))
order by l.rank, l.created_at
limit $3
"""

_QUEUE = """
select org_id, id, account_id, file_id, kind, asset, units, booked_on, status, reason, payment_key,
    receipt_id, transfer_id, sealed_words, resolution, resolved_by, rank, version, created_at,
    updated_at
from bank_lines
where org_id = $1 and status = any($2::text[]) and created_at >= $3 and created_at < $4
order by created_at, id
limit $5
"""

# What is matched needs no words: the payment and the receipt have their own.
_MOVE = """
update bank_lines
set status = $3, reason = $4, payment_key = $5, receipt_id = $6, updated_at = $7,
    version = version + 1, sealed_words = case when $3 = 'MATCHED' then null else sealed_words end
where org_id = $1 and id = $2 and status = 'NEW'
returning version
"""

_RESOLVE = """
update bank_lines
set status = 'RESOLVED', resolution = $3, resolved_by = $4, sealed_words = $5, updated_at = $6,
    version = version + 1, receipt_id = $7, transfer_id = $8
where org_id = $1 and id = $2 and status = 'UNMATCHED'
returning version
"""

# A payment is booked by itself, or with the file that it is in. What came back may lack a fee that
# a bank kept: a person has resolved it then.
_BOOKED = """
select count(*) filter (where kind = 'DEBIT' and rank = 1) as debit_count,
    count(*) filter (where kind = 'CREDIT' and rank = 0) as credit_count,
    count(*) filter (where kind = 'RETURN') as return_count
from bank_lines
where org_id = $1 and (
    payment_key = $2 and (units = $3 or resolution = 'RETURN')
    or payment_key = $4 and status = 'MATCHED'
)
"""

_COUNTS = """
select status, count(*) as count from bank_lines where org_id = $1 and file_id = $2 group by status
"""

# Those that were resolved before, the first first.
_SWEEP = """
with old as (
    select r.org_id, r.id
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, until)
    cross join lateral (
        select d.org_id, d.id
        from bank_lines d
        where d.org_id = o.org_id and d.status = 'RESOLVED' and d.sealed_words is not null
            and d.updated_at < o.until
        order by d.updated_at
        limit $3
    ) r
    limit $3
)
update bank_lines l set sealed_words = null from old where l.org_id = old.org_id and l.id = old.id
returning l.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLine:
    """A row to be; what is the same for all of a file is told beside it."""

    id: UUID
    fingerprint: bytes
    source: bytes
    kind: LineKind
    units: int | None
    booked_on: date | None
    status: LineStatus
    reason: str | None
    sealed_words: bytes
    rank: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedLine:
    """A row."""

    org_id: UUID
    id: UUID
    account_id: UUID
    file_id: UUID
    kind: LineKind
    currency: str
    money: Money | None
    booked_on: date | None
    status: LineStatus
    reason: str | None
    payment_key: UUID | None
    receipt_id: UUID | None
    transfer_id: UUID | None
    sealed_words: bytes | None
    resolution: Resolution | None
    resolved_by: str | None
    rank: int
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """How often lines tell that the money of a payment went, and that it came back.

    What comes back by ACH is told twice: by a file of `returns`, and by the `credits` of a
    statement.
    """

    debits: int
    credits: int
    returns: int

    @property
    def net(self) -> int:
        """How often it went and did not come back; below zero if its debit is still to be told."""
        return self.debits - max(self.credits, self.returns)


async def add(
    tx: Tx,
    org_id: UUID,
    account_id: UUID,
    file_id: UUID,
    *,
    asset_code: str,
    lines: Sequence[NewLine],
) -> set[bytes]:
    """Store lines of a file; the fingerprints of those that were not known."""
    rows = await tx.fetch(
        _ADD,
        org_id,
        account_id,
        file_id,
        asset_code,
        [each.id for each in lines],
        [each.fingerprint for each in lines],
        [each.source for each in lines],
        [each.kind for each in lines],
        [each.units for each in lines],
        [each.booked_on for each in lines],
        [each.status for each in lines],
        [each.reason for each in lines],
        [each.sealed_words for each in lines],
        [each.rank for each in lines],
        [each.created_at for each in lines],
    )
    return {row["fingerprint"] for row in rows}


async def sources(
    tx: Tx, org_id: UUID, account_id: UUID, fingerprints: Collection[bytes]
) -> Mapping[bytes, bytes]:
    """In which statement known lines stand, by their fingerprints."""
    rows = await tx.fetch(_SOURCES, org_id, account_id, list(fingerprints))
    return {row["fingerprint"]: row["source"] for row in rows}


async def get(tx: Tx, org_id: UUID, line_id: UUID) -> SealedLine | None:
    """A line."""
    row = await tx.fetchrow(_GET, org_id, line_id)
    return None if row is None else _line(row)


async def lock(tx: Tx, org_id: UUID, line_id: UUID) -> SealedLine | None:
    """A line that nobody else moves until this transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, line_id)
    return None if row is None else _line(row)


async def new(
    tx: Tx, org_ids: Collection[UUID], *, skip: Collection[UUID], limit: int
) -> Sequence[SealedLine]:
    """What is to be applied, what came back first, but for those to `skip`."""
    rows = await tx.fetch(_NEW, list(org_ids), list(skip), limit)
    return [_line(row) for row in rows]


async def queue(
    tx: Tx, org_id: UUID, statuses: Collection[LineStatus], window: Window
) -> Sequence[SealedLine]:
    """Those of these statuses, the oldest first."""
    rows = await tx.fetch(
        _QUEUE, org_id, list(statuses), window.since, window.position.created_at, window.limit
    )
    return [_line(row) for row in rows]


async def move(
    tx: Tx,
    line: SealedLine,
    *,
    status: LineStatus,
    reason: str | None,
    payment_key: UUID | None,
    receipt_id: UUID | None,
    at: datetime,
) -> int | None:
    """Move a new line on; its version then, None if somebody else has."""
    return await tx.fetchval(
        _MOVE, line.org_id, line.id, status, reason, payment_key, receipt_id, at
    )


async def resolve(
    tx: Tx,
    line: SealedLine,
    *,
    resolution: Resolution,
    resolved_by: str,
    sealed_words: bytes,
    receipt_id: UUID | None,
    transfer_id: UUID | None,
    at: datetime,
) -> int | None:
    """Note what a person made of a line; its version then, None if it waits no more."""
    return await tx.fetchval(
        _RESOLVE,
        line.org_id,
        line.id,
        resolution,
        resolved_by,
        sealed_words,
        at,
        receipt_id,
        transfer_id,
    )


async def booked(
    tx: Tx, org_id: UUID, key: UUID, money: Money, *, file_id: UUID | None = None
) -> Booked:
    """How often a payment or a file was booked so far; `file_id` is the file of a payment."""
    row = await tx.fetchrow(_BOOKED, org_id, key, money.units, file_id)
    if row is None:
        raise Broken("a count has no row")
    return Booked(
        debits=row["debit_count"], credits=row["credit_count"], returns=row["return_count"]
    )


async def counts(tx: Tx, org_id: UUID, file_id: UUID) -> Mapping[LineStatus, int]:
    """How many lines that first stood in a file have come to what."""
    rows = await tx.fetch(_COUNTS, org_id, file_id)
    return {LineStatus(row["status"]): row["count"] for row in rows}


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Blank the words of at most so many that were resolved before then; how many these were."""
    return len(await tx.fetch(_SWEEP, list(until), list(until.values()), limit))


def _line(row: Row) -> SealedLine:
    asset, units = FIAT_ASSETS[row["asset"]], row["units"]
    resolution = row["resolution"]
    return SealedLine(
        org_id=row["org_id"],
        id=row["id"],
        account_id=row["account_id"],
        file_id=row["file_id"],
        kind=LineKind(row["kind"]),
        currency=asset.currency,
        money=None if units is None else Money(int(units), asset),
        booked_on=row["booked_on"],
        status=LineStatus(row["status"]),
        reason=row["reason"],
        payment_key=row["payment_key"],
        receipt_id=row["receipt_id"],
        transfer_id=row["transfer_id"],
        sealed_words=row["sealed_words"],
        resolution=None if resolution is None else Resolution(resolution),
        resolved_by=row["resolved_by"],
        rank=row["rank"],
        version=row["version"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
