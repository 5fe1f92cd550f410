"""SQL statements on incoming_payments."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.payments.incoming_payments.model import (
    IncomingPaymentFields,
    IncomingPaymentStatus,
    OverduePayment,
)
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PagePosition, QueueWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.rails.currencies import FIAT_ASSETS

_ADD = """
insert into incoming_payments (
    org_id, id, bank_reference, account_number, asset, units, rail, status, sealed_texts, version,
    received_at, arrived_at, clears_at, updated_at, due_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
on conflict (org_id, bank_reference) do nothing
returning id
"""

_FIND_REFERENCE = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_texts, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_attempts, decided_by
from incoming_payments
where org_id = $1 and bank_reference = $2
"""

_OF = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_texts, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_attempts, decided_by
from incoming_payments
where org_id = $1 and id = any($2::uuid[])
"""

# Organisations take turns, so that many payments of one do not delay the others. The payments to
# skip are looked up by a hash, because they may be many.
_DUE = """
select r.org_id, r.id, r.bank_reference, r.account_number, r.asset, r.units, r.rail, r.status,
    r.transfer_id, r.user_id, r.sealed_texts, r.version, r.received_at, r.arrived_at, r.clears_at,
    r.updated_at, r.due_at, r.return_attempts, r.decided_by
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select d.org_id, d.id, d.bank_reference, d.account_number, d.asset, d.units, d.rail, d.status,
        d.transfer_id, d.user_id, d.sealed_texts, d.version, d.received_at, d.arrived_at,
        d.clears_at, d.updated_at, d.due_at, d.return_attempts, d.decided_by,
        row_number() over (order by d.due_at) as place
    from incoming_payments d
    where d.org_id = o.org_id and d.due_at <= o.now
        and d.id not in (select unnest($3::uuid[]))
    order by d.due_at
    limit $4
) r
order by r.place, r.due_at
limit $4
"""

# Status and version are compared, so that of two concurrent changes one succeeds.
_MATCH = """
update incoming_payments
set status = 'MATCHED', transfer_id = $3, user_id = $4, sealed_texts = $5, version = version + 1,
    updated_at = $6, due_at = null, decided_by = $7
where org_id = $1 and id = $2 and status in ('NEW', 'UNMATCHED')
returning org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id,
    user_id, sealed_texts, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_attempts, decided_by
"""

# A person's decision also writes the person, and the texts with the comment. It is valid only for
# the present attempt of the return, so the number of attempts is compared.
_MOVE = """
update incoming_payments
set status = $4, version = version + 1, updated_at = $5, due_at = $6,
    decided_by = coalesce($7, decided_by), sealed_texts = coalesce($8, sealed_texts)
where org_id = $1 and id = $2 and version = $3
    and return_attempts = coalesce($9, return_attempts)
returning org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id,
    user_id, sealed_texts, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_attempts, decided_by
"""

# The row is locked until the transaction ends.
_LOCK = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_texts, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_attempts, decided_by
from incoming_payments
where org_id = $1 and id = $2
for update
"""

# The returned payment came back: the attempts are raised, so that the next return has another key.
_REOPEN = """
update incoming_payments
set status = 'RETURNING', version = version + 1, updated_at = $3, due_at = $4,
    return_attempts = return_attempts + 1
where org_id = $1 and id = $2 and status = 'RETURNED'
"""

_REVERSE = """
update incoming_payments
set status = 'RETURNED', version = version + 1, updated_at = $3, due_at = null, decided_by = $4
where org_id = $1 and id = $2 and status in ('UNMATCHED', 'RETURNING')
"""

_QUEUE = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_texts, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_attempts, decided_by
from incoming_payments
where org_id = $1 and status = 'UNMATCHED' and (received_at, id) > ($2, $3)
    and received_at < $4
