"""Counts what waits for an organisation's team, in one statement over the queues' indexes."""

from uuid import UUID

from landbridge.platform.db.pool import Row, Tx

# Each count ends at $2, so that a long queue costs no more.
COUNTS = """
select
    (select count(*) from (
        select from approvals where org_id = $1 and status = 'PENDING' limit $2
    ) a) as approvals,
    (select count(*) from (
        select from kyc_cases
        where org_id = $1 and status = 'MANUAL_REVIEW' and sealed_snapshot is not null limit $2
    ) k) as kyc_cases,
    (select count(*) from (
        select from bank_accounts where org_id = $1 and status = 'PENDING' limit $2
    ) b) as bank_accounts,
    (select count(*) from (
        select from rfis where org_id = $1 and status in ('OPEN', 'ANSWERED') limit $2
    ) r) as rfis,
    (select count(*) from (
        select from travel_rule_exchanges
        where org_id = $1 and direction = 'INCOMING' and status = 'OPEN' limit $2
    ) t) as inquiries,
    (select count(*) from (
        select from incoming_payments where org_id = $1 and status = 'UNMATCHED' limit $2
    ) i) as incoming_payments,
    (select count(*) from (
        select from statement_lines where org_id = $1 and status = 'UNMATCHED' limit $2
    ) s) as statement_lines,
    (select count(*) from (
        select from webhook_endpoints
        where org_id = $1 and deleted_at is null and flagged_at is not null limit $2
    ) w) as endpoints
"""


async def counts(tx: Tx, org_id: UUID, limit: int) -> Row | None:
    """Return one row with the count of each queue."""
    return await tx.fetchrow(COUNTS, org_id, limit)
