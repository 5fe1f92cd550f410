"""All SQL statements on bank accounts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.model import BankAccountRecord, BankAccountStatus
from landbridge.platform.core.pagination import PositionWindow, QueueWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.platform.metadata.model import decoded

_ADD = """
insert into bank_accounts (
    org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    sealed_request, created_at, updated_at, coordinate_hashes
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict do nothing
returning id
"""

_GET = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and id = any($2::uuid[])
"""

_LOCK = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and id = $2
for update
"""

_FIND_REQUEST = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at, sealed_request,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and request_id = $2
"""

_KNOWN_SINCE = "select id, created_at from bank_accounts where org_id = $1 and id = any($2::uuid[])"

_COORDINATE_HASHES = """
select id, coordinate_hashes from bank_accounts where org_id = $1 and id = any($2::uuid[])
"""

_UPDATE = """
update bank_accounts
set status = $4, sealed_details = $5, version = version + 1, updated_at = $6,
    coordinate_hashes = $7,
    is_suspended = case
        when $4 = 'ACTIVE' then false
        when status = 'ACTIVE' and $4 = 'PENDING' then true
        else is_suspended
    end
where org_id = $1 and id = $2 and version = $3
returning version
"""

_ERASE = """
update bank_accounts
set status = 'INACTIVE', sealed_details = null, sealed_request = null, version = version + 1,
    updated_at = $3,
    coordinate_hashes = case when id = any($4::uuid[]) then coordinate_hashes end
where org_id = $1 and user_id = $2 and sealed_details is not null
returning org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at, null as metadata
"""

_FORGET_HASHES = """
update bank_accounts
set coordinate_hashes = null
where org_id = $1 and id = any($2::uuid[]) and sealed_details is null
    and coordinate_hashes is not null
"""

_PAGE = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and user_id = $2 and created_at >= $3 and (created_at, id) < ($4, $5)
    and ($7::text is null or ramp = $7)
    and ($8::text is null or type = $8)
    and ($9::text is null or currency = $9)
    and ($10::text is null or status = $10)
    and (
        $11::text[] is null
        or (
            select count(*)
            from metadata m
            join unnest($11::text[], $12::text[]) as p (key, value)
                on p.key = m.key and p.value = m.value
            where m.org_id = $1 and m.object_id = bank_accounts.id
        ) = cardinality($11::text[])
    )
order by created_at desc, id desc
limit $6
"""

# Reads the newest rows of each status and type from an index, then merges them: the cost of a page
# does not depend on how rare the matches are.
PAGE_OF_ORG = """
select b.org_id, b.id, b.user_id, b.request_id, b.ramp, b.type, b.currency, b.status, b.version,
    b.sealed_details, b.created_at, b.updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = b.org_id and m.object_id = b.id
    ) as metadata
from (
    select n.id
    from unnest($2::text[]) as s (status)
    cross join unnest($3::text[], $4::text[]) as t (ramp, type)
    cross join lateral (
        select id, created_at
        from bank_accounts
        where org_id = $1 and status = s.status and ramp = t.ramp and type = t.type
            and (created_at, id) < ($5, $6)
        order by created_at desc, id desc
        limit $7
    ) n
    order by n.created_at desc, n.id desc
    limit $7
) p
join bank_accounts b on b.org_id = $1 and b.id = p.id
order by b.created_at desc, b.id desc
"""

_ACTIVE_OF_USERS = """
select b.org_id, b.id, b.user_id, b.request_id, b.ramp, b.type, b.currency, b.status, b.version,
    b.sealed_details, b.created_at, b.updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = b.org_id and m.object_id = b.id
    ) as metadata
