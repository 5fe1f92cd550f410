"""Every statement on receipts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.db.pool import Row, Tx
from landbridge.rails.currencies import FIAT_ASSETS
from landbridge.receipts.model import Status

_ADD = """
insert into receipts (
    org_id, id, bank_reference, account_number, asset, units, rail, status, sealed_words, version,
    received_at, arrived_at, clears_at, updated_at, due_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
on conflict (org_id, bank_reference) do nothing
returning id
"""

_FIND_REFERENCE = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_words, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_tries, decided_by
from receipts
where org_id = $1 and bank_reference = $2
"""

_OF = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_words, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_tries, decided_by
from receipts
where org_id = $1 and id = any($2::uuid[])
"""

_DUE = """
select r.org_id, r.id, r.bank_reference, r.account_number, r.asset, r.units, r.rail, r.status,
    r.transfer_id, r.user_id, r.sealed_words, r.version, r.received_at, r.arrived_at, r.clears_at,
    r.updated_at, r.due_at, r.return_tries, r.decided_by
from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, now)
cross join lateral (
    select d.org_id, d.id, d.bank_reference, d.account_number, d.asset, d.units, d.rail, d.status,
        d.transfer_id, d.user_id, d.sealed_words, d.version, d.received_at, d.arrived_at,
        d.clears_at, d.updated_at, d.due_at, d.return_tries, d.decided_by
    from receipts d
    where d.org_id = o.org_id and d.due_at <= o.now and not (d.id = any($3::uuid[]))
    order by d.due_at
    limit $4
) r
order by r.due_at
limit $4
"""

# Guarded by status and version: of two that move a receipt on, one does.
_MATCH = """
update receipts
set status = 'MATCHED', transfer_id = $3, user_id = $4, sealed_words = $5, version = version + 1,
    updated_at = $6, due_at = null, decided_by = $7
where org_id = $1 and id = $2 and status in ('NEW', 'UNMATCHED')
returning version
"""

_MOVE = """
update receipts
set status = $4, version = version + 1, updated_at = $5, due_at = $6
where org_id = $1 and id = $2 and version = $3
returning version
"""

# By a person: nobody else moves what waits for one.
_SEND_BACK = """
update receipts
set status = 'RETURNING', version = version + 1, updated_at = $3, due_at = $3, decided_by = $4,
    sealed_words = $5
where org_id = $1 and id = $2 and version = $6 and status in ('NEW', 'UNMATCHED')
returning version
"""

_SETTLE_OUTSIDE = """
update receipts
set status = 'RETURNED', version = version + 1, updated_at = $3, due_at = null, decided_by = $4,
    sealed_words = $5
where org_id = $1 and id = $2 and version = $6 and status = 'RETURNING'
returning version
"""

# Held until the transaction ends.
_LOCK = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_words, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_tries, decided_by
from receipts
where org_id = $1 and id = $2
for update
"""

# The payment that returned it was given back: the next one has the next key.
_REOPEN = """
update receipts
set status = 'RETURNING', version = version + 1, updated_at = $3, due_at = $4,
    return_tries = return_tries + 1
where org_id = $1 and id = $2 and status = 'RETURNED'
"""

_REVERSE = """
update receipts
set status = 'RETURNED', version = version + 1, updated_at = $3, due_at = null, decided_by = $4
where org_id = $1 and id = $2 and status in ('UNMATCHED', 'RETURNING')
"""

_QUEUE = """
select org_id, id, bank_reference, account_number, asset, units, rail, status, transfer_id, user_id,
    sealed_words, version, received_at, arrived_at, clears_at, updated_at, due_at,
    return_tries, decided_by
from receipts
where org_id = $1 and status = 'UNMATCHED' and received_at >= $2 and received_at < $3
order by received_at, id
limit $4
"""

_POSTPONE = """
update receipts set due_at = $4
where org_id = $1 and id = $2 and version = $3 and due_at is not null
"""

