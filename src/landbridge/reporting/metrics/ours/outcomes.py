"""OUTCOMES: how many transactions succeed, and why the others do not."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from uuid import UUID

from landbridge.core.errors import FieldsInvalid
from landbridge.reporting.metrics.model import (
    Dimension,
    Fact,
    Question,
    Sources,
    Tally,
    Template,
    Values,
)
from landbridge.reporting.metrics.ours.kinds import (
    COMPLETED,
    FAILED,
    OUTCOME_OF,
    UNFINISHED,
    kinds_of,
    type_dimension,
    type_of,
)
from landbridge.reporting.metrics.ours.rates import share
from landbridge.reporting.rollups.model import Measure, Sum

_TYPE, _REASON = "transactionType", "reason"
# Reasons are the words of chains and banks: nobody knows how many there are. A result has no more
# rows than this.
_FACTS_MAX = 10_000
# Of what is told beside each reason: failures for any.
_ALL_FAILED = "allFailed"
_NAMES = frozenset({COMPLETED, FAILED, UNFINISHED})
# Of a period and a type, "" unless these are told apart.
_Group = tuple[date, str]


async def _read(sources: Sources, org_id: UUID, question: Question) -> Sequence[Fact]:
    kinds = kinds_of(question.filters.get(_TYPE))
    if _REASON in question.breakdowns or _REASON in question.filters:
        sums = await sources.rollups.sums(org_id, Measure.STATE, kinds, question.span)
        return list(_by_reason(sums, question))
    by = ("a", "b") if _TYPE in question.breakdowns else ("b",)
    sums = await sources.rollups.sums(
        org_id, Measure.STATE, kinds, question.span, by=by, names=OUTCOME_OF
    )
    # A status that a newer version has written is none that this one knows.
    return [
        Fact(
            each.period,
            (type_of(each.a), ""),
            {each.b if each.b in _NAMES else UNFINISHED: each.count},
        )
        for each in sums
    ]


def _by_reason(sums: Sequence[Sum], question: Question) -> Iterator[Fact]:
    """Failures by reason, and beside each reason that has rows all transactions of its periods.

    If no reason has rows of its own they stand beside one of them, so that no row has them twice.
    Types that are not told apart are added up here, since there may be many reasons.
    """
    beside, failed = _grouped(sums, question)
    named = question.filters.get(_REASON)
    reasons = named or tuple(dict.fromkeys(reason for _, reason in failed))
    if _REASON not in question.breakdowns:
        reasons = reasons[:1]
    if len(beside) * len(reasons) > _FACTS_MAX:
        raise FieldsInvalid(
            {
                "breakdowns": f"there are {len(reasons):,} reasons: ask for fewer periods, or for"
                " some of the reasons"
            }
        )
    for (period, type_), counts in beside.items():
        for reason in reasons:
            yield Fact(period, (type_, reason), counts)
    for ((period, type_), reason), count in failed.items():
        yield Fact(period, (type_, reason), {FAILED: count})


def _grouped(
    sums: Sequence[Sum], question: Question
) -> tuple[Mapping[_Group, Tally], Mapping[tuple[_Group, str], int]]:
    """What stands beside the failures, and the failures by reason."""
    failed: defaultdict[tuple[_Group, str], int] = defaultdict(int)
    beside: defaultdict[_Group, defaultdict[str | int, int]] = defaultdict(lambda: defaultdict(int))
    has_types = _TYPE in question.breakdowns
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


OUTCOMES = Template(
    name="OUTCOMES",
    display_name="Success and Failure",
    description=(
        "How many transactions were completed and how many failed, by the time they were created,"
        " and their shares of all that are finished; quotes that nobody accepted have failed. By"
        " reason, failedCount and failureRate are of the failures for it (without a reason, the"
        " status is told), and the other members are those of all transactions."
    ),
    dimensions=(
        type_dimension(),
        Dimension(
            name=_REASON,
            param="reasons",
            options=None,
            description=("Only failures for these reasons, as rows tell them; all if left out."),
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
