"""Rows of a result: one per period and combination of values, with or without facts."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, product

from landbridge.platform.core.errors import InvariantBroken
from landbridge.reporting.metrics.model import (
    Dimension,
    Dims,
    MetricFact,
    MetricQuery,
    MetricRow,
    MetricTemplate,
    Tally,
    TallySum,
)

# Values of the breakdowns, in their order.
Combination = tuple[str, ...]
_Key = tuple[date, Combination]
_NOTHING: Tally = {}


def row_values(dimension: Dimension, query: MetricQuery) -> tuple[str, ...] | None:
    """Return the values that have rows, in row order; None if they are only known from facts.

    Options come in reverse of their list (contract, reporting 4), other values in reverse
    alphabetical order.
    """
    filtered = query.filters.get(dimension.name)
    if dimension.options is not None:
        return tuple(
            each for each in reversed(dimension.options) if not filtered or each in filtered
        )
    return None if filtered is None else tuple(sorted(filtered, reverse=True))


@dataclass(frozen=True, slots=True)
class ResultRows:
    """Facts added up by period and breakdown."""

    template: MetricTemplate
    query: MetricQuery
    sums: defaultdict[_Key, TallySum] = field(default_factory=lambda: defaultdict(_empty))
    # Values in facts, by dimension.
    values_found: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, facts: Iterable[MetricFact]) -> None:
        """Add the facts that match the filters."""
        # There are many facts but few keys, so keys are cached.
        places: dict[Dims, Combination | None] = {}
        # Use sets for fast lookups, because there may be thousands of users.
        filters = {name: frozenset(values) for name, values in self.query.filters.items()}
        allowed = [filters.get(each.name) for each in self.template.dimensions]
        sums, merge = self.sums, self.template.merge
        for each in facts:
            dims = each.dims
            if dims not in places:
                places[dims] = self._key(dims, allowed)
            combination = places[dims]
            if combination is not None:
                merge(sums[each.period, combination], each.tally)

    def _key(self, dims: Dims, allowed: Sequence[Collection[str] | None]) -> Combination | None:
        """Return the key for facts of these dimensions; None if a filter excludes them."""
        for value, filtered in zip(dims, allowed, strict=True):
            if value and filtered is not None and value not in filtered:
                return None
        by_dimension: dict[str, str] = {}
        for each, value in zip(self.template.dimensions, dims, strict=True):
            if value and each.options is not None and value not in each.options:
                # Raise, because a fact without a row would be missing in the result.
                raise InvariantBroken(f"{self.template.name} does not know the {each.name} {value}")
            by_dimension[each.name] = value
        for name in self.query.breakdowns:
            self.values_found[name].add(by_dimension[name])
        return tuple([by_dimension[name] for name in self.query.breakdowns])

    def total(self) -> Tally:
        """Return the sum of all periods and breakdowns."""
        total = _empty()
        for tally in self.sums.values():
            self.template.merge(total, tally)
        return total

    def combinations(self) -> list[Combination]:
        """Return the combinations of values that every period has a row for, in row order."""
        by_name = {each.name: each for each in self.template.dimensions}
        values: list[Sequence[str]] = []
        for name in self.query.breakdowns:
            fixed = row_values(by_name[name], self.query)
            found = sorted(self.values_found.get(name, ()), reverse=True)
            values.append(found if fixed is None else fixed)
        return list(product(*values))

    def rows(self, periods: Sequence[date]) -> tuple[list[MetricRow], int]:
        """Return the rows up to the limit, and how many of them have no facts of their own.

        `periods` must be sorted, newest first.
        """
        combinations = self.combinations()
        tallies = self._running(periods, combinations) if self.template.is_running else self.sums
        # Share these values between all empty rows, as most rows may be empty.
        nothing = self.template.values({})
        dims = [dict(zip(self.query.breakdowns, each, strict=True)) for each in combinations]
        rows: list[MetricRow] = []
        filled = 0
        cells = product(periods, zip(combinations, dims, strict=True))
        for period, (combination, dims_of_row) in islice(cells, self.query.limit):
            key = (period, combination)
            filled += key not in self.sums
            tally = tallies.get(key)
            values = self.template.values(tally) if tally else nothing
            rows.append(MetricRow(period=period, dims=dims_of_row, values=values))
        return rows, filled

    def _running(
        self, periods: Sequence[date], combinations: Sequence[Combination]
    ) -> Mapping[_Key, Tally]:
        """Return the running total at the end of each period, including periods without facts."""
        so_far: defaultdict[Combination, TallySum] = defaultdict(_empty)
        oldest = periods[-1]
        for (period, combination), tally in self.sums.items():
            if period < oldest:
                self.template.merge(so_far[combination], tally)
        running: dict[_Key, Tally] = {}
        for period in reversed(periods):
            for each in combinations:
                self.template.merge(so_far[each], self.sums.get((period, each), _NOTHING))
                running[period, each] = dict(so_far[each])
        return running


def _empty() -> TallySum:
    return defaultdict(int)
