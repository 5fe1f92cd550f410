"""OUTCOMES: how many transactions succeed, and why the others do not."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from uuid import UUID

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.reporting.metrics.builtin.kinds import (
    COMPLETED,
    FAILED,
    OUTCOME_OF,
    UNFINISHED,
    kinds_of,
    type_dimension,
    type_of,
)
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
from landbridge.reporting.rollups.model import RollupMeasure, RollupSum

_TYPE, _REASON = "transactionType", "reason"
# Most facts of a result. Reasons are texts of chains and banks, so their number is not known.
_FACTS_MAX = 10_000
# Tally name, in the row of each reason, of the failures for any reason.
_ALL_FAILED = "allFailed"
_NAMES = frozenset({COMPLETED, FAILED, UNFINISHED})
# Period and type of a sum; the type is "" unless broken down.
_Group = tuple[date, str]


async def _read(sources: MetricSources, org_id: UUID, query: MetricQuery) -> Sequence[MetricFact]:
    kinds = kinds_of(query.filters.get(_TYPE))
    if _REASON in query.breakdowns or _REASON in query.filters:
        sums = await sources.rollups.sums(
            org_id, RollupMeasure.STATE, kinds, query.span, has_amounts=False
        )
        return list(_by_reason(sums, query))
    by = ("a", "b") if _TYPE in query.breakdowns else ("b",)
    sums = await sources.rollups.sums(
        *(org_id, RollupMeasure.STATE, kinds, query.span),
        by=by,
        names=OUTCOME_OF,
        has_amounts=False,
    )
    # A status that a newer version has written, and this one does not know, counts as unfinished.
    return [
        MetricFact(
            each.period,
            (type_of(each.a), ""),
            {each.b if each.b in _NAMES else UNFINISHED: each.count},
        )
        for each in sums
    ]


def _by_reason(sums: Sequence[RollupSum], query: MetricQuery) -> Iterator[MetricFact]:
    """Yield failures by reason and, for each reason with rows, all transactions of its periods.

    If reasons have no rows of their own, the totals are attached to one reason, so that no row
    counts them twice. Types that are not broken down are added up here, as there may be many
    reasons.
    """
    beside, failed = _grouped(sums, query)
    named = query.filters.get(_REASON)
    reasons = named or tuple(dict.fromkeys(reason for _, reason in failed))
    if _REASON not in query.breakdowns:
        reasons = reasons[:1]
    if len(beside) * len(reasons) > _FACTS_MAX:
        raise FieldsInvalid(
            {
                "breakdowns": f"there are {len(reasons):,} reasons: choose fewer periods, or"
                " some of the reasons"
            }
        )
    for (period, type_), counts in beside.items():
        for reason in reasons:
            yield MetricFact(period, (type_, reason), counts)
    for ((period, type_), reason), count in failed.items():
        yield MetricFact(period, (type_, reason), {FAILED: count})


def _grouped(
    sums: Sequence[RollupSum], query: MetricQuery
) -> tuple[Mapping[_Group, Tally], Mapping[tuple[_Group, str], int]]:
    """Return the totals by period and type, and the failures by these and the reason."""
    failed: defaultdict[tuple[_Group, str], int] = defaultdict(int)
    beside: defaultdict[_Group, defaultdict[str | int, int]] = defaultdict(lambda: defaultdict(int))
    has_types = _TYPE in query.breakdowns
    for each in sums:
        group = (each.period, type_of(each.a) if has_types else "")
        outcome = OUTCOME_OF.get((each.a, each.b), UNFINISHED)
        if outcome == FAILED:
            failed[group, each.c or each.b] += each.count
            outcome = _ALL_FAILED
        beside[group][outcome] += each.count
    return beside, failed


def _values(tally: Tally) -> Values:
    completed, failed = tally.get(COMPLETED, 0), tally.get(FAILED, 0)
    all_failed = tally.get(_ALL_FAILED, failed)
    unfinished = tally.get(UNFINISHED, 0)
    finished = completed + all_failed
    return {
        "transactionCount": finished + unfinished,
        "completedCount": completed,
        "failedCount": failed,
        "unfinishedCount": unfinished,
        "successRate": share(completed, finished),
        "failureRate": share(failed, finished),
    }


OUTCOMES = MetricTemplate(
    name="OUTCOMES",
    display_name="Success and Failure",
    description=(
        "How many transactions were completed and how many failed, by the time they were created,"
        " and their shares of all that are finished; quotes that nobody accepted have failed. By"
        " reason, failedCount and failureRate are of the failures for it (without a reason, the"
        " status is shown), and the other members are those of all transactions."
    ),
    dimensions=(
        type_dimension(),
        Dimension(
            name=_REASON,
            param="reasons",
            options=None,
            description=("Only failures for these reasons, as rows show them; all if left out."),
        ),
    ),
    fields=(
        "transactionCount",
        "completedCount",
        "failedCount",
        "unfinishedCount",
        "successRate",
        "failureRate",
    ),
    read=_read,
    values=_values,
    defaults={},
)
