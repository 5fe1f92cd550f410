"""History of an organisation: records in given statuses at given times.

Rows of transactions and of the log without money: reports read nothing else of a payment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.reporting.metrics.contract_templates import TYPES, counted_status
from tests.change_log import placed
from tests.tenants import Tenant

_RECORDS = """
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, created_at, updated_at
)
select $1, r.id, r.kind, r.user_id, r.id, '{}', r.status, 1, 'usdc:POLYGON', r.units,
    'usdc:POLYGON', r.units,
    jsonb_build_object('amount_units', r.units, 'worth_usd', r.units / 1000000::numeric),
    r.at, r.at
from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::numeric[], $7::timestamptz[])
    as r (id, kind, user_id, status, units, at)
"""
_CHANGES = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, facts,
    occurred_at, is_settled, batch
)
select t.org_id, t.id, 1, t.kind, 'open', null, t.status, 'test', '{}', t.created_at, true,
    b.number
from transfers t
cross join batch b
where t.org_id = $1 and t.id = any($2::uuid[])
"""


@dataclass(frozen=True, slots=True)
class Paid:
    """Record; `cents` is its USD value."""

    at: datetime
    kind: str
    status: str
    user: UUID
    cents: int

    @property
    def type(self) -> str | None:
        """Transaction type in reports; None if it is not reported."""
        return next((name for name, kinds in TYPES.items() if self.kind in kinds), None)

    @property
    def counted(self) -> str:
        """Status under which it is counted."""
        return counted_status(self.kind, self.status)


async def put(org: Tenant, paid: Sequence[Paid]) -> None:
    """Put records into the books and into the log."""
    ids = [new_id() for _ in paid]

    async def work(tx: Tx) -> None:
        await tx.execute(
            _RECORDS,
            org.org_id,
            ids,
            [each.kind for each in paid],
            [each.user for each in paid],
            [each.status for each in paid],
            [each.cents * 10_000 for each in paid],
            [each.at for each in paid],
        )
        await tx.execute(_CHANGES, org.org_id, ids)

    await org.container.database.transact(work)


async def fold(org: Tenant) -> None:
    """Fold the whole log."""
    await placed(org.container.database)
    while await org.container.rollup_updater.run_once({org.org_id: timedelta()}):
        pass
