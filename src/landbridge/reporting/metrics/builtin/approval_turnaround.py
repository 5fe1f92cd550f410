"""APPROVAL_TURNAROUND: how long payments wait for an admin."""

from collections.abc import Sequence
from typing import cast
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

# Statuses of approvals that an admin has decided; the others are pending or expired.
_DECIDED = frozenset({ApprovalStatus.APPROVED, ApprovalStatus.REJECTED})
# Tally name of undecided approvals; decided ones are counted by their durations.
_UNDECIDED = "undecided"


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    found = await sources.rollups.durations(org_id, RollupMeasure.APPROVAL, query.span, ())
    return [_fact(each) for each in found if each.counts]


def _fact(each: Durations) -> MetricFact:
    if each.a in _DECIDED:
        return MetricFact(each.period, (each.a,), cast("Tally", each.counts))
    return MetricFact(each.period, (each.a,), {_UNDECIDED: sum(each.counts.values())})


def _values(tally: Tally) -> Values:
    durations = dict(tally)
    undecided = durations.pop(_UNDECIDED, 0)
    decided = sum(durations.values())
    return {
        "approvalCount": undecided + decided,
        "decidedCount": decided,
        **percentile_seconds(durations),
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
