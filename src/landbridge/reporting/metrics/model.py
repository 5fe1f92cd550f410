"""Metric templates, queries and results.

A template reads facts: what happened in a period, by all dimensions, as whole numbers that can be
added up. The calculator filters the facts and adds them up by the requested breakdowns, and the
template derives values from each sum. So a value that is not additive (a rate, a percentile) is
derived from additive ones.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.customers.users.service import Users
from landbridge.platform.db.pool import Database, Tx
from landbridge.reporting.delivery_counts import DeliveryCounts
from landbridge.reporting.rollups.model import Interval, Span
from landbridge.reporting.rollups.service import Rollups

# Whole numbers by name, and counts of durations by their milliseconds; added up name by name.
Tally = Mapping[str | int, int]
# A tally being added up, in which every other number is zero.
TallySum = defaultdict[str | int, int]
# Values of the template's dimensions, in order; "" for those that are not broken down.
Dims = tuple[str, ...]
# Values of a row by member name; None where a value does not exist.
Values = Mapping[str, int | Decimal | None]


@dataclass(frozen=True, slots=True)
class MetricSources:
    """Services that templates read from; `database` is for records that no roll-up has."""

    database: Database
    rollups: Rollups
    deliveries: DeliveryCounts
    users: Users


class MetricFact(msgspec.Struct, frozen=True, gc=False):
    """Amounts or counts of a period; there may be tens of thousands.

    A dimension that is not broken down may be left "", if nothing was read that its filter
    excludes.
    """

    period: date
    dims: Dims
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """Dimension to break down by (`name`, as in `breakdowns` and in rows) and to filter by.

    `param` is the filter, as in `transactionTypes`; `options` are all values, None for ids.
    """

    name: str
    param: str
    options: tuple[str, ...] | None
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricQuery:
    """Parsed parameters.

    `filters` has only the given ones, by dimension name; `breakdowns` are dimension names. `params`
    are the parameters as echoed: with the names and values that were given.
    """

    span: Span
    filters: Mapping[str, tuple[str, ...]]
    breakdowns: tuple[str, ...]
    limit: int
    given: Mapping[str, Any]


# Which of these transactions are behind a number, given the effective filters.
Match = Callable[
    [Tx, UUID, Sequence[UUID], Mapping[str, tuple[str, ...]]], Awaitable[frozenset[UUID]]
]
Merge = Callable[[TallySum, Tally], None]
Read = Callable[[MetricSources, UUID, MetricQuery], Awaitable[Sequence[MetricFact]]]
# Which users have facts, for a query that breaks down by user: the last by id, at least one more
# than its limit if there are so many; None if only the facts can say.
ReadUsers = Callable[[MetricSources, UUID, MetricQuery], Awaitable[Sequence[UUID] | None]]


def add(into: TallySum, tally: Tally) -> None:
    """Add a tally to another, number by number."""
    if not into:
        into.update(tally)
        return
    for name, number in tally.items():
        into[name] += number


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTemplate:
    """Metric that can be calculated.

    `values` derives a row's values from a sum, and from the empty one: whole numbers for the same
    fields. A row of a running template shows the sum of everything up to the end of its period:
    what came before the first is read separately, by years. `is_by_day`: its range consists of
    whole days. `defaults` are filters where none was given. `tolerates` are parameters of other
    templates that are ignored, as published guides send them. A template of an organisation's own
    has a version, the only `intervals`, breakdowns and parameters that it offers, and may merge
    tallies in its own way.
    """

    name: str
    display_name: str
    description: str
    dimensions: tuple[Dimension, ...]
    fields: tuple[str, ...]
    read: Read
    values: Callable[[Tally], Values]
    is_by_day: bool = False
    is_running: bool = False
    defaults: Mapping[str, tuple[str, ...]]
    tolerates: frozenset[str] = frozenset()
    intervals: tuple[Interval, ...] = tuple(Interval)
    breakdown_names: tuple[str, ...] | None = None
    param_names: frozenset[str] | None = None
    merge: Merge = add
    # For templates with users, so that only the periods that are shown have to be read.
    read_users: ReadUsers | None = None
    version: int | None = None
    # Decimals to which its quotients are rounded.
    digits: int = 0
    # None for templates that count no transactions, and for those of Landbridge.
    match: Match | None = None

    @property
    def breakdowns(self) -> tuple[str, ...]:
        """Return the names of the dimensions that rows can be broken down by."""
        known = tuple(each.name for each in self.dimensions)
        return known if self.breakdown_names is None else self.breakdown_names

    @property
    def filters(self) -> tuple[Dimension, ...]:
        """Return the dimensions that a request may filter by."""
        names = self.param_names
        return tuple(each for each in self.dimensions if names is None or each.param in names)

    @property
    def reference(self) -> str:
        """Return the name that saved metrics and schedules store: with the version, if any."""
        return self.name if self.version is None else f"{self.name}@{self.version}"


class MetricRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Row of a result; `dims` are the breakdown values, in order."""

    period: date
    dims: Mapping[str, str]
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """Result of a calculation: rows newest first, and how they came about (contract, reporting 4).

    `filled` counts the rows without facts; `dimension_counts` and `projected` are None without
    breakdowns. `sizes` has the number of values of each dimension for which it is known. `has_more`
    is True if rows were left out for the limit.
    """

    template: MetricTemplate
    query: MetricQuery
    rows: Sequence[MetricRow]
    filled: int
    projected: int | None
    dimension_counts: Mapping[str, int] | None
    sizes: Mapping[str, int]
    has_more: bool
