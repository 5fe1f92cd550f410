"""SQL on statement lines and bank statements, for the reconciliation of banks with the ledger.

The worker or a reviewer may match a line after reconciliation has counted it. Each change of a line
raises its version, and reconciliation counts the line again until it has counted that version.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

from landbridge.payments.bank_files.model import BankFileFormat
from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLineKind,
)
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row

# Locks the lines, so that none changes before it is marked as counted. Lines that another
# transaction has locked are skipped until the next run.
_UNCOUNTED = """
select l.id, l.version, l.kind, l.units, l.resolution, l.counted_version, l.counted_reference,
    p.record_id, p.returned_payment_id, p.key is null as is_of_file, f.id as sent_file_id,
    f.name as file_name, f.count as file_count, f.format,
    coalesce(
        l.incoming_payment_id::text, t.facts ->> 'incoming_payment_id',
        t.details ->> 'incoming_payment_id', l.transfer_id::text
    ) as deposit_id,
    exists (
        select from statement_lines b where b.org_id = l.org_id and b.payment_key = p.file_id
    ) as is_file_booked
from statement_lines l
join bank_inbound_files i on i.org_id = l.org_id and i.id = l.file_id
left join bank_payments p on p.org_id = l.org_id and p.key = l.payment_key
left join bank_outbound_files f
    on f.org_id = l.org_id and f.id = coalesce(p.file_id, l.payment_key)
left join transfers t on t.org_id = l.org_id and t.id = l.transfer_id
where l.org_id = $1 and l.account_id = $2 and l.kind in ('DEBIT', 'CREDIT')
    and l.counted_version is distinct from l.version and i.ingested_at is not null
order by l.created_at, l.id
limit $3
for update of l skip locked
"""

_HAS_UNCOUNTED = """
select exists (
    select from statement_lines l
    join bank_inbound_files i on i.org_id = l.org_id and i.id = l.file_id
    where l.org_id = $1 and l.account_id = $2 and l.kind in ('DEBIT', 'CREDIT')
        and l.counted_version is distinct from l.version and i.ingested_at is not null
)
"""

_IS_UNCOUNTED = """
select l.counted_version is distinct from l.version
from statement_lines l
where l.org_id = $1 and l.id = $2
"""

_MARK = """
update statement_lines l
set counted_version = n.version, counted_reference = n.reference
from unnest($2::uuid[], $3::integer[], $4::text[]) as n (id, version, reference)
where l.org_id = $1 and l.id = n.id
"""

_RETURNS = """
select file_id, returned_payment_id, sum(units) as units
from bank_payments
where org_id = $1 and file_id = any($2::uuid[]) and returned_payment_id is not null
group by file_id, returned_payment_id
order by file_id, returned_payment_id
"""

# A bank may write any time into a statement, so a time after the file was read is not trusted.
_LATEST = """
select s.statement_id, s.number, s.closing_units, s.closing_on,
    least(s.created_at, i.started_at) as created_at
from bank_statements s
join bank_inbound_files i on i.org_id = s.org_id and i.id = s.file_id
where s.org_id = $1 and s.account_id = $2 and s.closing_units is not null
order by least(s.created_at, i.started_at) desc, s.number desc nulls last, s.statement_id desc
limit 1
"""

# Difference between a statement's opening balance and the closing balance of the statement before
# it; 0 if the opening balance equals a balance of any earlier statement. Only statements that were
# ingested after $3.
_GAPS = """
with placed as (
    select s.statement_id, s.file_id, s.opening_units, s.closing_units,
        row_number() over in_order as place,
        lag(s.closing_units) over in_order as ended_units
    from bank_statements s
    where s.org_id = $1 and s.account_id = $2
        and s.opening_units is not null and s.closing_units is not null
    window in_order as (order by s.created_at, s.number nulls first, s.statement_id)
)
select n.statement_id,
    case when exists (
        select from placed e
        where e.place < n.place and n.opening_units in (e.closing_units, e.opening_units)
    ) then 0 else n.opening_units - n.ended_units end as units
