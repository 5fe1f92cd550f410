"""Statements on open orders and screenings, on problems, and on providers that moved money."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx
from landbridge.providers.kyt.port import SCREENED_WITHIN
from landbridge.providers.sidecar.model import OrderProblem, WaitingOrder, WaitingOrders, overdue_at

# The oldest orders of each provider, with the total number. A screening has no rail.
_WAITING = """
select provider, record_id, rail, is_same_day, problem, created_at, waiting
from (
    select provider, record_id, rail, is_same_day, problem, created_at,
        row_number() over (partition by provider order by created_at) as place,
        count(*) over (partition by provider) as waiting
    from (
        select provider, record_id, rail, is_same_day, problem, created_at
        from provider_orders where org_id = $1 and state in ('ASSIGNED', 'PENDING')
        union all
        select provider, key, null, false, problem, created_at
        from provider_screenings where org_id = $1 and state in ('ASKED', 'PENDING')
    ) o
) w
where place <= $2 order by provider, place
"""

_COUNT = """
select provider, count(*) as waiting, min(created_at) as oldest
from provider_orders where state in ('ASSIGNED', 'PENDING')
group by provider
"""

# A credit without an organisation counts for every organisation.
_PROBLEMS = """
select provider, count(*) as problems
from (
    select provider from provider_orders
    where org_id = $1 and problem is not null and not is_closed
    union all
    select provider from provider_credits
    where (org_id = $1 or org_id is null) and problem is not null and not is_closed
    union all
    select provider from provider_screenings
    where org_id = $1 and problem is not null and not is_closed
    union all
    select provider from provider_applications
    where org_id = $1 and problem is not null and not is_closed
) p
group by provider
"""

_PROBLEMS_OF_ALL = """
select kind, provider, count(*) as problems
from (
    select 'order' as kind, provider from provider_orders
    where problem is not null and not is_closed
    union all
    select 'credit', provider from provider_credits where problem is not null and not is_closed
    union all
    select 'screening', provider from provider_screenings
    where problem is not null and not is_closed
    union all
    select 'application', provider from provider_applications
    where problem is not null and not is_closed
) p
group by kind, provider
"""

_HAS_RUN_LIVE = """
select exists (
        select from provider_orders where org_id = $1 and provider = $2 and state = 'SETTLED'
    )
    or exists (
        select from provider_credits
        where org_id = $1 and provider = $2 and incoming_payment_id is not null
    )
    or exists (
        select from provider_applications
        where org_id = $1 and provider = $2 and state in ('APPROVED', 'DECLINED')
    )
"""


async def waiting(tx: Tx, org_id: UUID, *, limit: int) -> Mapping[str, WaitingOrders]:
    """Return an organisation's waiting orders, by provider; the oldest `limit` of each."""
    found: dict[str, WaitingOrders] = {}
    for row in await tx.fetch(_WAITING, org_id, limit):
        at, rail, problem = row["created_at"], row["rail"], row["problem"]
        order = WaitingOrder(
            row["record_id"],
            at,
            at + SCREENED_WITHIN
            if rail is None
            else overdue_at(rail, at, is_same_day=row["is_same_day"]),
            None if problem is None else OrderProblem(problem),
            is_screening=rail is None,
        )
        known = found.get(row["provider"])
        earlier = () if known is None else known.oldest
        found[row["provider"]] = WaitingOrders(row["waiting"], (*earlier, order))
    return found


async def count(tx: Tx) -> Mapping[str, tuple[int, datetime]]:
    """Return the number of orders that are not final, and the oldest's time, by provider."""
    return {row["provider"]: (row["waiting"], row["oldest"]) for row in await tx.fetch(_COUNT)}


async def problems(tx: Tx, org_id: UUID) -> Mapping[str, int]:
    """Return the number of an organisation's open problems, by provider."""
    return {row["provider"]: row["problems"] for row in await tx.fetch(_PROBLEMS, org_id)}


async def count_problems(tx: Tx) -> Mapping[tuple[str, str], int]:
    """Return the number of open problems of all organisations, by kind and provider."""
    rows = await tx.fetch(_PROBLEMS_OF_ALL)
    return {(row["kind"], row["provider"]): row["problems"] for row in rows}


async def has_run_live(tx: Tx, org_id: UUID, provider: str) -> bool:
    """Return whether a provider has ever paid out, reported a deposit or verified a user.

    Screenings do not count.
    """
    return await tx.fetchval(_HAS_RUN_LIVE, org_id, provider)
