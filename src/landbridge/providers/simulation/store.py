"""Statements on sandbox_orders and sandbox_latencies.

An order that is carried out writes its movements into sandbox_movements (movement_store.py).
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import column_arrays, read_row
from landbridge.providers.simulation.model import (
    LatencyProfile,
    LatencyProfiles,
    OrderResult,
    SimulatedOrder,
    SimulatedSystem,
)

# Applies the organisation's current latency profile; with instant latency, orders settle at once.
_ADD = """
with added as (
insert into sandbox_orders
    (org_id, system, key, request, response, outcome, reason, accepted_at, settles_at, is_silent)
select i.org_id, i.system, i.key, i.request::jsonb, i.response::jsonb, i.outcome, i.reason,
    i.accepted_at,
    case
        when not i.is_paced then i.settles_at
        when i.system = 'chain' and p.chain_latency = 'real' then i.settles_at
        when i.system = 'bank' and p.rail_latency = 'real' then i.settles_at
        else i.accepted_at
    end,
    i.is_silent
from unnest(
    $1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::boolean[]
) as i (
    org_id, system, key, request, response, outcome, reason, accepted_at, settles_at, is_paced,
    is_silent
)
left join sandbox_latencies p on p.org_id = i.org_id
on conflict (org_id, system, key) do nothing
returning org_id, system, key, request, response, outcome, reason, accepted_at, settles_at,
    is_silent
), moved as (
insert into sandbox_movements
    (org_id, chain, transaction_hash, log_index, asset, units, source, destination, settles_at)
select a.org_id, a.request ->> 'chain', a.response ->> 'transaction_hash', l.place - 1,
    l.leg ->> 'asset', (l.leg ->> 'units')::numeric,
    case when a.request ->> 'action' <> 'mint' then a.request ->> 'source' end,
    case when a.request ->> 'action' <> 'burn' then l.leg ->> 'address' end,
    a.settles_at
from added a
cross join jsonb_array_elements(a.request -> 'legs') with ordinality as l (leg, place)
where a.system = 'chain' and a.outcome = 'DONE' and a.request ->> 'action' <> 'approve'
)
select a.org_id, a.system, a.key, a.request, a.response, a.outcome, a.reason, a.accepted_at,
    a.settles_at, a.is_silent
from added a
"""

_FIND = """
select i.place, o.org_id, o.system, o.key, o.request, o.response, o.outcome, o.reason,
    o.accepted_at,
    o.settles_at, o.is_silent
from unnest($1::uuid[], $2::text[], $3::uuid[]) with ordinality as i (org_id, system, key, place)
join sandbox_orders o on o.org_id = i.org_id and o.system = i.system and o.key = i.key
"""

_GET_LATENCIES = "select chain_latency, rail_latency from sandbox_latencies where org_id = $1"

_SET_LATENCIES = """
insert into sandbox_latencies (org_id, chain_latency, rail_latency) values ($1, $2, $3)
on conflict (org_id) do update set chain_latency = excluded.chain_latency,
rail_latency = excluded.rail_latency
where (sandbox_latencies.chain_latency, sandbox_latencies.rail_latency) <> (excluded.chain_latency,
    excluded.rail_latency)
returning org_id
"""


async def add(tx: Tx, operations: Sequence[SimulatedOrder]) -> list[SimulatedOrder]:
    """Store new orders with their organisations' latency profiles, and return those."""
    rows = await tx.fetch(
        _ADD,
        *column_arrays(
            _ADD,
            operations,
            request=[msgspec.json.encode(each.request).decode() for each in operations],
            response=[msgspec.json.encode(each.response).decode() for each in operations],
            outcome=[each.result.value for each in operations],
        ),
    )
    return [_operation(row) for row in rows]


async def find(
    tx: Tx, keys: Sequence[tuple[UUID, SimulatedSystem, UUID]]
) -> dict[int, SimulatedOrder]:
    """Return stored orders, by their position in `keys`."""
    rows = await tx.fetch(
        _FIND,
        [org_id for org_id, _, _ in keys],
        [system.value for _, system, _ in keys],
        [key for _, _, key in keys],
    )
    return {row["place"] - 1: _operation(row) for row in rows}


async def get_latencies(tx: Tx, org_id: UUID) -> LatencyProfiles:
    """Return the latency profiles of an organisation."""
    row = await tx.fetchrow(_GET_LATENCIES, org_id)
    return (
        LatencyProfiles()
        if row is None
        else LatencyProfiles(
            LatencyProfile(row["chain_latency"]), LatencyProfile(row["rail_latency"])
        )
    )


async def set_latencies(tx: Tx, org_id: UUID, profiles: LatencyProfiles) -> bool:
    """Set the latency profiles of an organisation; return False if nothing changed."""
    changed = await tx.fetchval(_SET_LATENCIES, org_id, profiles.chains.value, profiles.rails.value)
    return changed is not None


def _operation(row: Row) -> SimulatedOrder:
    return read_row(
        row,
        SimulatedOrder,
        request=msgspec.json.decode(row["request"]),
        response=msgspec.json.decode(row["response"]),
        result=OrderResult(row["outcome"]),
    )