from placed n
join bank_inbound_files i on i.org_id = $1 and i.id = n.file_id
where n.ended_units is not null and i.ingested_at > $3
order by n.place
"""

# End of the return window of each ACH file, and whether one of its payments is still at the bank.
_ACH_FILES = """
select f.name, max(p.closes_at) as closes_at, bool_or(p.status = 'WRITTEN') as is_open
from bank_outbound_files f
join bank_payments p on p.org_id = f.org_id and p.file_id = f.id
where f.org_id = $1 and f.name = any($2::text[]) and f.format = 'nacha'
group by f.name
"""

# Payouts at the bank that no statement line reports. ACH payouts are left out, because they settle
# without a line of their own, and so are returns of deposits, which are compared as the deposit.
_WITHOUT_LINE = """
select p.record_id, p.units, p.rail, f.delivered_at
from bank_payments p
join bank_outbound_files f on f.org_id = p.org_id and f.id = p.file_id
where p.org_id = $1 and p.account_id = $2 and p.status = 'WRITTEN' and p.format = 'pain.001'
    and p.returned_payment_id is null and f.delivered_at is not null
    and not exists (
        select from statement_lines l
        where l.org_id = p.org_id and l.payment_key in (p.key, p.file_id)
            and l.kind in ('DEBIT', 'CREDIT')
    )
order by p.record_id
"""

_LINES = """
select l.id, l.status in ('NEW', 'UNMATCHED') as is_waiting
from statement_lines l
where l.org_id = $1 and l.id = any($2::uuid[])
"""

_SIGNS: Final = {StatementLineKind.CREDIT: 1, StatementLineKind.DEBIT: -1}


@dataclass(frozen=True, slots=True, kw_only=True)
class BankMovement:
    """Money that a statement line has moved; `units` are positive for money into the account.

    `reference` is the id of the transfer record that the money pays, the id of the deposit, the
    name of the outbound file, or else the id of the line.
    """

    reference: str
    units: int
    record_id: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UncountedLine:
    """Line with a version that reconciliation has not counted.

    `movements` are to be counted; `taken_back` were counted for an earlier version and are to be
    subtracted. `reference` is that of the first movement; None if the line repeats another line.
    """

    id: UUID
    version: int
    reference: str | None
    movements: Sequence[BankMovement]
    taken_back: Sequence[BankMovement]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosingBalance:
    """Closing balance of an account's latest statement."""

    statement_id: str
    number: int | None
    units: int
    created_at: datetime
    closing_on: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnbookedPayout:
    """Payout delivered to the bank at `delivered_at` that no statement line reports."""

    record_id: UUID
    units: int
    rail: str
    delivered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AchFile:
    """ACH file: end of its return window, and whether one of its payments is still at the bank."""

    closes_at: datetime | None
    is_open: bool


async def lock_uncounted(
    tx: Tx, org_id: UUID, account_id: UUID, *, limit: int
) -> list[UncountedLine]:
    """Return at most `limit` uncounted lines of an account, locked until the transaction ends."""
    rows = await tx.fetch(_UNCOUNTED, org_id, account_id, limit)
    file_ids = [row["sent_file_id"] for row in rows if row["is_of_file"] and row["sent_file_id"]]
    returns: dict[UUID, list[Row]] = {}
    for each in await tx.fetch(_RETURNS, org_id, file_ids) if file_ids else ():
        returns.setdefault(each["file_id"], []).append(each)
    return [_uncounted(row, returns.get(row["sent_file_id"], ())) for row in rows]


async def has_uncounted(tx: Tx, org_id: UUID, account_id: UUID) -> bool:
    """Return whether an account has lines with a version that reconciliation has not counted."""
    return bool(await tx.fetchval(_HAS_UNCOUNTED, org_id, account_id))


async def is_uncounted(tx: Tx, org_id: UUID, line_id: UUID) -> bool:
    """Return whether the line has a version that reconciliation has not counted."""
    return bool(await tx.fetchval(_IS_UNCOUNTED, org_id, line_id))


