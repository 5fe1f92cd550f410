"""Statements on provider_orders."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.rails.currencies import FIAT_ASSETS
from landbridge.providers.rails.port import PaymentTracking, RailPayment
from landbridge.providers.sidecar.model import (
    OrderDecision,
    OrderProblem,
    PayoutReport,
    ProviderOrder,
    ProviderOrderState,
)

# Number of webhook ids kept per order: repeated webhooks come soon after the first.
_WEBHOOKS_KEPT = 10

# `on conflict` names no columns: a concurrent insert may violate the other unique constraint.
_ADD = """
insert into provider_orders
    (org_id, key, record_id, provider, asset, units, rail, is_same_day, state, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, 'ASSIGNED', $9)
on conflict do nothing
"""

_FIND = """
select org_id, key, record_id, provider, asset, units, rail, is_same_day, state, open_calls,
    tracking, provider_reference, reason, problem, created_at, answered_at,
    expected_at
from provider_orders where org_id = $1 and key = $2
"""

# An order that was withheld meanwhile is not sent, nor one of a payment of which an order that had
# failed is reported as settled.
_BEGIN_CALL = """
update provider_orders o set open_calls = open_calls + 1, called_at = $4
where org_id = $1 and key = $2 and provider = $3 and state in ('ASSIGNED', 'PENDING')
    and not exists (
        select from provider_orders c
        where c.org_id = o.org_id and c.record_id = o.record_id and c.state = 'FAILED'
            and c.problem = 'CONTRADICTION' and not c.is_closed
    )
returning org_id, key, record_id, provider, asset, units, rail, is_same_day, state, open_calls,
    tracking, provider_reference, reason, problem, created_at, answered_at,
    expected_at
"""

# The order moves to another provider only if no other call may have been carried out.
_END_CALL = """
update provider_orders
set open_calls = open_calls - 1,
    provider = case when open_calls = 1 and state = 'ASSIGNED' then $3 else provider end
where org_id = $1 and key = $2
returning org_id, key, record_id, provider, asset, units, rail, is_same_day, state, open_calls,
    tracking, provider_reference, reason, problem, created_at, answered_at,
    expected_at
"""

# Writes only if the state is the one read: otherwise a concurrent answer was stored first, and the
# caller decides again. A contradiction is kept, even one that was found while this answer, which
# repeats the first one, was being decided. A problem that a person has closed is opened again if
# there is another problem.
_APPLY = """
update provider_orders
set state = $4, reason = $5, provider_reference = coalesce(provider_reference, $7),
    tracking = coalesce($8::jsonb, tracking), answered_at = $9, expected_at = $10,
    problem = case
        when problem in ('CONTRADICTION', 'RETURNED_LATE')
            and (not is_closed or coalesce($6, problem) = problem) then problem
        else $6
    end,
    is_closed = is_closed and problem is not null and case
        when problem in ('CONTRADICTION', 'RETURNED_LATE') then coalesce($6, problem) = problem
        else coalesce($6 = problem, false)
    end
where org_id = $1 and key = $2 and state = $3
returning org_id, key, record_id, provider, asset, units, rail, is_same_day, state, open_calls,
    tracking, provider_reference, reason, problem, created_at, answered_at,
    expected_at
"""

# Reserves the key of an order that is not stored yet: an order added later is found failed.
_RESERVE = """
insert into provider_orders
    (org_id, key, record_id, provider, asset, units, rail, is_same_day, state, reason, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, 'FAILED', $9, $10)
