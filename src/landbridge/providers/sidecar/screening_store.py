"""Statements on provider_screenings."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.providers.sidecar.screenings import (
    ProviderScreening,
    ScreeningDecision,
    ScreeningProblem,
)

# `on conflict` names no columns: a concurrent insert may violate either unique constraint.
_ADD = """
insert into provider_screenings (org_id, key, provider, state, created_at, is_small)
values ($1, $2, $3, 'ASKED', $4, $5)
on conflict do nothing
"""

# A screening without a final answer moves to the current route's provider, since it moves no money.
_ASSIGN = """
update provider_screenings set provider = $3
where org_id = $1 and key = $2 and state in ('ASKED', 'PENDING') and provider <> $3
"""

_COUNT_SMALL = """
select count(*)
from (
    select 1 from provider_screenings where org_id = $1 and is_small and created_at > $2 limit $3
) s
"""

_FIND = """
select org_id, key, provider, state, categories, provider_reference, problem, created_at,
    answered_at, expected_at
from provider_screenings where org_id = $1 and key = $2
"""

# Writes only if the state is the one read: otherwise a concurrent answer was stored first, and the
# caller decides again. A contradiction is kept, even one that was found while this answer, which
# repeats the first one, was being decided. A problem that a person has closed is opened again if
# there is another problem.
_APPLY = """
update provider_screenings
set state = $4, categories = $5, provider_reference = $6, answered_at = $8, expected_at = $9,
    problem = case when problem = 'CONTRADICTION' then problem else $7 end,
    is_closed = is_closed and problem is not null and problem in ('CONTRADICTION', coalesce($7, ''))
where org_id = $1 and key = $2 and state = $3
returning org_id, key, provider, state, categories, provider_reference, problem, created_at,
    answered_at, expected_at
"""

_SET_PROBLEM = """
update provider_screenings set problem = $3, is_closed = false
where org_id = $1 and key = $2 and problem is distinct from $3
    and (problem is null or problem <> 'CONTRADICTION')
returning true
"""

_NOTE_WEBHOOK = """
update provider_screenings set recheck_at = $3 where provider = $1 and key = $2
returning true
"""

_DUE = """
select org_id, key, provider, state, categories, provider_reference, problem, created_at,
    answered_at, expected_at
from provider_screenings where org_id = any($1) and recheck_at <= $2
order by recheck_at limit $3
"""

# A webhook that arrived in the meantime has set another time, which is kept.
_END_RECHECK = """
update provider_screenings set recheck_at = $4
where org_id = $1 and key = $2 and recheck_at <= $3
"""

_PROBLEMS = """
select org_id, key, provider, state, categories, provider_reference, problem, created_at,
    answered_at, expected_at
from provider_screenings where org_id = $1 and problem is not null and not is_closed
order by created_at limit $2
"""

_CLOSE = """
update provider_screenings set is_closed = true
where provider = $1 and key = $2 and problem is not null and not is_closed
returning true
"""


async def count_small(tx: Tx, org_id: UUID, since: datetime, *, limit: int) -> int:
    """Return the number of an organisation's screened small deposits, at most `limit`."""
    return await tx.fetchval(_COUNT_SMALL, org_id, since, limit)


async def add(
    tx: Tx, org_id: UUID, key: UUID, provider: str, at: datetime, *, is_small: bool
) -> None:
    """Add a screening for a provider; a stored one without a final answer moves to it."""
    await tx.execute(_ADD, org_id, key, provider, at, is_small)
    await tx.execute(_ASSIGN, org_id, key, provider)


async def find(tx: Tx, org_id: UUID, key: UUID) -> ProviderScreening | None:
    """Return a screening; None if there is none."""
    row = await tx.fetchrow(_FIND, org_id, key)
    return None if row is None else _screening(row)


async def apply(
    tx: Tx,
    screening: ProviderScreening,
    decision: ScreeningDecision,
    *,
    at: datetime,
    expected_at: datetime | None,
) -> ProviderScreening | None:
    """Store the decision on an answer; None if the screening's state changed since it was read."""
    row = await tx.fetchrow(
        _APPLY,
        screening.org_id,
        screening.key,
        screening.state,
        decision.state,
        [each.value for each in decision.categories],
        decision.reference,
        decision.problem,
        at,
        expected_at,
    )
    return None if row is None else _screening(row)


async def set_problem(tx: Tx, org_id: UUID, key: UUID, problem: ScreeningProblem) -> bool:
    """Store a problem; return False if it is stored already.

    A contradiction is kept until a person has closed it.
    """
    return bool(await tx.fetchval(_SET_PROBLEM, org_id, key, problem))


async def note_webhook(tx: Tx, provider: str, key: UUID, *, at: datetime) -> bool:
    """Mark the screening to be queried; return False if this provider has none.

    `at` is real time.
    """
    return bool(await tx.fetchval(_NOTE_WEBHOOK, provider, key, at))


async def due(
    tx: Tx, org_ids: Sequence[UUID], at: datetime, *, limit: int
) -> Sequence[ProviderScreening]:
    """Return the screenings announced by webhooks, the longest waiting first."""
    return [_screening(row) for row in await tx.fetch(_DUE, org_ids, at, limit)]


async def end_recheck(
    tx: Tx, screening: ProviderScreening, *, until: datetime, next_at: datetime | None
) -> None:
    """End the query caused by webhooks up to `until`, or repeat it at `next_at`."""
    await tx.execute(_END_RECHECK, screening.org_id, screening.key, until, next_at)


async def problems(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[ProviderScreening]:
    """Return screenings with open problems, oldest first."""
    return [_screening(row) for row in await tx.fetch(_PROBLEMS, org_id, limit)]


async def close(tx: Tx, provider: str, key: UUID) -> bool:
    """Close the problem of a screening; return False if it has no open one."""
    return bool(await tx.fetchval(_CLOSE, provider, key))


def _screening(row: Row) -> ProviderScreening:
    return read_row(
        row,
        ProviderScreening,
        reference=row["provider_reference"],
    )