async def mark_counted(tx: Tx, org_id: UUID, lines: Sequence[UncountedLine]) -> None:
    """Record that reconciliation has counted the current version of these locked lines."""
    await tx.execute(
        _MARK,
        org_id,
        [each.id for each in lines],
        [each.version for each in lines],
        [each.reference for each in lines],
    )


async def find_closing_balance(tx: Tx, org_id: UUID, account_id: UUID) -> ClosingBalance | None:
    """Return the latest closing balance of an account, ordered by the times in its statements."""
    row = await tx.fetchrow(_LATEST, org_id, account_id)
    if row is None:
        return None
    return read_row(row, ClosingBalance, units=int(row["closing_units"]))


async def gaps(tx: Tx, org_id: UUID, account_id: UUID, *, since: datetime) -> Mapping[str, int]:
    """Return the gap before each statement ingested after `since`, in smallest units; mostly 0."""
    rows = await tx.fetch(_GAPS, org_id, account_id, since)
    return {row["statement_id"]: int(row["units"]) for row in rows}


async def unbooked_payouts(tx: Tx, org_id: UUID, account_id: UUID) -> list[UnbookedPayout]:
    """Return the payouts at the bank that no statement line reports, without ACH payouts."""
    rows = await tx.fetch(_WITHOUT_LINE, org_id, account_id)
    return [read_row(row, UnbookedPayout, units=int(row["units"])) for row in rows]


async def ach_files(tx: Tx, org_id: UUID, names: Collection[str]) -> Mapping[str, AchFile]:
    """Return the ACH files among the files with these names, by name."""
    rows = await tx.fetch(_ACH_FILES, org_id, list(names))
    return {
        row["name"]: AchFile(closes_at=row["closes_at"], is_open=row["is_open"]) for row in rows
    }


async def waiting_lines(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> Mapping[UUID, bool]:
    """Return, by id, whether each of these lines waits for the worker or for a reviewer."""
    return {row["id"]: row["is_waiting"] for row in await tx.fetch(_LINES, org_id, list(ids))}


def _uncounted(row: Row, returns: Sequence[Row]) -> UncountedLine:
    units = int(row["units"]) * _SIGNS[StatementLineKind(row["kind"])]
    found, before = _movements(row, units, returns), row["counted_reference"]
    is_repeated = row["resolution"] == LineResolutionKind.DUPLICATE
    reference = None if is_repeated else found[0].reference
    taken_back: Sequence[BankMovement] = ()
    if before is not None and before != reference:
        is_same = before == found[0].reference
        taken_back = found if is_same else [BankMovement(reference=before, units=units)]
    return UncountedLine(
        id=row["id"],
        version=row["version"],
        reference=reference,
        movements=() if is_repeated or before == reference else found,
        taken_back=taken_back,
    )


def _movements(row: Row, units: int, returns: Sequence[Row]) -> list[BankMovement]:
    """Return the movements of a line.

    The line of a whole file has one per returned deposit, and one for the rest of the file.
    """
    if row["is_of_file"] and row["sent_file_id"] is not None:
        sign = 1 if units > 0 else -1
        parts = [
            BankMovement(
                reference=str(each["returned_payment_id"]), units=sign * int(each["units"])
            )
            for each in returns
        ]
        rest = units - sum(each.units for each in parts)
        return [BankMovement(reference=row["file_name"], units=rest), *parts]
    record_id: UUID | None = None
    reference = str(row["id"])
    if row["record_id"] is None:
        reference = row["deposit_id"] or reference
    elif row["returned_payment_id"] is not None:
        reference = str(row["returned_payment_id"])
    elif row["format"] == BankFileFormat.NACHA or row["is_file_booked"]:
        reference = row["file_name"]
        record_id = row["record_id"] if row["file_count"] == 1 else None
    else:
        reference, record_id = str(row["record_id"]), row["record_id"]
    return [BankMovement(reference=reference, units=units, record_id=record_id)]
