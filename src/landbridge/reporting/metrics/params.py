"""Parameters of a calculation: read whole, so that everything wrong is said at once.

Source: contract, reporting 3, 4 and 6. A parameter that is null or an empty list is left out. One
that no template has is passed over; one that only others have would mean something that this
template can't do, and is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar, cast

from landbridge.core.errors import FieldsInvalid
from landbridge.core.ids import as_uuid
from landbridge.reporting.metrics.model import Dimension, Question, Template
from landbridge.reporting.metrics.templates import FILTERS
from landbridge.reporting.moments import (
    TIME_ZONE,
    is_bare_date,
    local_day,
    parse_bound,
    start_of_day,
)
from landbridge.reporting.rollups.model import Interval, Span

T = TypeVar("T")

AFTER = "createdAfter"
BEFORE = "createdBefore"
INTERVAL = "calculationInterval"
BREAKDOWNS = "breakdowns"
LIMIT = "limit"

# Source: contract, reporting 3.
BREAKDOWNS_MAX = 2
LIMIT_DEFAULT = 500
ROWS_MAX = 10_000
# As many as a page of options has.
VALUES_MAX = 1_000
# Of a value that is neither an id nor one of a list.
_TEXT_LENGTH_MAX = 100


class ParamWrong(ValueError):
    """What is wrong with a parameter: a sentence that goes on after its name."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Parameters as they came, and what was found wrong with them."""

    params: Mapping[str, Any]
    problems: dict[str, str] = field(default_factory=dict[str, str])

    def has(self, name: str) -> bool:
        """Whether this is given."""
        return self.params.get(name) not in (None, [], ())

    def take(self, name: str, parse: Callable[[Any], T], default: T) -> T:
        """What was given, or the default; a ValueError of `parse` becomes a problem."""
        if not self.has(name):
            return default
        try:
            return parse(self.params[name])
        except ValueError as error:
            self.problems[name] = f"{name} {error}"
            return default

    def require(self, name: str, parse: Callable[[Any], T]) -> T | None:
        """What was given; a problem if it was not."""
        if not self.has(name):
            self.problems[name] = f"{name} is required"
        return self.take(name, parse, None)

    def check(self) -> None:
        """Raise `FieldsInvalid` if there are problems."""
        if self.problems:
            raise FieldsInvalid(self.problems)


def understand(asked: Asked, template: Template, *, zone: str, now: datetime) -> Question:
    """The question; `zone` is known to be one of the organisation's, `now` is its own time.

    Raises `FieldsInvalid`, which names every parameter at fault.
    """
    span = _span(asked, template, zone, now)
    filters = {
        each.name: asked.take(each.param, _values(each), ())
        for each in template.dimensions
        if asked.has(each.param)
    }
    breakdowns = asked.take(BREAKDOWNS, _breakdowns(template), ())
    limit = asked.take(LIMIT, _limit, LIMIT_DEFAULT)
    _check_others(asked, template)
    asked.check()
    assert span is not None
    names = (
        *(AFTER, BEFORE, INTERVAL),
        *(each.param for each in template.dimensions),
        *(BREAKDOWNS, LIMIT, TIME_ZONE),
    )
    return Question(
        span=span,
        filters=filters,
        breakdowns=breakdowns,
        limit=limit,
        told={name: asked.params[name] for name in names if asked.has(name)},
    )


def zone_name(value: Any) -> str:
    """A time zone, of which no more is known than that it is a text; else `ParamWrong`."""
    if not isinstance(value, str):
        raise ParamWrong("must be a text")
    return value


def _span(asked: Asked, template: Template, zone: str, now: datetime) -> Span | None:
    after = asked.require(AFTER, lambda value: _moment(value, zone, template))
    before = asked.require(BEFORE, lambda value: _moment(value, zone, template))
    interval = asked.require(INTERVAL, _interval)
    today = local_day(now, zone)
    tomorrow = start_of_day(today + timedelta(days=1), zone)
    if after is not None and after >= tomorrow:
        asked.problems[AFTER] = f"{AFTER} lies after today, {today}"
    if before is not None:
        is_date = is_bare_date(asked.params[BEFORE])
        if before > tomorrow or (is_date and before == tomorrow):
            asked.problems[BEFORE] = f"{BEFORE} lies after today, {today}"
        elif after is not None and AFTER not in asked.problems and before <= after:
            asked.problems[BEFORE] = f"{BEFORE} must be later than {AFTER}"
    if after is None or before is None or interval is None:
        return None
    return Span(after, before, zone, interval)


def _moment(value: Any, zone: str, template: Template) -> datetime:
    if not isinstance(value, str):
        raise ParamWrong("must be a date (YYYY-MM-DD) or an ISO 8601 time, as a text")
    moment = parse_bound(value, zone)
    if template.is_by_day and moment != start_of_day(local_day(moment, zone), zone):
        raise ParamWrong("must be a date, or the beginning of a day: this metric has whole days")
    return moment


def _interval(value: Any) -> Interval:
    return Interval(_word(value, tuple(Interval)))


def _breakdowns(template: Template) -> Callable[[Any], tuple[str, ...]]:
    options = tuple(each.name for each in template.dimensions)

    def parse(value: Any) -> tuple[str, ...]:
        if not options:
            raise ParamWrong(f"are not offered by {template.name}")
        found = tuple(_word(each, options) for each in _list(value))
        if len(found) > BREAKDOWNS_MAX:
            raise ParamWrong(f"may be {BREAKDOWNS_MAX} at most")
        if len(set(found)) < len(found):
            raise ParamWrong("has the same dimension twice")
        return found

    return parse


def _values(dimension: Dimension) -> Callable[[Any], tuple[str, ...]]:
    def parse(value: Any) -> tuple[str, ...]:
        told = _list(value)
        if len(told) > VALUES_MAX:
            raise ParamWrong(f"has {len(told)} values; at most {VALUES_MAX} are allowed")
        return tuple(dict.fromkeys(_value(each, dimension) for each in told))

    return parse


def _value(value: Any, dimension: Dimension) -> str:
    if dimension.options is not None:
        return _word(value, dimension.options)
    if not isinstance(value, str):
        raise ParamWrong("must be a list of texts")
    if dimension.name.endswith("Id"):
        found = as_uuid(value)
        if found is None:
            raise ParamWrong(f"has {value[:_TEXT_LENGTH_MAX]!r}, which is not a UUID")
        return str(found)
    if len(value) > _TEXT_LENGTH_MAX:
        raise ParamWrong(f"has a value of more than {_TEXT_LENGTH_MAX} characters")
    return value


def _word(value: Any, options: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in options:
        told = f", not {value[:_TEXT_LENGTH_MAX]!r}" if isinstance(value, str) else ""
        raise ParamWrong(f"must be one of {', '.join(options)}{told}")
    return value


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ParamWrong("must be a list")
    return cast("Sequence[Any]", value)


def _limit(value: Any) -> int:
    sentence = f"must be a whole number from 1 to {ROWS_MAX}"
    # A number with a point arrives as a decimal: 10.0 is whole.
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ParamWrong(sentence)
    if not 1 <= value <= ROWS_MAX or value != int(value):
        raise ParamWrong(sentence)
    return int(value)


def _check_others(asked: Asked, template: Template) -> None:
    """Find fault with parameters that only other templates have; read those that are tolerated."""
    own = {each.param for each in template.dimensions}
    for name, dimension in FILTERS.items():
        if name in own or not asked.has(name):
            continue
        if name in template.tolerates:
            asked.take(name, _values(dimension), ())
        else:
            asked.problems[name] = f"{name} is not a parameter of {template.name}"
