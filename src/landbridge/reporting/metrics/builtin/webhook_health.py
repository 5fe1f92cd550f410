"""WEBHOOK_HEALTH: success rates and response times of webhook endpoints."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.reporting.delivery_counts import DeliveryOutcome, DeliverySum
from landbridge.reporting.metrics.builtin.durations import percentile_seconds
from landbridge.reporting.metrics.builtin.rates import share
from landbridge.reporting.metrics.model import (
    Dimension,
    MetricFact,
    MetricQuery,
    MetricSources,
    MetricTemplate,
    Tally,
    Values,
)

_ENDPOINT = "endpointId"
# Outcomes with a response; other durations are excluded, as they only reflect our timeout.
_ANSWERED = (DeliveryOutcome.DELIVERED, DeliveryOutcome.REFUSED, DeliveryOutcome.FAILED)
_ATTEMPTS = (*_ANSWERED, DeliveryOutcome.NO_ANSWER)


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    named = query.filters.get(_ENDPOINT)
    sums = await sources.deliveries.sums(
        org_id,
        query.span,
        None if named is None else [UUID(each) for each in named],
        by_endpoint=named is not None or _ENDPOINT in query.breakdowns,
    )
    names = {each.endpoint_id: str(each.endpoint_id or "") for each in sums}
    return [MetricFact(each.period, (names[each.endpoint_id],), _tally(each)) for each in sums]


def _tally(each: DeliverySum) -> Tally:
    if each.outcome in _ANSWERED:
        return {each.outcome: each.times, each.duration_ms: each.times}
    return {each.outcome: each.times}


def _values(tally: Tally) -> Values:
    durations = dict(tally)
    counts = {each: durations.pop(each, 0) for each in DeliveryOutcome}
    attempts = sum(counts[each] for each in _ATTEMPTS)
    delivered = counts[DeliveryOutcome.DELIVERED]
    return {
        "attemptCount": attempts,
        "deliveredCount": delivered,
        "refusedCount": counts[DeliveryOutcome.REFUSED],
        "failedCount": counts[DeliveryOutcome.FAILED],
        "unansweredCount": counts[DeliveryOutcome.NO_ANSWER],
        "givenUpCount": counts[DeliveryOutcome.GIVEN_UP],
        "successRate": share(delivered, attempts),
        **percentile_seconds(durations),
    }


WEBHOOK_HEALTH = MetricTemplate(
    name="WEBHOOK_HEALTH",
    display_name="Webhook Health",
    description=(
        "Attempts to deliver events, by the time they were made: answered with 2xx, with 4xx"
        " (refused), with anything else (failed) or not at all; events that were given up; and how"
        " long answers took, in half of the attempts and in 95 of 100 at most, rounded up to one"
        " of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten."
    ),
    dimensions=(
        Dimension(
            name=_ENDPOINT,
            param="endpointIds",
            options=None,
            description="Only attempts at these endpoints, by id; all if left out.",
        ),
    ),
    fields=(
        "attemptCount",
        "deliveredCount",
        "refusedCount",
        "failedCount",
        "unansweredCount",
        "givenUpCount",
        "successRate",
        "p50Seconds",
        "p95Seconds",
    ),
    read=_read,
    values=_values,
    is_by_day=True,
    defaults={},
)
