"""Every statement on bank_payments."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.payments.bank_files.model import BankPayment, BankPaymentStatus
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.rails.currencies import FIAT_ASSETS

# Payments with one trace number that a search returns at most: numbers repeat after ten million.
_TRACES_MAX = 10

_ADD = """
insert into bank_payments (
    org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, sealed_order, version, queued_at, due_at,
    updated_at
)
values (
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'QUEUED', $14, 1, $15, $16, $15
)
on conflict (org_id, key) do nothing
returning version
"""

_FIND = """
select org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, reason, file_id, sealed_order, version,
    queued_at, due_at, closes_at, updated_at
from bank_payments
where org_id = $1 and key = $2
"""

_LOCK = """
select org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, reason, file_id, sealed_order, version,
    queued_at, due_at, closes_at, updated_at
from bank_payments
where org_id = $1 and key = $2
for update
"""

_FIND_TRACE = """
select org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, reason, file_id, sealed_order, version,
    queued_at, due_at, closes_at, updated_at
from bank_payments
where org_id = $1 and trace_number = $2
order by queued_at desc
limit $3
"""

_OF_FILE = """
select org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, reason, file_id, sealed_order, version,
    queued_at, due_at, closes_at, updated_at
from bank_payments
where org_id = $1 and file_id = $2
order by file_position
"""

# Used in the sandbox only.
_OF_RECORD = """
select org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, reason, file_id, sealed_order, version,
    queued_at, due_at, closes_at, updated_at
from bank_payments
where org_id = $1 and record_id = $2 and file_id is not null and not is_prenote
order by queued_at desc
limit 1
"""

_WAITING_FOR = """
select org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, trace_number, status, reason, file_id, sealed_order, version,
    queued_at, due_at, closes_at, updated_at
from bank_payments
where org_id = $1 and account_id = $2 and status = 'QUEUED' and payee_digest = $3
    and not is_prenote and format = 'nacha'
order by key
for update
"""

# Format, rail and speed of the next file: those of the payment that has been due the longest. A
# payment that waits for a prenote stays out until the prenote's response window is over, however
# late the prenote was delivered.
_DUE_GROUP = """
select p.format, p.rail, p.is_same_day
from bank_payments p
where p.org_id = $1 and p.account_id = $2 and p.status = 'QUEUED'
    and ($4::boolean or p.due_at <= $3)
    and (p.is_prenote or not exists (
        select from bank_payments q
        where q.org_id = p.org_id and q.account_id = p.account_id
            and q.payee_digest = p.payee_digest and q.is_prenote
            and q.status in ('QUEUED', 'WRITTEN') and (q.closes_at is null or q.closes_at > $3)
    ))
    and p.key <> all($5::uuid[])
order by p.due_at
limit 1
"""

_DUE = """
select p.org_id, p.key, p.account_id, p.record_id, p.returned_payment_id, p.asset, p.units,
    p.rail, p.format,
    p.is_same_day, p.is_prenote, p.payee_digest, p.trace_number, p.status, p.reason, p.file_id,
    p.sealed_order, p.version, p.queued_at, p.due_at, p.closes_at, p.updated_at
from bank_payments p
where p.org_id = $1 and p.account_id = $2 and p.status = 'QUEUED'
    and ($4::boolean or p.due_at <= $3)
    and (p.is_prenote or not exists (
        select from bank_payments q
        where q.org_id = p.org_id and q.account_id = p.account_id
            and q.payee_digest = p.payee_digest and q.is_prenote
            and q.status in ('QUEUED', 'WRITTEN') and (q.closes_at is null or q.closes_at > $3)
    ))
    and p.key <> all($5::uuid[])
    and p.format = $6 and p.rail = $7 and p.is_same_day = $8
