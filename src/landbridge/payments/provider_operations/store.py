"""Statements on what waits for bank files, and on users who wait. They only read."""

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

# Without those that wait for a connected provider.
_CASES = """
select c.user_id, c.updated_at, count(*) over () as waiting
from kyc_cases c
where c.org_id = $1 and c.status = any($2::text[]) and c.sealed_snapshot is not null
    and (c.status = 'MANUAL_REVIEW' or not exists (
        select from provider_applications a
        where a.org_id = c.org_id and a.case_id = c.id
            and a.state in ('ASKED', 'CREATED', 'PENDING')
    ))
order by c.updated_at limit $3
"""

# The oldest users of each provider, with the number of all. A case has one application that counts:
# the newest.
_APPLICATIONS = """
select provider, user_id, submitted_at, problem, waiting
from (
    select provider, user_id, submitted_at, problem,
        row_number() over (partition by provider order by submitted_at) as place,
        count(*) over (partition by provider) as waiting
    from (
        select distinct on (a.case_id) a.provider, c.user_id, c.submitted_at, a.problem
        from provider_applications a
        join kyc_cases c on c.org_id = a.org_id and c.id = a.case_id
        where a.org_id = $1 and a.state in ('ASKED', 'CREATED', 'PENDING')
            and c.status in ('CREATED', 'PENDING') and c.sealed_snapshot is not null
        order by a.case_id, a.created_at desc
    ) n
) w
where place <= $2 order by provider, place
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


async def applications(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[Row]:
    """Return the users who wait for connected providers, the oldest `limit` of each provider."""
    return await tx.fetch(_APPLICATIONS, org_id, limit)