# Two workers that were refused the same try count it once.
_REFUSED = """
update receipts set return_tries = return_tries + 1, due_at = $5
where org_id = $1 and id = $2 and status = 'RETURNING' and version = $3 and return_tries = $4
"""

_IS_ANY_NEW = """
select exists (
    select from receipts
    where org_id = $1 and account_number = $2 and status = 'NEW'
        and coalesce(arrived_at, received_at) < $3
)
"""

# Those that went back before, the first first.
_SWEEP = """
with old as (
    select r.org_id, r.id
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, until)
    cross join lateral (
        select d.org_id, d.id
        from receipts d
        where d.org_id = o.org_id and d.status = 'RETURNED' and d.sealed_words is not null
            and d.updated_at < o.until
        order by d.updated_at
        limit $3
    ) r
    limit $3
)
update receipts r set sealed_words = null from old where r.org_id = old.org_id and r.id = old.id
returning r.id
"""

_FORGET = """
update receipts set sealed_words = null
where org_id = $1 and user_id = $2 and sealed_words is not null
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedReceipt:
    """A row; `sealed_words` is None once the user was erased."""

    org_id: UUID
    id: UUID
    bank_reference: str
    account_number: str
    money: Money
    rail: str
    status: Status
    transfer_id: UUID | None
    user_id: UUID | None
    sealed_words: bytes | None
    version: int
    received_at: datetime
    arrived_at: datetime
    clears_at: datetime
    updated_at: datetime
    due_at: datetime | None
    return_tries: int
    decided_by: str | None = None

    @property
    def owner_id(self) -> UUID:
        """Under whose data key its words are sealed."""
        return self.user_id or self.org_id


class WriteDecision(Protocol):
    """A statement that writes what a person decided."""

    async def __call__(
        self,
        tx: Tx,
        org_id: UUID,
        receipt_id: UUID,
        *,
        version: int,
        sealed_words: bytes | None,
        at: datetime,
        decided_by: str,
    ) -> bool:
        """Whether it was written."""
        ...


async def add(tx: Tx, receipt: SealedReceipt) -> bool:
    """Store a receipt; False if the bank has told of this credit before."""
    added = await tx.fetchval(
        _ADD,
        receipt.org_id,
        receipt.id,
        receipt.bank_reference,
        receipt.account_number,
        receipt.money.asset.code,
        receipt.money.units,
        receipt.rail,
        receipt.status,
        receipt.sealed_words,
        receipt.version,
        receipt.received_at,
        receipt.arrived_at,
        receipt.clears_at,
        receipt.updated_at,
        receipt.due_at,
    )
    return added is not None


async def find_reference(tx: Tx, org_id: UUID, bank_reference: str) -> SealedReceipt | None:
    """The receipt of a credit, if the bank has told of it."""
    row = await tx.fetchrow(_FIND_REFERENCE, org_id, bank_reference)
    return None if row is None else _receipt(row)


async def of(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> Sequence[SealedReceipt]:
    """These receipts, in no order."""
    return [_receipt(row) for row in await tx.fetch(_OF, org_id, list(ids))]


async def due(
    tx: Tx, clocks: Mapping[UUID, datetime], *, skip: Collection[UUID], limit: int
) -> Sequence[SealedReceipt]:
    """What the worker has to look at, the longest due first, but for those to `skip`."""
    rows = await tx.fetch(_DUE, list(clocks), list(clocks.values()), list(skip), limit)
    return [_receipt(row) for row in rows]


async def match(
    tx: Tx,
    org_id: UUID,
    receipt_id: UUID,
    *,
    transfer_id: UUID,
    user_id: UUID,
    sealed_words: bytes | None,
    at: datetime,
    decided_by: str | None,
) -> int | None:
    """Give a receipt to a record; its version then, None if it is somebody's or goes back."""
    return await tx.fetchval(
        _MATCH, org_id, receipt_id, transfer_id, user_id, sealed_words, at, decided_by
    )


