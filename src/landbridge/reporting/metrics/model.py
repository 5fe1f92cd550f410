"""What a template is made of, what is asked of it, and what it answers with.

A template reads facts: what happened in a period, by all of its dimensions, as whole numbers that
can be added up. Calculating filters them, adds them up by what was asked to be told apart, and has
the template make values of each sum. So whatever is not additive (a rate, a percentile) is made of
something that is.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from landbridge.reporting.deliveries import DeliveryTallies
from landbridge.reporting.rollups.model import Span
from landbridge.reporting.rollups.service import Rollups
from landbridge.users.service import Users

# Whole numbers by name, and how many durations there were by their milliseconds; sums of them are
# made name by name.
Tally = Mapping[str | int, int]
# Values of the template's dimensions, in their order; "" for those that nothing was told of.
Dims = tuple[str, ...]
# What a row shows: by the name of its member; None where there is nothing to be told.
Values = Mapping[str, int | Decimal | None]


@dataclass(frozen=True, slots=True)
class Sources:
    """What templates read."""

    rollups: Rollups
    deliveries: DeliveryTallies
    users: Users


class Fact(NamedTuple):
    """What happened in a period; there may be tens of thousands of them.

    Of a dimension that the question does not tell apart nothing need be told, if nothing was read
    that its filter leaves out.
    """

    period: date
    dims: Dims
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """What rows can be told apart by (`name`, as in `breakdowns` and in rows) and filtered by.

    `param` is the filter, as in `transactionTypes`; `options` are all values, None for ids.
    """

    name: str
    param: str
    options: tuple[str, ...] | None
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Parameters that were understood.

    `filters` has, by the name of the dimension, only what was given; `breakdowns` are names of
    dimensions. `told` are the parameters as they are shown again: with the names and the values
    that they were given with.
    """

    span: Span
    filters: Mapping[str, tuple[str, ...]]
    breakdowns: tuple[str, ...]
    limit: int
    told: Mapping[str, Any]


Read = Callable[[Sources, UUID, Question], Awaitable[Sequence[Fact]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A metric that can be calculated.

    `values` makes what a row shows of a sum, and of the empty one. Of a running template a row
    shows the sum of everything up to the end of its period: what was before the first is read
    apart, by years.
    `is_by_day`: its range is of whole days. `defaults` are filters where none was given.
    `tolerates` are parameters of other templates that are passed over, as published guides send
    them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a result; `dims` are those of the breakdowns, in their order."""

    period: date
    dims: Mapping[str, str]
    values: Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a metric came to: rows newest first, and how they were made (contract, reporting 4).

    `filled` are the rows without any facts; `dimension_counts` and `projected` are None without
    breakdowns. `sizes` has how many values there are of each dimension of the template, of those
    of which that is known. `has_more` is True if rows were left out for the limit.
    """

    template: Template
    question: Question
    rows: Sequence[Row]
    filled: int
    projected: int | None
    dimension_counts: Mapping[str, int] | None
    sizes: Mapping[str, int]
    has_more: bool
