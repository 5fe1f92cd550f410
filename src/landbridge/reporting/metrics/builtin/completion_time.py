"""COMPLETION_TIME: how long transactions take that are completed."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

from landbridge.reporting.metrics.builtin.durations import ROUNDING, percentile_seconds
from landbridge.reporting.metrics.builtin.kinds import kinds_of, type_dimension, type_of
from landbridge.reporting.metrics.model import (
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    Tally,
    Values,
)
from landbridge.reporting.rollups.model import RollupMeasure

_TYPE = "transactionType"


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    types = query.filters.get(_TYPE)
    are_together = types is None and _TYPE not in query.breakdowns
    kinds = None if are_together else kinds_of(types)
    found = await sources.rollups.durations(org_id, RollupMeasure.TIME, query.span, kinds)
    # A tally may be a count by duration in milliseconds.
    return [
        MetricFact(each.period, (type_of(each.a),), cast("Tally", each.counts))
        for each in found
        if each.counts
    ]


def _values(tally: Tally) -> Values:
    return {
        "transactionCount": sum(tally.values()),
        **percentile_seconds(tally),
    }


COMPLETION_TIME = MetricTemplate(
    name="COMPLETION_TIME",
    display_name="Time to Completion",
    description=(
        "How long transactions took from their creation to their completion, by the time they"
        " were created: the time that half of them did not exceed, and 95 in 100. Each is rounded"
        f" up {ROUNDING}."
    ),
    dimensions=(type_dimension(),),
    fields=("transactionCount", "p50Seconds", "p95Seconds"),
    read=_read,
    values=_values,
    is_by_day=True,
    defaults={},
)