order by p.due_at, p.queued_at
limit $9
for update of p
"""

_TAKEN = """
update bank_payments p
set status = 'WRITTEN', file_id = $2, file_position = i.file_position, updated_at = $5
from unnest($3::uuid[], $4::integer[]) as i (key, file_position)
where p.org_id = $1 and p.key = i.key and p.status = 'QUEUED'
"""

_CLOSE_AT = """
update bank_payments set closes_at = case when is_prenote then $4::timestamptz else $3 end
where org_id = $1 and file_id = $2
"""

_NEXT_DUE = """
select min(due_at) from bank_payments
where org_id = $1 and status = 'QUEUED' and due_at > $2 and due_at <= $3
"""

_BLANK = """
update bank_payments set sealed_order = null
where org_id = $1 and file_id = $2 and sealed_order is not null
"""

# The status is checked, so that only one of two concurrent calls ends a payment. A payment in a
# file without content can't have been paid or rejected.
_END = """
update bank_payments p
set status = $3, reason = $4, updated_at = $5, sealed_order = null, version = version + 1
where p.org_id = $1 and p.key = $2 and p.status = any($6::text[])
    and (p.file_id is null or exists (
        select from bank_outbound_files f
        where f.org_id = p.org_id and f.id = p.file_id and f.digest is not null
    ))
returning version
"""

# Adds a failed payment that is never put into a file; does nothing if the key has a payment.
_ADD_WITHHELD = """
insert into bank_payments (
    org_id, key, account_id, record_id, returned_payment_id, asset, units, rail, format,
    is_same_day,
    is_prenote, payee_digest, status, reason, version, queued_at, due_at, updated_at
)
values ($1, $2, $3, $4, $4, $5, $6, $7, 'pain.001', false, false, '', 'FAILED', $8, 1, $9, $9, $9)
on conflict (org_id, key) do nothing
returning version
"""

# A debit is that of a payment or of its whole file. A smaller one, such as a charge, paid nothing.
_BOOKED_FAILURES = """
select distinct p.record_id
from bank_payments p
join statement_lines l on l.org_id = p.org_id and l.payment_key = any(array[p.key, p.file_id])
where p.org_id = $1 and p.record_id = any($2::uuid[]) and p.status = 'FAILED'
    and l.kind = 'DEBIT' and l.status = 'UNMATCHED' and l.units >= p.units
"""

_COUNTS = """
select status, count(*) as count, coalesce(sum(units), 0) as units, min(due_at) as first_due_at
from bank_payments
where org_id = $1 and account_id = $2
group by status
"""


async def add(tx: Tx, payment: BankPayment) -> bool:
    """Queue a payment; False if its key was used before."""
    added = await write_row(
        tx,
        _ADD,
        payment,
        returned_payment_id=payment.returns,
        asset=payment.money.asset.code,
        units=payment.money.units,
    )
    return added is not None


async def find(tx: Tx, org_id: UUID, key: UUID) -> BankPayment | None:
    """Return the payment with this key; None if there is none."""
    row = await tx.fetchrow(_FIND, org_id, key)
    return None if row is None else _payment(row)


async def lock(tx: Tx, org_id: UUID, key: UUID) -> BankPayment | None:
    """Return the payment with this key, locked until the transaction ends; None if none."""
    row = await tx.fetchrow(_LOCK, org_id, key)
    return None if row is None else _payment(row)


async def find_trace(tx: Tx, org_id: UUID, trace_number: str) -> Sequence[BankPayment]:
    """Return the payments with this trace number, newest first."""
    return [_payment(row) for row in await tx.fetch(_FIND_TRACE, org_id, trace_number, _TRACES_MAX)]


async def list_by_file(tx: Tx, org_id: UUID, file_id: UUID) -> Sequence[BankPayment]:
    """Return the payments of a file, in order."""
    return [_payment(row) for row in await tx.fetch(_OF_FILE, org_id, file_id)]


async def find_by_record(tx: Tx, org_id: UUID, record_id: UUID) -> BankPayment | None:
    """Return the last payment of a record, or of a returned deposit, that was put into a file."""
    row = await tx.fetchrow(_OF_RECORD, org_id, record_id)
    return None if row is None else _payment(row)


async def list_waiting(
    tx: Tx, org_id: UUID, account_id: UUID, payee_digest: bytes
) -> Sequence[BankPayment]:
    """Return queued ACH payments to this payee's account, locked until the transaction ends."""
    return [_payment(row) for row in await tx.fetch(_WAITING_FOR, org_id, account_id, payee_digest)]