from unnest($2::uuid[]) as u (id)
cross join lateral (
    select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
        created_at, updated_at
    from bank_accounts
    where org_id = $1 and user_id = u.id and status = 'ACTIVE'
    order by created_at desc, id desc
    limit $3
) b
"""

_PENDING = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and status = 'PENDING' and (created_at, id) > ($2, $3)
    and created_at < $4
order by created_at, id
limit $5
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedBankAccount(BankAccountRecord):
    """Row of an account; `sealed_details` is None after the user was erased."""

    sealed_details: bytes | None


async def add(
    tx: Tx,
    account: SealedBankAccount,
    sealed_request: bytes | None,
    *,
    coordinate_hashes: Collection[bytes],
) -> bool:
    """Store an account; False if its id or its request id already exists."""
    added = await write_row(
        tx,
        _ADD,
        account,
        sealed_request=sealed_request,
        coordinate_hashes=sorted(coordinate_hashes),
    )
    return added is not None


async def get(tx: Tx, org_id: UUID, account_id: UUID) -> SealedBankAccount | None:
    """Return an account; None if the organisation has none with this id."""
    row = await tx.fetchrow(_GET, org_id, [account_id])
    return None if row is None else account_of(row)


async def get_many(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> list[SealedBankAccount]:
    """Return these accounts, in no order; unknown ids are left out."""
    return [account_of(row) for row in await tx.fetch(_GET, org_id, list(ids))]


async def coordinate_hashes(
    tx: Tx, org_id: UUID, ids: Collection[UUID]
) -> dict[UUID, frozenset[bytes] | None]:
    """Return the hashes of coordinates by account id; None for an account without stored ones."""
    rows = await tx.fetch(_COORDINATE_HASHES, org_id, list(ids))
    return {
        row["id"]: None if row["coordinate_hashes"] is None else frozenset(row["coordinate_hashes"])
        for row in rows
    }


async def forget_hashes(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> None:
    """Remove the coordinate hashes of those of these accounts that are erased."""
    await tx.execute(_FORGET_HASHES, org_id, list(ids))


async def lock(tx: Tx, org_id: UUID, account_id: UUID) -> SealedBankAccount | None:
    """Lock an account until this transaction ends, and return it."""
    row = await tx.fetchrow(_LOCK, org_id, account_id)
    return None if row is None else account_of(row)


async def find_request(
    tx: Tx, org_id: UUID, request_id: UUID
) -> tuple[SealedBankAccount, bytes | None] | None:
    """Return the account that this request id created, and the request, None after erasure."""
    row = await tx.fetchrow(_FIND_REQUEST, org_id, request_id)
    return None if row is None else (account_of(row), row["sealed_request"])


async def known_since(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> dict[UUID, datetime]:
    """Return the creation times of these accounts, by id."""
    return {row["id"]: row["created_at"] for row in await tx.fetch(_KNOWN_SINCE, org_id, list(ids))}


async def update(
    tx: Tx, account: SealedBankAccount, *, version: int, coordinate_hashes: Collection[bytes]
) -> bool:
    """Store status, details and hashes; False if the account is not at `version` any more."""
    updated = await write_row(
        tx, _UPDATE, account, version=version, coordinate_hashes=sorted(coordinate_hashes)
    )
    return updated is not None


async def erase(
    tx: Tx, org_id: UUID, user_id: UUID, at: datetime, *, keep_hashes_of: Collection[UUID]
) -> list[SealedBankAccount]:
    """Blank and deactivate a user's accounts; return those that change, in their new state."""
    rows = await tx.fetch(_ERASE, org_id, user_id, at, list(keep_hashes_of))
    return [account_of(row) for row in rows]


async def page(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    window: PositionWindow,
    *,
    filters: Sequence[str | None],
    status: BankAccountStatus | None = None,
    metadata: Mapping[str, str] | None = None,
) -> list[SealedBankAccount]:
    """Return a page, newest first; `filters` are ramp, type and currency."""
    pairs = (None, None) if metadata is None else (list(metadata.keys()), list(metadata.values()))
    rows = await tx.fetch(
        _PAGE, org_id, user_id, window.since, *window.bounds, *filters, status, *pairs
    )
    return [account_of(row) for row in rows]


async def page_of_org(
    tx: Tx,
    org_id: UUID,
    window: PositionWindow,
    *,
    statuses: Sequence[BankAccountStatus],
    types: Sequence[tuple[Ramp, str]],
) -> list[SealedBankAccount]:
    """Return accounts of all users with one of these statuses and types, newest first."""
    rows = await tx.fetch(
        PAGE_OF_ORG,
        org_id,
        statuses,
        [ramp for ramp, _ in types],
        [type_ for _, type_ in types],
        *window.bounds,
    )
    return [account_of(row) for row in rows]


async def active_of_users(
    tx: Tx, org_id: UUID, user_ids: Collection[UUID], limit: int
) -> list[SealedBankAccount]:
    """Return the newest active accounts of each of these users, at most `limit` of each."""
    rows = await tx.fetch(_ACTIVE_OF_USERS, org_id, list(user_ids), limit)
    return [account_of(row) for row in rows]


async def pending(tx: Tx, org_id: UUID, window: QueueWindow) -> list[SealedBankAccount]:
    """Return accounts that wait for a reviewer, oldest first."""
    rows = await tx.fetch(_PENDING, org_id, *window.bounds)
    return [account_of(row) for row in rows]


def account_of(row: Row) -> SealedBankAccount:
    """Return the account of a row."""
    return read_row(row, SealedBankAccount, metadata=decoded(row["metadata"]))


_ACTIVE_AFTER = """
select org_id, id, user_id, request_id, ramp, type, currency, status, version, sealed_details,
    created_at, updated_at,
    (
        select jsonb_object_agg(m.key, m.value)
        from metadata m
        where m.org_id = bank_accounts.org_id and m.object_id = bank_accounts.id
    ) as metadata
from bank_accounts
where org_id = $1 and id > $2 and status = 'ACTIVE'
order by id
limit $3
"""

_SUSPENDED = """
select id from bank_accounts where org_id = $1 and id = any($2::uuid[]) and is_suspended
"""


async def active_after(tx: Tx, org_id: UUID, after: UUID, limit: int) -> list[SealedBankAccount]:
    """Return active accounts with an id above `after`, in the order of their ids."""
    return [account_of(row) for row in await tx.fetch(_ACTIVE_AFTER, org_id, after, limit)]


async def suspended(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> frozenset[UUID]:
    """Return those of these accounts that were active and now wait for a reviewer."""
    return frozenset(row["id"] for row in await tx.fetch(_SUSPENDED, org_id, list(ids)))
