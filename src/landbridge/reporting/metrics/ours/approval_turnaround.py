"""APPROVAL_TURNAROUND: how long payments wait for an admin."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.approvals.model import Status
from landbridge.reporting.metrics.model import (
    Dimension,
    Fact,
    Question,
    Sources,
    Tally,
    Template,
    Values,
)
from landbridge.reporting.metrics.ours.durations import ROUNDING, percentile_seconds
from landbridge.reporting.rollups.model import Durations, Measure

# An admin's doing; the others wait still, or nobody decided in time.
_DECIDED = frozenset({Status.APPROVED, Status.REJECTED})


async def _read(sources: Sources, org_id: UUID, question: Question) -> Sequence[Fact]:
    found = await sources.rollups.durations(org_id, Measure.APPROVAL, question.span, ())
    return [_fact(each) for each in found if each.counts]


def _fact(each: Durations) -> Fact:
    count = sum(each.counts.values())
    tally: Tally = {"count": count}
    if each.a in _DECIDED:
        tally = {**each.counts, "count": count, "decided": count}
    return Fact(each.period, (each.a,), tally)


def _values(tally: Tally) -> Values:
    return {
        "approvalCount": tally.get("count", 0),
        "decidedCount": tally.get("decided", 0),
        **percentile_seconds(tally),
    }


APPROVAL_TURNAROUND = Template(
    name="APPROVAL_TURNAROUND",
    display_name="Approval Turnaround",
    description=(
        "Approvals by the time they were asked for, and how long it took until they were approved"
        " or rejected: the time that half of these did not exceed, and 95 in 100. Each is rounded"
        f" up {ROUNDING}."
    ),
    dimensions=(
        Dimension(
            name="approvalStatus",
            param="approvalStatuses",
            options=tuple(str(status) for status in Status),
            description="Only approvals in these statuses; all if left out.",
        ),
    ),
    fields=("approvalCount", "decidedCount", "p50Seconds", "p95Seconds"),
    read=_read,
    values=_values,
    is_by_day=True,
    defaults={},
)
