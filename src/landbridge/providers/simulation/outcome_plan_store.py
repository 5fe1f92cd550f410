"""Statements on sandbox_outcome_plans and sandbox_scripted_outcomes."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.platform.db.pool import Tx

_ADD = """
insert into sandbox_outcome_plans (org_id, record_id, plan) values ($1, $2, $3)
on conflict (org_id, record_id) do nothing
"""

_FIND = """
select i.place, p.plan
from unnest($1::uuid[], $2::uuid[]) with ordinality as i (org_id, record_id, place)
join sandbox_outcome_plans p on p.org_id = i.org_id and p.record_id = i.record_id
"""

_LIST = """
select record_id, plan from sandbox_outcome_plans where org_id = $1 and record_id = any($2::uuid[])
"""

_CLAIM = """
insert into sandbox_scripted_outcomes (org_id, record_id, step, key, call_id, first_reached_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (org_id, record_id, step) do nothing
"""

_CLAIMED = """
select key, call_id, first_reached_at from sandbox_scripted_outcomes
where org_id = $1 and record_id = $2 and step = $3
"""


async def add(tx: Tx, org_id: UUID, record_id: UUID, text: str) -> None:
    """Store a plan with its record; a repeated call changes nothing."""
    await tx.execute(_ADD, org_id, record_id, text)


async def find(tx: Tx, keys: Sequence[tuple[UUID, UUID]]) -> dict[int, str]:
    """Return the plans of (organisation, record) pairs that have one, by position in `keys`."""
    rows = await tx.fetch(
        _FIND, [org_id for org_id, _ in keys], [record_id for _, record_id in keys]
    )
    return {row["place"] - 1: row["plan"] for row in rows}


async def list_by_records(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the plans of those of these records that have one."""
    return {row["record_id"]: row["plan"] for row in await tx.fetch(_LIST, org_id, list(ids))}


async def claim(
    tx: Tx, org_id: UUID, record_id: UUID, step: str, *, key: UUID, call_id: UUID, at: datetime
) -> tuple[UUID, UUID, datetime]:
    """Record that a step was reached; return key, call and time of the first call."""
    await tx.execute(_CLAIM, org_id, record_id, step, key, call_id, at)
    row = await tx.fetchrow(_CLAIMED, org_id, record_id, step)
    assert row is not None, "what was just claimed is claimed"
    return row["key"], row["call_id"], row["first_reached_at"]
