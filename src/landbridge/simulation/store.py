"""Every statement on sandbox_operations and sandbox_paces."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from landbridge.db.pool import Row, Tx
from landbridge.simulation.model import Ending, Operation, Pace, Paces, Part

# The pace is the organisation's as it is in this moment; at the instant one nothing takes time.
_ADD = """
insert into sandbox_operations
    (org_id, part, key, ordered, reply, outcome, reason, accepted_at, settles_at, is_silent)
select i.org_id, i.part, i.key, i.ordered::jsonb, i.reply::jsonb, i.outcome, i.reason,
    i.accepted_at,
    case
        when not i.is_paced then i.settles_at
        when i.part = 'chain' and p.chains = 'real' then i.settles_at
        when i.part = 'bank' and p.rails = 'real' then i.settles_at
        else i.accepted_at
    end,
    i.is_silent
from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::boolean[]
) as i (
    org_id, part, key, ordered, reply, outcome, reason, accepted_at, settles_at, is_paced, is_silent
)
left join sandbox_paces p on p.org_id = i.org_id
on conflict (org_id, part, key) do nothing
"""

_FIND = """
select i.place, o.org_id, o.part, o.key, o.ordered, o.reply, o.outcome, o.reason, o.accepted_at,
    o.settles_at, o.is_silent
from unnest($1::uuid[], $2::text[], $3::uuid[]) with ordinality as i (org_id, part, key, place)
join sandbox_operations o on o.org_id = i.org_id and o.part = i.part and o.key = i.key
"""

_PACES = "select chains, rails from sandbox_paces where org_id = $1"

_SET_PACES = """
insert into sandbox_paces (org_id, chains, rails) values ($1, $2, $3)
on conflict (org_id) do update set chains = excluded.chains, rails = excluded.rails
where (sandbox_paces.chains, sandbox_paces.rails) <> (excluded.chains, excluded.rails)
returning org_id
"""


async def add(tx: Tx, operations: Sequence[Operation]) -> None:
    """Remember each that is not remembered yet, at its organisation's pace."""
    await tx.execute(
        _ADD,
        [each.org_id for each in operations],
        [each.part.value for each in operations],
        [each.key for each in operations],
        [msgspec.json.encode(each.ordered).decode() for each in operations],
        [msgspec.json.encode(each.reply).decode() for each in operations],
        [each.ending.value for each in operations],
        [each.reason for each in operations],
        [each.accepted_at for each in operations],
        [each.settles_at for each in operations],
        [each.is_paced for each in operations],
        [each.is_silent for each in operations],
    )


async def find(tx: Tx, keys: Sequence[tuple[UUID, Part, UUID]]) -> dict[int, Operation]:
    """Those that are remembered, by their place in `keys`."""
    rows = await tx.fetch(
        _FIND,
        [org_id for org_id, _, _ in keys],
        [part.value for _, part, _ in keys],
        [key for _, _, key in keys],
    )
    return {row["place"] - 1: _operation(row) for row in rows}


async def paces(tx: Tx, org_id: UUID) -> Paces:
    """How fast chains and banks are for an organisation."""
    row = await tx.fetchrow(_PACES, org_id)
    return Paces() if row is None else Paces(Pace(row["chains"]), Pace(row["rails"]))


async def set_paces(tx: Tx, org_id: UUID, told: Paces) -> bool:
    """Set how fast chains and banks are for an organisation; False if they are already."""
    changed = await tx.fetchval(_SET_PACES, org_id, told.chains.value, told.rails.value)
    return changed is not None


def _operation(row: Row) -> Operation:
    return Operation(
        org_id=row["org_id"],
        part=Part(row["part"]),
        key=row["key"],
        ordered=msgspec.json.decode(row["ordered"]),
        reply=msgspec.json.decode(row["reply"]),
        accepted_at=row["accepted_at"],
        settles_at=row["settles_at"],
        ending=Ending(row["outcome"]),
        reason=row["reason"],
        is_silent=row["is_silent"],
    )