on conflict do nothing
"""

_WITHHOLD = """
update provider_orders set state = 'FAILED', reason = $3, answered_at = $4
where org_id = $1 and key = $2 and state = 'ASSIGNED' and open_calls = 0
"""

# A call that began before $5 without an answer has ended.
_GIVE_UP = """
update provider_orders set state = 'FAILED', reason = $3, answered_at = $4
where org_id = $1 and key = $2 and state = 'ASSIGNED' and coalesce(called_at, created_at) < $5
"""

_DECIDE = """
update provider_orders set state = $3, reason = $4, answered_at = $5
where org_id = $1 and key = $2 and state in ('ASSIGNED', 'PENDING')
"""

_IS_FAILED = """
select state = 'FAILED' from provider_orders where org_id = $1 and key = $2
"""

_IS_CONTRADICTED = """
select exists (
    select from provider_orders
    where org_id = $1 and record_id = $2 and state = 'FAILED' and problem = 'CONTRADICTION'
        and not is_closed
)
"""

_SET_PROBLEM = """
update provider_orders set problem = $3, is_closed = false
where org_id = $1 and key = $2 and problem is distinct from $3
    and (problem is null or is_closed or problem not in ('CONTRADICTION', 'RETURNED_LATE'))
returning true
"""

_FIND_BY_KEY = "select org_id from provider_orders where provider = $1 and key = $2"

# `coalesce` encloses the subscript: a bare one crashes the coordinator of a distributed database.
_NOTE_WEBHOOK = """
update provider_orders
set recheck_at = $4, webhook_ids = coalesce((array[$3] || webhook_ids)[:$5])
where org_id = $1 and key = $2 and not webhook_ids @> array[$3]
returning true
"""

_DUE = """
select org_id, key, record_id, provider, asset, units, rail, is_same_day, state, open_calls,
    tracking, provider_reference, reason, problem, created_at, answered_at,
    expected_at
from provider_orders where org_id = any($1) and recheck_at <= $2
order by recheck_at limit $3
"""

# A webhook that arrived in the meantime has set another time, which is kept.
_END_RECHECK = """
update provider_orders set recheck_at = $4
where org_id = $1 and key = $2 and recheck_at <= $3
"""

_PROBLEMS = """
select org_id, key, record_id, provider, asset, units, rail, is_same_day, state, open_calls,
    tracking, provider_reference, reason, problem, created_at, answered_at,
    expected_at
from provider_orders where org_id = $1 and problem is not null and not is_closed
order by created_at limit $2
"""

_CLOSE = """
update provider_orders set is_closed = true
where provider = $1 and key = $2 and problem is not null and not is_closed
returning true
"""


async def add(tx: Tx, payment: RailPayment, provider: str) -> None:
    """Add an order; a known one stays as it is."""
    await write_row(
        tx,
        _ADD,
        payment,
        provider=provider,
        asset=payment.money.asset.code,
        units=payment.money.units,
        created_at=payment.at,
    )


async def find(tx: Tx, org_id: UUID, key: UUID) -> ProviderOrder | None:
    """Return an order; None if there is none."""
    return _order(await tx.fetchrow(_FIND, org_id, key))


async def begin_call(tx: Tx, order: ProviderOrder, at: datetime) -> ProviderOrder | None:
    """Count a call; None if the order ended, or went to another provider, meanwhile.

    Also None while a failed order of its payment is contradicted.
    """
    return _order(await tx.fetchrow(_BEGIN_CALL, order.org_id, order.key, order.provider, at))


async def end_call(tx: Tx, order: ProviderOrder, next_provider: str) -> ProviderOrder | None:
    """Remove a call without effect; move to the next provider if no other call is open."""
    return _order(await tx.fetchrow(_END_CALL, order.org_id, order.key, next_provider))


async def apply(
    tx: Tx,
    order: ProviderOrder,
    decision: OrderDecision,
    report: PayoutReport | None,
    *,
    at: datetime,
    expected_at: datetime | None = None,
) -> ProviderOrder | None:
    """Store the decision on an answer; None if the order's state has changed since it was read."""
    tracking = None if report is None else msgspec.json.encode(report.tracking).decode()
    return _order(
        await tx.fetchrow(
            _APPLY,
            order.org_id,
            order.key,
            order.state,
            decision.state,
            decision.reason,
            decision.problem,
            None if report is None else report.provider_reference,
            tracking,
            at,
            expected_at,
        )
    )


