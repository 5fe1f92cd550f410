"""Statements on provider_applications. Times are real time."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.providers.sidecar.applications import (
    ApplicationDecision,
    ApplicationProblem,
    ApplicationReference,
    ProviderApplication,
)

# `on conflict` names no columns: a concurrent insert may violate either unique constraint.
_ADD = """
insert into provider_applications (org_id, key, case_id, provider, state, created_at)
values ($1, $2, $3, $4, 'ASKED', $5)
on conflict do nothing
"""

# An application that no provider has answered goes to the provider of the current route.
_ASSIGN = """
update provider_applications set provider = $3
where org_id = $1 and key = $2 and state = 'ASKED' and provider <> $3
"""

_FIND = """
select org_id, key, case_id, provider, state, provider_reference, problem, created_at
from provider_applications where org_id = $1 and key = $2
"""

# Writes only if the state is the one read: otherwise a concurrent answer was stored first, and the
# caller decides again. A contradiction is kept, even one that was found while this answer, which
# repeats the first one, was being decided. A problem that a person has closed is opened again if
# there is another problem.
_APPLY = """
update provider_applications
set state = $4, provider_reference = $5, answered_at = $7,
    problem = case when problem = 'CONTRADICTION' then problem else $6 end,
    is_closed = is_closed and problem is not null and problem in ('CONTRADICTION', coalesce($6, ''))
where org_id = $1 and key = $2 and state = $3
returning org_id, key, case_id, provider, state, provider_reference, problem, created_at
"""

_SET_PROBLEM = """
update provider_applications set problem = $3, is_closed = false
where org_id = $1 and key = $2 and problem is distinct from $3
    and (problem is null or problem <> 'CONTRADICTION')
returning true
"""

_REFUSE = """
update provider_applications set state = 'REFUSED'
where org_id = $1 and key = $2 and state in ('ASKED', 'CREATED')
"""

_FORGET = "delete from provider_applications where org_id = $1 and case_id = any($2::uuid[])"

_NOTE_WEBHOOK = """
update provider_applications set recheck_at = $3 where provider = $1 and key = $2
returning true
"""

_DUE = """
select org_id, key, case_id, provider, state, provider_reference, problem, created_at
from provider_applications where org_id = any($1) and recheck_at <= $2
order by recheck_at limit $3
"""

# A webhook that arrived in the meantime has set another time, which is kept.
_END_RECHECK = """
update provider_applications set recheck_at = $4
where org_id = $1 and key = $2 and recheck_at <= $3
"""

_PROBLEMS = """
select org_id, key, case_id, provider, state, provider_reference, problem, created_at
from provider_applications where org_id = $1 and problem is not null and not is_closed
order by created_at limit $2
"""

_CLOSE = """
update provider_applications set is_closed = true
where provider = $1 and key = $2 and problem is not null and not is_closed
returning true
"""


async def add(tx: Tx, where: ApplicationReference, case_id: UUID, *, at: datetime) -> None:
    """Add an application for a provider; a stored one without an answer moves to this provider."""
    await tx.execute(_ADD, where.org_id, where.key, case_id, where.provider, at)
    await tx.execute(_ASSIGN, where.org_id, where.key, where.provider)


async def find(tx: Tx, org_id: UUID, key: UUID) -> ProviderApplication | None:
    """Return an application; None if there is none."""
    row = await tx.fetchrow(_FIND, org_id, key)
    return None if row is None else _application(row)


async def apply(
    tx: Tx, application: ProviderApplication, decision: ApplicationDecision, *, at: datetime
) -> ProviderApplication | None:
    """Store the decision on an answer; None if the application's state changed since read."""
    row = await tx.fetchrow(
        _APPLY,
        application.org_id,
        application.key,
        application.state,
        decision.state,
        decision.reference,
        decision.problem,
        at,
    )
    return None if row is None else _application(row)


async def set_problem(tx: Tx, org_id: UUID, key: UUID, problem: ApplicationProblem) -> bool:
    """Store a problem; return False if it is stored already.

    A contradiction is kept until a person has closed it.
    """
    return bool(await tx.fetchval(_SET_PROBLEM, org_id, key, problem))


async def refuse(tx: Tx, org_id: UUID, key: UUID) -> None:
    """Store that the provider refused an application, so that nothing waits for it."""
    await tx.execute(_REFUSE, org_id, key)


async def forget(tx: Tx, org_id: UUID, case_ids: Collection[UUID]) -> None:
    """Delete the applications of an erased user's cases."""
    await tx.execute(_FORGET, org_id, list(case_ids))


async def note_webhook(tx: Tx, provider: str, key: UUID, *, at: datetime) -> bool:
    """Mark the application to be queried; return False if this provider has none with this key."""
    return bool(await tx.fetchval(_NOTE_WEBHOOK, provider, key, at))


async def due(
    tx: Tx, org_ids: Sequence[UUID], at: datetime, *, limit: int
) -> Sequence[ProviderApplication]:
    """Return the applications announced by webhooks, the longest waiting first."""
    return [_application(row) for row in await tx.fetch(_DUE, org_ids, at, limit)]


async def end_recheck(
    tx: Tx, application: ProviderApplication, *, until: datetime, next_at: datetime | None
) -> None:
    """End the query caused by webhooks up to `until`, or repeat it at `next_at`."""
    await tx.execute(_END_RECHECK, application.org_id, application.key, until, next_at)


async def problems(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[ProviderApplication]:
    """Return applications with open problems, oldest first."""
    return [_application(row) for row in await tx.fetch(_PROBLEMS, org_id, limit)]


async def close(tx: Tx, provider: str, key: UUID) -> bool:
    """Close the problem of an application; return False if it has no open one."""
    return bool(await tx.fetchval(_CLOSE, provider, key))


def _application(row: Row) -> ProviderApplication:
    return read_row(
        row,
        ProviderApplication,
        reference=row["provider_reference"],
    )
