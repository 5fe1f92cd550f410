"""Organisations that have rows in a queue, found without a query for each organisation.

Otherwise the worker would, several times a second, look for due rows of each of perhaps ten
thousand organisations. A queue is a table with an index that begins with org_id and contains only
waiting rows. PostgreSQL steps through the index from one organisation to the next, and
organisations without rows cost nothing. Each queue is read in the order of its index, so that
PostgreSQL uses that index even if the plan was made for few rows. The first step starts at the nil
id, which no organisation has.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final, TypeVar
from uuid import UUID

from landbridge.platform.db.pool import Database

T = TypeVar("T")

# With fewer organisations, checking each of them costs less than this statement.
LOOKS_MAX: Final = 100
# With more organisations in the queue, checking each costs less than stepping through the index.
STEPS_MAX: Final = 1000

# Returns up to $1 organisations that have rows in the queue $2.
ORGS = """
with recursive found (org_id) as (
    select '00000000-0000-0000-0000-000000000000'::uuid
    union all
    select case $2::text
        when 'PAYMENTS' then (
            select t.org_id from transfers t
            where t.org_id > f.org_id and t.due_at is not null
            order by t.org_id, t.due_at
            limit 1
        )
        when 'INCOMING_PAYMENTS' then (
            select p.org_id from incoming_payments p
            where p.org_id > f.org_id and p.due_at is not null
            order by p.org_id, p.due_at
            limit 1
        )
        when 'VERIFICATIONS' then (
            select c.org_id from kyc_cases c
            where c.org_id > f.org_id and c.due_at is not null
            order by c.org_id, c.due_at
            limit 1
        )
        when 'EXCHANGES' then (
            select e.org_id from travel_rule_exchanges e
            where e.org_id > f.org_id and e.next_attempt_at is not null
            order by e.org_id, e.next_attempt_at
            limit 1
        )
        when 'EMAILS' then (
            select m.org_id from outbound_emails m
            where m.org_id > f.org_id
            order by m.org_id, m.due_at
            limit 1
        )
        when 'ENDPOINTS' then (
            select e.org_id from webhook_endpoints e
            where e.org_id > f.org_id
            order by e.org_id, e.id
            limit 1
        )
        when 'OPEN_LIMIT_USAGE' then (
            select u.org_id from limit_usage u
            where u.org_id > f.org_id and not u.is_final
            order by u.org_id, u.next_check_at
            limit 1
        )
        when 'ENDED_LIMIT_USAGE' then (
            select u.org_id from limit_usage u
            where u.org_id > f.org_id and u.is_final
            order by u.org_id, u.occurred_at
            limit 1
        )
        when 'UNCOUNTED_LIMIT_RULES' then (
            select r.org_id from limit_rules r
            where r.org_id > f.org_id and not r.is_counted
            order by r.org_id
            limit 1
        )
        when 'LIMIT_COUNTERS' then (
            select c.org_id from limit_counters c
            where c.org_id > f.org_id
            order by c.org_id, c.updated_at
            limit 1
        )
        when 'SNAPSHOTS' then (
            select c.org_id from changes c
            where c.org_id > f.org_id and c.sealed_snapshot is not null
            order by c.org_id, c.occurred_at, c.batch
            limit 1
        )
        when 'REPORT_SCHEDULES' then (
            select s.org_id from report_schedules s
            where s.org_id > f.org_id
            order by s.org_id, s.next_attempt_at
            limit 1
        )
    end
    from found f
    where f.org_id is not null
)
select org_id from found where org_id > '00000000-0000-0000-0000-000000000000' limit $1
"""


class OrgQueue(StrEnum):
    """Queue, by its name in the statement."""

    PAYMENTS = "PAYMENTS"
    INCOMING_PAYMENTS = "INCOMING_PAYMENTS"
    VERIFICATIONS = "VERIFICATIONS"
    EXCHANGES = "EXCHANGES"
    EMAILS = "EMAILS"
    ENDPOINTS = "ENDPOINTS"
    OPEN_LIMIT_USAGE = "OPEN_LIMIT_USAGE"
    ENDED_LIMIT_USAGE = "ENDED_LIMIT_USAGE"
    UNCOUNTED_LIMIT_RULES = "UNCOUNTED_LIMIT_RULES"
    LIMIT_COUNTERS = "LIMIT_COUNTERS"
    SNAPSHOTS = "SNAPSHOTS"
    REPORT_SCHEDULES = "REPORT_SCHEDULES"


async def restrict_to_queues(
    database: Database, queues: Collection[OrgQueue], orgs: Mapping[UUID, T]
) -> Mapping[UUID, T]:
    """Return those of `orgs` that have rows in any of the queues.

    Rows that are not due yet count too. If very many organisations have rows, all are returned.
    """
    if len(orgs) <= LOOKS_MAX:
        return orgs
    found: set[UUID] = set()
    for queue in queues:
        rows = await database.rows(ORGS, STEPS_MAX, queue)
        if len(rows) == STEPS_MAX:
            return orgs
        found.update(row["org_id"] for row in rows)
    return {org_id: orgs[org_id] for org_id in found if org_id in orgs}