async def withhold(tx: Tx, payment: RailPayment, provider: str, *, reason: str) -> bool:
    """Fail an order that was never sent, so that it never is; False if it may have been."""
    await write_row(
        tx,
        _RESERVE,
        payment,
        provider=provider,
        asset=payment.money.asset.code,
        units=payment.money.units,
        reason=reason,
        created_at=payment.at,
    )
    await tx.execute(_WITHHOLD, payment.org_id, payment.key, reason, payment.at)
    return bool(await tx.fetchval(_IS_FAILED, payment.org_id, payment.key))


async def give_up(
    tx: Tx, org_id: UUID, key: UUID, *, reason: str, at: datetime, called_before: datetime
) -> bool:
    """Fail an order that its provider has not accepted.

    Return False if the provider has accepted it, or was called since `called_before`.
    """
    await tx.execute(_GIVE_UP, org_id, key, reason, at, called_before)
    return bool(await tx.fetchval(_IS_FAILED, org_id, key))


async def decide_state(
    tx: Tx, org_id: UUID, key: UUID, state: ProviderOrderState, *, reason: str | None, at: datetime
) -> None:
    """End an order as people have decided, if it is stored; a final state is kept."""
    await tx.execute(_DECIDE, org_id, key, state, reason, at)


async def is_contradicted(tx: Tx, org_id: UUID, record_id: UUID) -> bool:
    """Return whether a failed order of a payment is reported as settled, and a person decides."""
    return bool(await tx.fetchval(_IS_CONTRADICTED, org_id, record_id))


async def set_problem(tx: Tx, order: ProviderOrder, problem: OrderProblem) -> bool:
    """Store a problem; return False if it is stored already.

    A contradiction is kept until a person has closed it.
    """
    return bool(await tx.fetchval(_SET_PROBLEM, order.org_id, order.key, problem))


async def note_webhook(tx: Tx, provider: str, key: UUID, webhook_id: str, *, at: datetime) -> bool:
    """Mark the order to be queried; return False if this provider has none with this key.

    A repeated webhook changes nothing. `at` is real time.
    """
    org_id = await tx.fetchval(_FIND_BY_KEY, provider, key)
    if org_id is None:
        return False
    await tx.fetchval(_NOTE_WEBHOOK, org_id, key, webhook_id, at, _WEBHOOKS_KEPT)
    return True


async def due(
    tx: Tx, org_ids: Sequence[UUID], at: datetime, *, limit: int
) -> Sequence[ProviderOrder]:
    """Return the orders announced by webhooks, the longest waiting first."""
    rows = await tx.fetch(_DUE, org_ids, at, limit)
    return [each for each in map(_order, rows) if each is not None]


async def end_recheck(
    tx: Tx, order: ProviderOrder, *, until: datetime, next_at: datetime | None
) -> None:
    """End the query that was due by `until`, or repeat it at `next_at`."""
    await tx.execute(_END_RECHECK, order.org_id, order.key, until, next_at)


async def close(tx: Tx, provider: str, key: UUID) -> bool:
    """Close the problem of an order; return False if it has no open one."""
    return bool(await tx.fetchval(_CLOSE, provider, key))


async def problems(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[ProviderOrder]:
    """Return the orders that need a person, oldest first."""
    rows = await tx.fetch(_PROBLEMS, org_id, limit)
    return [each for each in map(_order, rows) if each is not None]


def _order(row: Row | None) -> ProviderOrder | None:
    if row is None:
        return None
    tracking = row["tracking"]
    return read_row(
        row,
        ProviderOrder,
        money=Money(int(row["units"]), FIAT_ASSETS[row["asset"]]),
        tracking=None if tracking is None else msgspec.json.decode(tracking, type=PaymentTracking),
    )
