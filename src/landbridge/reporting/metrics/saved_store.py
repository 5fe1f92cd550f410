"""Statements on report_metrics.

Writers that add a metric or lengthen its parameters lock the organisation's row first, so that the
total can be bounded.
"""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.reporting.metrics.params import as_json, from_json
from landbridge.reporting.metrics.saved_model import SavedMetric

_LOCK_ORG = "select id from orgs where id = $1 for no key update"

_ADD = """
insert into report_metrics (
    org_id, id, template, name, params, version, created_at, updated_at
)
values ($1, $2, $3, $4, $5::text::json, $6, $7, $8)
"""

_GET = """
select org_id, id, template, name, params::text, version, created_at, updated_at
from report_metrics
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, template, name, params::text, version, created_at, updated_at
from report_metrics
where org_id = $1 and id = $2
for no key update
"""

_PAGE = """
select org_id, id, template, name, params::text, version, created_at, updated_at
from report_metrics
where org_id = $1
order by created_at desc, id desc
"""

# Reads at most `METRICS_MAX` rows.
_OTHERS = """
select count(*) as metrics, coalesce(sum(octet_length(params::text)), 0)::bigint as params_bytes
from report_metrics
where org_id = $1 and id <> $2
"""

_UPDATE = """
update report_metrics
set name = $3, params = $4::text::json, version = $5, updated_at = $6, template = $7
where org_id = $1 and id = $2
"""

_DELETE = "delete from report_metrics where org_id = $1 and id = $2"


class SavedMetricUsage(NamedTuple):
    """Number of metrics and total size of their parameters."""

    metrics: int
    params_bytes: int


async def lock_org(tx: Tx, org_id: UUID) -> None:
    """Lock the organisation against concurrent additions and changes until the transaction ends."""
    await tx.execute(_LOCK_ORG, org_id)


async def add(tx: Tx, metric: SavedMetric) -> None:
    """Store a new metric."""
    await write_row(tx, _ADD, metric, params=as_json(metric.params))


async def get(tx: Tx, org_id: UUID, metric_id: UUID) -> SavedMetric | None:
    """Return a metric of this organisation."""
    row = await tx.fetchrow(_GET, org_id, metric_id)
    return None if row is None else _metric(row)


async def lock(tx: Tx, org_id: UUID, metric_id: UUID) -> SavedMetric | None:
    """Return a metric and lock it until the transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, metric_id)
    return None if row is None else _metric(row)


async def page(tx: Tx, org_id: UUID) -> Sequence[SavedMetric]:
    """Return all metrics of an organisation, newest first."""
    return [_metric(row) for row in await tx.fetch(_PAGE, org_id)]


async def others(tx: Tx, metric: SavedMetric) -> SavedMetricUsage:
    """Return the usage of the organisation without this metric."""
    row = await tx.fetchrow(_OTHERS, metric.org_id, metric.id)
    return (
        SavedMetricUsage(0, 0)
        if row is None
        else SavedMetricUsage(row["metrics"], row["params_bytes"])
    )


async def update(tx: Tx, metric: SavedMetric) -> None:
    """Update a locked metric."""
    await write_row(tx, _UPDATE, metric, params=as_json(metric.params))


async def delete(tx: Tx, org_id: UUID, metric_id: UUID) -> None:
    """Delete a locked metric."""
    await tx.execute(_DELETE, org_id, metric_id)


def params_bytes(metric: SavedMetric) -> int:
    """Return the size of the parameters as stored."""
    return len(as_json(metric.params))


def _metric(row: Row) -> SavedMetric:
    return read_row(row, SavedMetric, params=from_json(row["params"]))