order by received_at, id
limit $5
"""

_POSTPONE = """
update incoming_payments set due_at = $4
where org_id = $1 and id = $2 and version = $3 and due_at is not null
"""

# The number of attempts is compared, so that a refusal that two workers get is counted once.
_REFUSED = """
update incoming_payments set return_attempts = return_attempts + 1, due_at = $5
where org_id = $1 and id = $2 and status = 'RETURNING' and version = $3 and return_attempts = $4
"""

_IS_ANY_NEW = """
select exists (
    select from incoming_payments
    where org_id = $1 and account_number = $2 and (status = 'NEW' or status = 'SCREENING')
        and coalesce(arrived_at, received_at) < $3
)
"""

# Small payments: `units < 100` is less than one unit of a currency with cents.
_SMALL_RETURNS = """
select count(*)
from (
    select 1
    from incoming_payments
    where org_id = $1 and status in ('RETURNING', 'RETURNED') and decided_by is null
        and units < 100 and received_at > $2
    limit $3
) r
"""

# Payments returned before the given time, oldest first.
_SWEEP = """
with old as (
    select r.org_id, r.id
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, until)
    cross join lateral (
        select d.org_id, d.id
        from incoming_payments d
        where d.org_id = o.org_id and d.status = 'RETURNED' and d.sealed_texts is not null
            and d.updated_at < o.until
        order by d.updated_at
        limit $3
    ) r
    limit $3
)
update incoming_payments r set sealed_texts = null from old where r.org_id = old.org_id
    and r.id = old.id
returning r.id
"""

_FORGET = """
update incoming_payments set sealed_texts = null
where org_id = $1 and user_id = $2 and sealed_texts is not null
"""

# A waiting payment either is due or is in the review queue, so two partial indexes find all.
_OVERDUE = """
select w.org_id, w.id, w.status, w.updated_at, w.asset, w.units
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select r.org_id, r.id, r.status, r.updated_at, r.asset, r.units
    from incoming_payments r
    where r.org_id = o.org_id and r.due_at is not null
    union all
    select r.org_id, r.id, r.status, r.updated_at, r.asset, r.units
    from incoming_payments r
    where r.org_id = o.org_id and r.due_at is null and r.status = 'UNMATCHED'
) w
join unnest($3::text[], $4::double precision[]) as p (status, within_s) on p.status = w.status
where extract(epoch from o.now - w.updated_at) > p.within_s
    and (w.updated_at, w.id) > ($5, $6)
order by w.updated_at, w.id
limit $7
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedIncomingPayment(IncomingPaymentFields):
    """Row of `incoming_payments`; `sealed_texts` is None once the texts were erased."""

    sealed_texts: bytes | None

    @property
    def owner_id(self) -> UUID:
        """Owner of the data key under which the texts are sealed: the user or the organisation."""
        return self.user_id or self.org_id


async def add(tx: Tx, payment: SealedIncomingPayment) -> bool:
    """Store an incoming payment; False if this credit was reported before."""
    money = payment.money
    added = await write_row(tx, _ADD, payment, asset=money.asset.code, units=money.units)
    return added is not None


async def find_reference(tx: Tx, org_id: UUID, bank_reference: str) -> SealedIncomingPayment | None:
    """Return the incoming payment with this reference of the bank; None if there is none."""
    row = await tx.fetchrow(_FIND_REFERENCE, org_id, bank_reference)
    return None if row is None else _incoming_payment(row)


