"""Statements that book the gas of final orders."""

from collections.abc import Sequence
from datetime import datetime

from landbridge.platform.db.pool import Tx
from landbridge.platform.db.rows import read_row
from landbridge.providers.evm.gas.model import GasCost

# Gas that a reopened order paid before is booked already. Orders that another worker is booking now
# are left out.
_LOCK_DUE = """
select o.org_id, o.key, o.record_id, o.chain, t.user_id, o.gas_records,
    case when o.gas_records > 0 then o.gas_wei else 0 end as booked_wei,
    (
        select coalesce(sum(a.gas_wei), 0)
        from chain_attempts a
        where a.org_id = o.org_id and a.key = o.key
    ) + (
        select coalesce(sum(s.paid_lamports), 0)
        from solana_attempts s
        where s.org_id = o.org_id and s.key = o.key
    ) as wei
from chain_orders o
join transfers t on t.org_id = o.org_id and t.id = o.record_id
where o.state in ('FINAL', 'REVERTED', 'REJECTED') and o.gas_booked_at is null
order by o.updated_at, o.org_id, o.key
limit $1
for update of o skip locked
"""

_SET_BOOKED = """
update chain_orders o
set gas_booked_at = $1, gas_wei = i.wei
from unnest($2::uuid[], $3::uuid[], $4::numeric[]) as i (org_id, key, wei)
where o.org_id = i.org_id and o.key = i.key and o.gas_booked_at is null
"""


async def lock_due(tx: Tx, *, limit: int) -> list[GasCost]:
    """Lock final orders whose gas is not booked; return their costs, the longest final first."""
    return [
        read_row(row, GasCost, number=row["gas_records"])
        for row in await tx.fetch(_LOCK_DUE, limit)
    ]


async def set_booked(tx: Tx, costs: Sequence[GasCost], at: datetime) -> None:
    """Mark the gas of these orders as booked."""
    await tx.execute(
        _SET_BOOKED,
        at,
        [each.org_id for each in costs],
        [each.key for each in costs],
        [each.wei for each in costs],
    )
