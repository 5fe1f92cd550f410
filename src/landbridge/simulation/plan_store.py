"""Every statement on sandbox_plans and sandbox_forced."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.db.pool import Tx

_KEEP = """
insert into sandbox_plans (org_id, record_id, plan) values ($1, $2, $3)
on conflict (org_id, record_id) do nothing
"""

_FIND = """
select i.place, p.plan
from unnest($1::uuid[], $2::uuid[]) with ordinality as i (org_id, record_id, place)
join sandbox_plans p on p.org_id = i.org_id and p.record_id = i.record_id
"""

_OF = """
select record_id, plan from sandbox_plans where org_id = $1 and record_id = any($2::uuid[])
"""

_CLAIM = """
insert into sandbox_forced (org_id, record_id, step, key, call_id, first_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (org_id, record_id, step) do nothing
"""

_CLAIMED = """
select key, call_id, first_at from sandbox_forced
where org_id = $1 and record_id = $2 and step = $3
"""


async def keep(tx: Tx, org_id: UUID, record_id: UUID, text: str) -> None:
    """Keep a plan beside its record; done again, nothing."""
    await tx.execute(_KEEP, org_id, record_id, text)


async def find(tx: Tx, keys: Sequence[tuple[UUID, UUID]]) -> dict[int, str]:
    """The plans of (organisation, record), by their place in `keys`; of those that have one."""
    rows = await tx.fetch(
        _FIND, [org_id for org_id, _ in keys], [record_id for _, record_id in keys]
    )
    return {row["place"] - 1: row["plan"] for row in rows}


async def of(tx: Tx, org_id: UUID, ids: Collection[UUID]) -> dict[UUID, str]:
    """The plans of an organisation's records, of those that have one."""
    return {row["record_id"]: row["plan"] for row in await tx.fetch(_OF, org_id, list(ids))}


async def claim(
    tx: Tx, org_id: UUID, record_id: UUID, step: str, *, key: UUID, call_id: UUID, at: datetime
) -> tuple[UUID, UUID, datetime]:
    """Say that a step was reached; the key, call and time of whoever said so first."""
    await tx.execute(_CLAIM, org_id, record_id, step, key, call_id, at)
    row = await tx.fetchrow(_CLAIMED, org_id, record_id, step)
    assert row is not None, "what was just claimed is claimed"
    return row["key"], row["call_id"], row["first_at"]
