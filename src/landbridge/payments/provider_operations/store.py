"""Statements on what waits for bank files and for reviewers of identities. They only read."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

_BANK_PAYMENTS = """
select record_id, rail, is_same_day, queued_at, count(*) over () as waiting
from bank_payments
where org_id = $1 and status in ('QUEUED', 'WRITTEN') and not is_prenote
order by queued_at limit $2
"""

_LAST_FILE_AT = "select max(started_at) from bank_inbound_files where org_id = $1"

_HAS_SETTLED = """
select exists (select from bank_payments where org_id = $1 and status = 'SETTLED' and units > 0)
"""

_CASES = """
select user_id, updated_at, count(*) over () as waiting
from kyc_cases
where org_id = $1 and status = any($2::text[]) and sealed_snapshot is not null
order by updated_at limit $3
"""


async def bank_payments(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[Row]:
    """Return the oldest payments that are not final, each with the number of all."""
    return await tx.fetch(_BANK_PAYMENTS, org_id, limit)


async def last_file_at(tx: Tx, org_id: UUID) -> datetime | None:
    """Return when the bank has last left a file."""
    return await tx.fetchval(_LAST_FILE_AT, org_id)


async def has_settled(tx: Tx, org_id: UUID) -> bool:
    """Return whether a bank has ever settled a payment from a file."""
    return await tx.fetchval(_HAS_SETTLED, org_id)


async def cases(tx: Tx, org_id: UUID, statuses: Sequence[str], *, limit: int) -> Sequence[Row]:
    """Return the oldest cases in these statuses, each with the number of all."""
    return await tx.fetch(_CASES, org_id, statuses, limit)
