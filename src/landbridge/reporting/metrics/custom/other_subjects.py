"""Reads users, approvals, deliveries and balances for one number of a definition.

Except for the type of users, everything is in the roll-ups or the counts of deliveries. So the
readers of the built-in templates are reused, and the names in their tallies are replaced.
"""

from uuid import UUID

from landbridge.customers.users.model import USER_KIND
from landbridge.reporting.delivery_counts import DeliveryOutcome
from landbridge.reporting.metrics.builtin.approval_turnaround import APPROVAL_TURNAROUND
from landbridge.reporting.metrics.builtin.balances import BALANCES
from landbridge.reporting.metrics.builtin.webhook_health import WEBHOOK_HEALTH
from landbridge.reporting.metrics.custom import bounds, record_store
from landbridge.reporting.metrics.custom.definition import Operand
from landbridge.reporting.metrics.custom.dimensions import DECIDED, USER_TYPE
from landbridge.reporting.metrics.custom.tallies import key, usd_key
from landbridge.reporting.metrics.model import (
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    Tally,
)
from landbridge.reporting.rollups.model import RollupMeasure

_ATTEMPTS = (
    DeliveryOutcome.DELIVERED,
    DeliveryOutcome.REFUSED,
    DeliveryOutcome.FAILED,
    DeliveryOutcome.NO_ANSWER,
)
_DOLLARS = frozenset({"usdc", "usdt", "usd"})


async def read_users(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, _: Operand
) -> list[MetricFact]:
    """Count users: from the roll-ups, or from the table of users if their type is needed."""
    sums = await sources.rollups.sums(org_id, RollupMeasure.USER, [USER_KIND], query.span, by=())
    if USER_TYPE.name not in query.breakdowns and USER_TYPE.name not in query.filters:
        return [MetricFact(each.period, ("",), {key(at, "count"): each.count}) for each in sums]
    count = sum(each.count for each in sums)
    bounds.check_records(count, of="users", most=bounds.RECORDS_MAX)
    found = await bounds.in_time(sources, lambda tx: record_store.users(tx, org_id, query.span))
    allowed = query.filters.get(USER_TYPE.name)
    return [
        MetricFact(period, (type_,), {key(at, "count"): number})
        for period, type_, number in found
        if allowed is None or type_ in allowed
    ]


async def read_approvals(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, _: Operand
) -> list[MetricFact]:
    """Count approvals, and the durations of decided ones."""
    facts = await APPROVAL_TURNAROUND.read(sources, org_id, query)
    found: list[MetricFact] = []
    for each in facts:
        count = sum(each.tally.values())
        tally = {**_durations(at, each.tally), key(at, "count"): count}
        if each.dims[0] in DECIDED:
            tally[key(at, "completed" if each.dims[0] == DECIDED[0] else "failed")] = count
        found.append(MetricFact(each.period, each.dims, tally))
    return _filtered(found, query, APPROVAL_TURNAROUND)


async def read_deliveries(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, _: Operand
) -> list[MetricFact]:
    """Count delivery attempts, and the durations of those with a response."""
    facts = await WEBHOOK_HEALTH.read(sources, org_id, query)
    found: list[MetricFact] = []
    for each in facts:
        attempts = sum(each.tally.get(name, 0) for name in _ATTEMPTS)
        delivered = each.tally.get(DeliveryOutcome.DELIVERED, 0)
        tally: dict[str | int, int] = {
            **_durations(at, each.tally),
            key(at, "count"): attempts,
            key(at, "completed"): delivered,
            key(at, "failed"): attempts - delivered,
        }
        found.append(MetricFact(each.period, each.dims, tally))
    return _filtered(found, query, WEBHOOK_HEALTH)


async def read_balances(
    sources: MetricSources, org_id: UUID, query: MetricQuery, at: int, _: Operand
) -> list[MetricFact]:
    """Return changes of balances, which rows add up to running totals."""
    facts = await BALANCES.read(sources, org_id, query)
    found: list[MetricFact] = []
    for each in facts:
        tally: dict[str | int, int] = {}
        for name, units in each.tally.items():
            currency = str(name).rpartition(".")[2]
            tally[key(at, f"sum.{currency}")] = units
            if currency in _DOLLARS:
                tally[usd_key(at, "sum")] = units
        found.append(MetricFact(each.period, each.dims, tally))
    return _filtered(found, query, BALANCES)


def _durations(at: int, tally: Tally) -> dict[str | int, int]:
    return {
        key(at, f"ms.{name}"): number for name, number in tally.items() if isinstance(name, int)
    }


def _filtered(
    facts: list[MetricFact], query: MetricQuery, template: MetricTemplate
) -> list[MetricFact]:
    """Keep the facts that the filters allow."""
    names = [each.name for each in template.dimensions]
    found: list[MetricFact] = []
    for each in facts:
        values = dict(zip(names, each.dims, strict=True))
        if all(not values[name] or values[name] in query.filters[name] for name in query.filters):
            found.append(each)
    return found