async def send_back(
    tx: Tx,
    org_id: UUID,
    receipt_id: UUID,
    *,
    version: int,
    sealed_words: bytes | None,
    at: datetime,
    decided_by: str,
) -> bool:
    """Claim a deposit of this version for its way back; False if it has moved since."""
    sent = await tx.fetchval(_SEND_BACK, org_id, receipt_id, at, decided_by, sealed_words, version)
    return sent is not None


async def settle_outside(
    tx: Tx,
    org_id: UUID,
    receipt_id: UUID,
    *,
    version: int,
    sealed_words: bytes | None,
    at: datetime,
    decided_by: str,
) -> bool:
    """End the way back of a deposit of this version; False if it has moved since."""
    settled = await tx.fetchval(
        _SETTLE_OUTSIDE, org_id, receipt_id, at, decided_by, sealed_words, version
    )
    return settled is not None


async def lock(tx: Tx, org_id: UUID, receipt_id: UUID) -> SealedReceipt | None:
    """A receipt that nobody else moves until this transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, receipt_id)
    return None if row is None else _receipt(row)


async def reopen(tx: Tx, org_id: UUID, receipt_id: UUID, *, at: datetime, due_at: datetime) -> None:
    """Return a receipt again at `due_at`, of which the return has come back; it is locked."""
    await tx.execute(_REOPEN, org_id, receipt_id, at, due_at)


async def reverse(tx: Tx, org_id: UUID, receipt_id: UUID, *, at: datetime, decided_by: str) -> None:
    """Note that the bank took back a receipt that was not returned yet; it is locked."""
    await tx.execute(_REVERSE, org_id, receipt_id, at, decided_by)


async def queue(tx: Tx, org_id: UUID, window: Window) -> Sequence[SealedReceipt]:
    """What waits for a person, the longest waiting first."""
    rows = await tx.fetch(_QUEUE, org_id, window.since, window.position.created_at, window.limit)
    return [_receipt(row) for row in rows]


async def move(
    tx: Tx,
    org_id: UUID,
    receipt_id: UUID,
    *,
    version: int,
    status: Status,
    at: datetime,
    due_at: datetime | None,
) -> bool:
    """Move a receipt of this version on; False if somebody else has."""
    moved = await tx.fetchval(_MOVE, org_id, receipt_id, version, status, at, due_at)
    return moved is not None


async def postpone(
    tx: Tx, org_id: UUID, receipt_id: UUID, *, version: int, due_at: datetime
) -> None:
    """Look at a receipt later."""
    await tx.execute(_POSTPONE, org_id, receipt_id, version, due_at)


async def refused(
    tx: Tx, org_id: UUID, receipt_id: UUID, *, version: int, tries: int, due_at: datetime
) -> None:
    """Count that the bank has refused try number `tries`, and look at it again later."""
    await tx.execute(_REFUSED, org_id, receipt_id, version, tries, due_at)


async def is_any_new(tx: Tx, org_id: UUID, account_number: str, before: datetime) -> bool:
    """Whether nobody has looked yet at one that arrived on this account before then."""
    return bool(await tx.fetchval(_IS_ANY_NEW, org_id, account_number, before))


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Blank the words of at most so many that went back before then; how many these were."""
    return len(await tx.fetch(_SWEEP, list(until), list(until.values()), limit))


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank what is personal in a user's receipts."""
    await tx.execute(_FORGET, org_id, user_id)


def _receipt(row: Row) -> SealedReceipt:
    return SealedReceipt(
        org_id=row["org_id"],
        id=row["id"],
        bank_reference=row["bank_reference"],
        account_number=row["account_number"],
        money=Money(int(row["units"]), FIAT_ASSETS[row["asset"]]),
        rail=row["rail"],
        status=Status(row["status"]),
        transfer_id=row["transfer_id"],
        user_id=row["user_id"],
        sealed_words=row["sealed_words"],
        version=row["version"],
        received_at=row["received_at"],
        arrived_at=row["arrived_at"] or row["received_at"],
        clears_at=row["clears_at"],
        updated_at=row["updated_at"],
        due_at=row["due_at"],
        return_tries=row["return_tries"],
        decided_by=row["decided_by"],
    )