async def list_due(
    tx: Tx,
    org_id: UUID,
    account_id: UUID,
    *,
    at: datetime,
    is_early: bool,
    limit: int,
    skip: Collection[UUID],
) -> Sequence[BankPayment]:
    """Return at most `limit` payments for the next file, locked; `skip` excludes some keys.

    `is_early` includes payments that are not due yet.
    """
    those = (org_id, account_id, at, is_early, list(skip))
    group = await tx.fetchrow(_DUE_GROUP, *those)
    if group is None:
        return []
    kind = (group["format"], group["rail"], group["is_same_day"])
    return [_payment(row) for row in await tx.fetch(_DUE, *those, *kind, limit)]


async def assign_to_file(
    tx: Tx, org_id: UUID, file_id: UUID, keys: Collection[UUID], at: datetime
) -> None:
    """Put queued payments into a file, in this order."""
    indexes = list(range(1, len(keys) + 1))
    await tx.execute(_TAKEN, org_id, file_id, list(keys), indexes, at)


async def close_at(
    tx: Tx, org_id: UUID, file_id: UUID, *, closes_at: datetime, prenotes_at: datetime
) -> None:
    """Set the end of the return window of a file's payments and prenotes."""
    await tx.execute(_CLOSE_AT, org_id, file_id, closes_at, prenotes_at)


async def next_due(tx: Tx, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
    """Return the first due time of an organisation's payments in this range; None if none."""
    return await tx.fetchval(_NEXT_DUE, org_id, after, until)


async def delete_orders(tx: Tx, org_id: UUID, file_id: UUID) -> None:
    """Delete the orders of a file's payments: the file contains them."""
    await tx.execute(_BLANK, org_id, file_id)


async def end(
    tx: Tx,
    payment: BankPayment,
    *,
    status: BankPaymentStatus,
    reason: str | None,
    at: datetime,
    before: Collection[BankPaymentStatus],
) -> int | None:
    """End a payment with one of the statuses `before`.

    Return its new version; None if it has no such status any more.
    """
    return await tx.fetchval(_END, payment.org_id, payment.key, status, reason, at, list(before))


async def add_withheld(
    tx: Tx,
    org_id: UUID,
    key: UUID,
    *,
    account_id: UUID,
    incoming_payment_id: UUID,
    money: Money,
    rail: str,
    reason: str,
    at: datetime,
) -> bool:
    """Add a failed payment for the return of an incoming payment; False if its key is used."""
    added = await tx.fetchval(
        _ADD_WITHHELD,
        org_id,
        key,
        account_id,
        incoming_payment_id,
        money.asset.code,
        money.units,
        rail,
        reason,
        at,
    )
    return added is not None


async def list_booked_failures(tx: Tx, org_id: UUID, record_ids: Collection[UUID]) -> set[UUID]:
    """Return those of these records of which the bank has booked a failed payment.

    Not those of which a reviewer has resolved all such lines.
    """
    rows = await tx.fetch(_BOOKED_FAILURES, org_id, list(record_ids))
    return {row["record_id"] for row in rows}


async def counts(tx: Tx, org_id: UUID, account_id: UUID) -> Mapping[BankPaymentStatus, Row]:
    """Return `count`, `units` and `first_due_at` of an account's payments, by status."""
    return {
        BankPaymentStatus(row["status"]): row for row in await tx.fetch(_COUNTS, org_id, account_id)
    }


def _payment(row: Row) -> BankPayment:
    money = Money(int(row["units"]), FIAT_ASSETS[row["asset"]])
    return read_row(row, BankPayment, money=money, returns=row["returned_payment_id"])
