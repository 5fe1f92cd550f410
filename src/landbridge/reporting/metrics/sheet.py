"""The rows of a result: one for each period and combination of values, with or without facts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, product

from landbridge.core.errors import Broken
from landbridge.reporting.metrics.model import Dimension, Dims, Fact, Question, Row, Tally, Template

# The values of the breakdowns, in their order.
Combination = tuple[str, ...]
_Key = tuple[date, Combination]
_Sum = defaultdict[str | int, int]
_NOTHING: Tally = {}


def row_values(dimension: Dimension, question: Question) -> tuple[str, ...] | None:
    """The values that have rows, in the order of rows; None if they are those that facts have.

    Options come in reverse of their list (contract, reporting 4), all others by their spelling,
    likewise from the end.
    """
    wanted = question.filters.get(dimension.name)
    if dimension.options is not None:
        return tuple(each for each in reversed(dimension.options) if not wanted or each in wanted)
    return None if wanted is None else tuple(sorted(wanted, reverse=True))


@dataclass(frozen=True, slots=True)
class Sheet:
    """Facts, added up by period and by what the question tells apart."""

    template: Template
    question: Question
    sums: defaultdict[_Key, _Sum] = field(default_factory=lambda: defaultdict(_empty))
    # Of each dimension, the values that some fact has.
    seen: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def add(self, facts: Iterable[Fact]) -> None:
        """Add those that the question asks for."""
        # Facts are many, and what they are told apart by are few.
        places: dict[Dims, Combination | None] = {}
        for period, dims, tally in facts:
            if dims not in places:
                places[dims] = self._place(dims)
            combination = places[dims]
            if combination is not None:
                _merge(self.sums[period, combination], tally)

    def _place(self, dims: Dims) -> Combination | None:
        """Where facts of these dimensions are added; None if the question leaves them out."""
        told = dict(zip((each.name for each in self.template.dimensions), dims, strict=True))
        for name, wanted in self.question.filters.items():
            if told[name] and told[name] not in wanted:
                return None
        for each in self.template.dimensions:
            value = told[each.name]
            if value and each.options is not None and value not in each.options:
                # There would be no row for it: what it counts would be lost.
                raise Broken(f"{self.template.name} does not know the {each.name} {value}")
        for name in self.question.breakdowns:
            self.seen.setdefault(name, set()).add(told[name])
        return tuple(told[name] for name in self.question.breakdowns)

    def combinations(self) -> list[Combination]:
        """The combinations of values that every period has a row for, in the order of rows."""
        by_name = {each.name: each for each in self.template.dimensions}
        values: list[Sequence[str]] = []
        for name in self.question.breakdowns:
            told = row_values(by_name[name], self.question)
            found = sorted(self.seen.get(name, ()), reverse=True) if told is None else told
            values.append(found)
        return list(product(*values))

    def rows(self, periods: Sequence[date]) -> tuple[list[Row], int]:
        """At most as many rows as the limit, and how many of them have no facts of their own.

        `periods` come newest first.
        """
        combinations = self.combinations()
        tallies = self._running(periods, combinations) if self.template.is_running else self.sums
        # Shared by all rows that have the same: most of many rows are empty.
        nothing = self.template.values({})
        dims = [dict(zip(self.question.breakdowns, each, strict=True)) for each in combinations]
        rows: list[Row] = []
        filled = 0
        wanted = product(periods, zip(combinations, dims, strict=True))
        for period, (combination, told) in islice(wanted, self.question.limit):
            key = (period, combination)
            filled += key not in self.sums
            tally = tallies.get(key)
            values = self.template.values(tally) if tally else nothing
            rows.append(Row(period=period, dims=told, values=values))
        return rows, filled

    def _running(
        self, periods: Sequence[date], combinations: Sequence[Combination]
    ) -> Mapping[_Key, Tally]:
        """Everything up to the end of each period, also of those in which nothing happened."""
        so_far: defaultdict[Combination, _Sum] = defaultdict(_empty)
        oldest = periods[-1]
        for (period, combination), tally in self.sums.items():
            if period < oldest:
                _merge(so_far[combination], tally)
        running: dict[_Key, Tally] = {}
        for period in reversed(periods):
            for each in combinations:
                _merge(so_far[each], self.sums.get((period, each), _NOTHING))
                running[period, each] = dict(so_far[each])
        return running


def _empty() -> _Sum:
    return defaultdict(int)


def _merge(into: _Sum, tally: Tally) -> None:
    if not into:
        into.update(tally)
        return
    for name, number in tally.items():
        into[name] += number
