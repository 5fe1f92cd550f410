"""Metric templates, queries and results.

A template reads facts: additive whole numbers of a period, by all dimensions. The calculator
filters the facts and adds them up by the requested breakdowns, and the template derives values from
each sum. So a value that is not additive (a rate, a percentile) is derived from additive ones.
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

# Whole numbers by name, and counts by duration in milliseconds; they are added up key by key.
Tally = Mapping[str | int, int]
# Tally under construction; missing numbers are zero.
TallySum = defaultdict[str | int, int]
# Values of a template's dimensions, in their order; "" for those that are not broken down.
Dims = tuple[str, ...]
# Values of a row by member name; None if a value is undefined, such as a rate of nothing.
Values = Mapping[str, int | Decimal | None]


@dataclass(frozen=True, slots=True)
class MetricSources:
    """Services that templates read from; `database` is for data that no roll-up has."""

    database: Database
    rollups: Rollups
    deliveries: DeliveryCounts
    users: Users


class MetricFact(msgspec.Struct, frozen=True, gc=False):
    """Amounts or counts of a period; there may be tens of thousands.

    A dimension that is not broken down may be "", provided that its filter excludes no facts that
    were read.
    """

    period: date
    dims: Dims
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """Dimension to break down by and to filter by.

    `name` is its name in `breakdowns` and in rows, `param` that of its filter, for example
    `transactionTypes`. `options` are all values, None for ids.
    """

    name: str
    param: str
    options: tuple[str, ...] | None
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricQuery:
    """Parsed parameters.

    `filters` has the given filters by dimension name; `breakdowns` are dimension names. `params`
    are the given parameters, which the result repeats.
    """

    span: Span
    filters: Mapping[str, tuple[str, ...]]
    breakdowns: tuple[str, ...]
    limit: int
    given: Mapping[str, Any]


# Returns which of these transactions match a definition, given the effective filters.
Match = Callable[
    [Tx, UUID, Sequence[UUID], Mapping[str, tuple[str, ...]]], Awaitable[frozenset[UUID]]
]
Merge = Callable[[TallySum, Tally], None]
Read = Callable[[MetricSources, UUID, MetricQuery], Awaitable[Sequence[MetricFact]]]
# Returns the users with facts for a query that breaks down by user: the last ones by id, and if
# possible one more than the limit. Returns None if the users are only known from the facts.
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

    `values` derives a row's values from a tally; for an empty tally it returns the same members.
    A row of a running template has the sum up to the end of its period; the sum before the first
    period is read separately, by years. If `is_by_day`, a range consists of whole days. `defaults`
    are filters for absent parameters. `tolerates` are parameters of other templates that are
    ignored, because published guides send them. An organisation's own template has a version, may
    restrict intervals, breakdowns and parameters, and may merge tallies differently.
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
    # Set for templates with users: if these are known, only the shown periods are read.
    read_users: ReadUsers | None = None
    version: int | None = None
    # Decimals to which the template's quotients are rounded.
    digits: int = 0
    # None for built-in templates, and for those that do not count transactions.
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
        """Return the name, with the version if any, that saved metrics and schedules store."""
        return self.name if self.version is None else f"{self.name}@{self.version}"


class MetricRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Row of a result; `dims` are the breakdown values, in order."""

    period: date
    dims: Mapping[str, str]
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """Result of a calculation: rows, newest first, and metadata (contract, reporting 4).

    `filled` counts the rows without facts; `dimension_counts` and `projected` are None without
    breakdowns. `sizes` has the number of values of each dimension for which it is known. `has_more`
    is True if the limit has cut off rows.
    """

    template: MetricTemplate
    query: MetricQuery
    rows: Sequence[MetricRow]
    filled: int
    projected: int | None
    dimension_counts: Mapping[str, int] | None
    sizes: Mapping[str, int]
    has_more: bool