async def of(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> Sequence[SealedIncomingPayment]:
    """Return the incoming payments with these ids, in no order."""
    return [_incoming_payment(row) for row in await tx.fetch(_OF, org_id, list(ids))]


async def due(
    tx: Tx, clocks: Mapping[UUID, datetime], *, skip: Collection[UUID], limit: int
) -> Sequence[SealedIncomingPayment]:
    """List due payments of each organisation, the longest due first, without those in `skip`."""
    rows = await tx.fetch(_DUE, list(clocks), list(clocks.values()), list(skip), limit)
    return [_incoming_payment(row) for row in rows]


async def match(
    tx: Tx,
    org_id: UUID,
    payment_id: UUID,
    *,
    transfer_id: UUID,
    user_id: UUID,
    sealed_texts: bytes | None,
    at: datetime,
    decided_by: str | None,
) -> SealedIncomingPayment | None:
    """Match a payment with a record and return it; None if it is matched or being returned."""
    row = await tx.fetchrow(
        _MATCH, org_id, payment_id, transfer_id, user_id, sealed_texts, at, decided_by
    )
    return None if row is None else _incoming_payment(row)


async def lock(tx: Tx, org_id: UUID, payment_id: UUID) -> SealedIncomingPayment | None:
    """Return an incoming payment, locked until the transaction ends; None if there is none."""
    row = await tx.fetchrow(_LOCK, org_id, payment_id)
    return None if row is None else _incoming_payment(row)


async def reopen(tx: Tx, org_id: UUID, payment_id: UUID, *, at: datetime, due_at: datetime) -> None:
    """Schedule another return of a locked payment at `due_at`, because the first one came back."""
    await tx.execute(_REOPEN, org_id, payment_id, at, due_at)


async def reverse(tx: Tx, org_id: UUID, payment_id: UUID, *, at: datetime, decided_by: str) -> None:
    """Record that the bank reversed a locked payment that was not returned yet."""
    await tx.execute(_REVERSE, org_id, payment_id, at, decided_by)


async def queue(tx: Tx, org_id: UUID, window: QueueWindow) -> Sequence[SealedIncomingPayment]:
    """List unmatched payments, the longest waiting first."""
    rows = await tx.fetch(_QUEUE, org_id, *window.bounds)
    return [_incoming_payment(row) for row in rows]


async def move(
    tx: Tx,
    org_id: UUID,
    payment_id: UUID,
    *,
    version: int,
    status: IncomingPaymentStatus,
    at: datetime,
    due_at: datetime | None,
    decided_by: str | None = None,
    sealed_texts: bytes | None = None,
    attempts: int | None = None,
) -> SealedIncomingPayment | None:
    """Change the status of a payment and return it; None if it is not at this version.

    With `attempts`, also None if that is not the number of refused returns. Without `decided_by`
    and `sealed_texts`, both columns keep their values.
    """
    row = await tx.fetchrow(
        _MOVE, org_id, payment_id, version, status, at, due_at, decided_by, sealed_texts, attempts
    )
    return None if row is None else _incoming_payment(row)


async def postpone(
    tx: Tx, org_id: UUID, payment_id: UUID, *, version: int, due_at: datetime
) -> None:
    """Postpone a payment."""
    await tx.execute(_POSTPONE, org_id, payment_id, version, due_at)


async def record_refusal(
    tx: Tx, org_id: UUID, payment_id: UUID, *, version: int, attempts: int, due_at: datetime
) -> None:
    """Count the bank's refusal of attempt number `attempts`, and postpone the payment."""
    await tx.execute(_REFUSED, org_id, payment_id, version, attempts, due_at)


async def has_new(tx: Tx, org_id: UUID, account_number: str, before: datetime) -> bool:
    """Return whether a payment that arrived on this account `before` a time is unprocessed."""
    return bool(await tx.fetchval(_IS_ANY_NEW, org_id, account_number, before))


async def small_returns(tx: Tx, org_id: UUID, since: datetime, *, limit: int) -> int:
    """Count small payments since then that are returned without a decision, up to `limit`."""
    return await tx.fetchval(_SMALL_RETURNS, org_id, since, limit)


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Blank the texts of at most `limit` old returned payments; return how many that were.

    `until` has for each organisation the time before which its payments were returned.
    """
    return len(await tx.fetch(_SWEEP, list(until), list(until.values()), limit))


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the personal data of a user's incoming payments."""
    await tx.execute(_FORGET, org_id, user_id)


async def overdue(
    tx: Tx,
    clocks: Mapping[UUID, datetime],
    sla: Mapping[IncomingPaymentStatus, timedelta],
    *,
    after: PagePosition,
    limit: int,
) -> Sequence[OverduePayment]:
    """List deposits after a position that exceed the time limit of their status in `sla`."""
    rows = await tx.fetch(
        _OVERDUE,
        list(clocks),
        list(clocks.values()),
        list(sla),
        [within.total_seconds() for within in sla.values()],
        after.created_at,
        after.id,
        limit,
    )
    return [
        read_row(row, OverduePayment, since=row["updated_at"], units=int(row["units"]))
        for row in rows
    ]


def _incoming_payment(row: Row) -> SealedIncomingPayment:
    return read_row(
        row,
        SealedIncomingPayment,
        money=Money(int(row["units"]), FIAT_ASSETS[row["asset"]]),
        arrived_at=row["arrived_at"] or row["received_at"],
    )
