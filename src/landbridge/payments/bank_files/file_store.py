"""Every statement on bank_outbound_files."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.payments.bank_files.model import BankFile
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row

_ADD = """
insert into bank_outbound_files (
    org_id, id, account_id, number, name, format, rail, is_same_day, execution_date, count, units,
    created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
"""

_IS_DELIVERED = """
select delivered_at <= $3 from bank_outbound_files where org_id = $1 and id = $2
"""

# Only one worker holds the lease; it ends with the delivery of the file, or when it expires.
_LEASE = """
update bank_outbound_files set leased_until = $3, leased_by = $5
where org_id = $1 and id = $2 and delivered_at is null
    and (leased_until is null or leased_until <= $4 or leased_by = $5)
returning id
"""

_OPEN = """
select org_id, id, account_id, number, name, format, rail, is_same_day, execution_date, count,
    units,
    digest, size, created_at, delivered_at
from bank_outbound_files
where org_id = any($1::uuid[]) and delivered_at is null
    and (leased_until is null or leased_until <= $2) and account_id <> all($4::uuid[])
order by created_at
limit $3
"""

_CONTENT = """
select sealed_content from bank_outbound_files where org_id = $1 and id = $2
"""

# The content is stored once: a worker that comes later uses the stored content.
_WRITTEN = """
update bank_outbound_files set sealed_content = $3, digest = $4, size = $5
where org_id = $1 and id = $2 and digest is null
returning id
"""

_DELIVERED = """
update bank_outbound_files set delivered_at = $3, leased_until = null
where org_id = $1 and id = $2 and delivered_at is null
returning id
"""

_LET_GO = """
update bank_outbound_files set leased_until = $3 where org_id = $1 and id = $2
    and delivered_at is null
"""

_LOCK = "select id from bank_outbound_files where org_id = $1 and id = $2 for no key update"

_LIST = """
select org_id, id, account_id, number, name, format, rail, is_same_day, execution_date, count,
    units,
    digest, size, created_at, delivered_at
from bank_outbound_files
where org_id = $1 and account_id = $2
order by number desc
limit $3
"""

_BY_NAME = """
select org_id, id, account_id, number, name, format, rail, is_same_day, execution_date, count,
    units,
    digest, size, created_at, delivered_at
from bank_outbound_files
where org_id = $1 and name = $2
"""

_OPEN_COUNT = """
select count(*) from bank_outbound_files where org_id = any($1::uuid[]) and delivered_at is null
"""

_SWEEP = """
with old as (
    select f.org_id, f.id
    from unnest($1::uuid[], $2::timestamptz[]) as o (org_id, until)
    cross join lateral (
        select d.org_id, d.id
        from bank_outbound_files d
        where d.org_id = o.org_id and d.sealed_content is not null
            and d.delivered_at is not null and d.created_at < o.until
        order by d.created_at
        limit $3
    ) f
    limit $3
)
update bank_outbound_files b set sealed_content = null from old where b.org_id = old.org_id
    and b.id = old.id
returning b.id
"""


async def add(tx: Tx, file: BankFile) -> None:
    """Store a claimed file."""
    await write_row(tx, _ADD, file)


async def lease(
    tx: Tx, org_id: UUID, file_id: UUID, *, now: datetime, until: datetime, by: UUID
) -> bool:
    """Lease a file `until` a time of the real clock.

    Return False if another worker holds the lease, or the file is delivered. `by` identifies this
    attempt: after a lost commit, the same attempt gets its lease again.
    """
    return await tx.fetchval(_LEASE, org_id, file_id, until, now, by) is not None


async def release(tx: Tx, org_id: UUID, file_id: UUID, until: datetime) -> None:
    """Release an undelivered file; it can be leased again at `until`, by the real clock."""
    await tx.execute(_LET_GO, org_id, file_id, until)


async def list_undelivered(
    tx: Tx,
    org_ids: Collection[UUID],
    *,
    now: datetime,
    limit: int,
    except_accounts: Collection[UUID],
) -> Sequence[BankFile]:
    """Return undelivered files without a lease, the oldest first."""
    rows = await tx.fetch(_OPEN, list(org_ids), now, limit, list(except_accounts))
    return [_file(row) for row in rows]


async def get_content(tx: Tx, org_id: UUID, file_id: UUID) -> bytes | None:
    """Return the encrypted content of a file; None before it is stored and after its retention."""
    return await tx.fetchval(_CONTENT, org_id, file_id)


async def set_content(
    tx: Tx, org_id: UUID, file_id: UUID, *, sealed_content: bytes, digest: bytes, size: int
) -> bool:
    """Store the content; False if it was written before."""
    done = await tx.fetchval(_WRITTEN, org_id, file_id, sealed_content, digest, size)
    return done is not None


async def set_delivered(tx: Tx, org_id: UUID, file_id: UUID, at: datetime) -> bool:
    """Record the delivery to the bank; False if it was recorded before."""
    return await tx.fetchval(_DELIVERED, org_id, file_id, at) is not None


async def lock(tx: Tx, org_id: UUID, file_id: UUID) -> None:
    """Lock a file until this transaction ends."""
    await tx.execute(_LOCK, org_id, file_id)


async def is_delivered(tx: Tx, org_id: UUID, file_id: UUID, *, by: datetime) -> bool:
    """Return whether a file was delivered to the bank by this time."""
    return bool(await tx.fetchval(_IS_DELIVERED, org_id, file_id, by))


async def list_latest(tx: Tx, org_id: UUID, account_id: UUID, limit: int) -> Sequence[BankFile]:
    """Return the latest `limit` files of an account, newest first."""
    return [_file(row) for row in await tx.fetch(_LIST, org_id, account_id, limit)]


async def find_by_name(tx: Tx, org_id: UUID, name: str) -> BankFile | None:
    """Return the file with this name."""
    row = await tx.fetchrow(_BY_NAME, org_id, name)
    return None if row is None else _file(row)


async def count_open(tx: Tx, org_ids: Collection[UUID]) -> int:
    """Return the number of undelivered files."""
    return await tx.fetchval(_OPEN_COUNT, list(org_ids))


async def sweep(tx: Tx, until: Mapping[UUID, datetime], *, limit: int) -> int:
    """Delete the content of at most `limit` old files; return how many files that were.

    `until` has for each organisation the time before which its files were created.
    """
    return len(await tx.fetch(_SWEEP, list(until), list(until.values()), limit))


def _file(row: Row) -> BankFile:
    return read_row(row, BankFile, units=int(row["units"]))
