"""APPROVAL_TURNAROUND: how long payments wait for an admin."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.payments.approvals.model import ApprovalStatus
from landbridge.reporting.metrics.builtin.durations import ROUNDING, percentile_seconds
from landbridge.reporting.metrics.model import (
    Dimension,
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    Tally,
    Values,
)
from landbridge.reporting.rollups.model import Durations, RollupMeasure

# Decided by an admin; the others are still pending or expired.
_DECIDED = frozenset({ApprovalStatus.APPROVED, ApprovalStatus.REJECTED})


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    found = await sources.rollups.durations(org_id, RollupMeasure.APPROVAL, query.span, ())
    return [_fact(each) for each in found if each.counts]


def _fact(each: Durations) -> MetricFact:
    count = sum(each.counts.values())
    tally: Tally = {"count": count}
    if each.a in _DECIDED:
        tally = {**each.counts, "count": count, "decided": count}
    return MetricFact(each.period, (each.a,), tally)


def _values(tally: Tally) -> Values:
    return {
        "approvalCount": tally.get("count", 0),
        "decidedCount": tally.get("decided", 0),
        **percentile_seconds(tally),
    }


APPROVAL_TURNAROUND = MetricTemplate(
    name="APPROVAL_TURNAROUND",
    display_name="Approval Turnaround",
    description=(
        "Approvals by the time of their request, and how long it took until they were approved"
        " or rejected: the time that half of these did not exceed, and 95 in 100. Each is rounded"
        f" up {ROUNDING}."
    ),
    dimensions=(
        Dimension(
            name="approvalStatus",
            param="approvalStatuses",
            options=tuple(str(status) for status in ApprovalStatus),
            description="Only approvals in these statuses; all if left out.",
        ),
    ),
    fields=("approvalCount", "decidedCount", "p50Seconds", "p95Seconds"),
    read=_read,
    values=_values,
    is_by_day=True,
    defaults={},
)
