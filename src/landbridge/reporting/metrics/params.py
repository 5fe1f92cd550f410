"""Parameters of a calculation, parsed completely so that all errors are reported at once.

Source: contract, reporting 3, 4 and 6. A parameter that is null or an empty list counts as absent.
A parameter that no template has is ignored. A parameter that only other templates have is refused,
because this template cannot apply it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar, cast

import msgspec

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.reporting.date_params import (
    TIME_ZONE,
    is_bare_date,
    local_day,
    parse_bound,
    start_of_day,
)
from landbridge.reporting.metrics.model import Dimension, MetricQuery, MetricTemplate
from landbridge.reporting.metrics.templates import FILTERS
from landbridge.reporting.rollups.model import Interval, Span

T = TypeVar("T")

AFTER = "createdAfter"
BEFORE = "createdBefore"
INTERVAL = "calculationInterval"
BREAKDOWNS = "breakdowns"
LIMIT = "limit"

# Most breakdowns of a calculation. Source: contract, reporting 3.
BREAKDOWNS_MAX = 2
LIMIT_DEFAULT = 500
ROWS_MAX = 10_000
# Most values of a filter, equal to the size of a page of options.
VALUES_MAX = 1_000
# Longest value that is neither an id nor an option.
TEXT_LENGTH_MAX = 100

# Codec of stored parameters: JSON in the given order, decoded like request bodies, so that no
# number becomes a float.
_encoder = msgspec.json.Encoder(decimal_format="number")
_decoder = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)


class ParamInvalid(ValueError):
    """Problem with a parameter; the message continues a sentence after the parameter's name."""


@dataclass(frozen=True, slots=True)
class MetricParams:
    """Given parameters, and the problems found in them."""

    params: Mapping[str, Any]
    problems: dict[str, str] = field(default_factory=dict[str, str])

    def has(self, name: str) -> bool:
        """Return whether this parameter is given."""
        return self.params.get(name) not in (None, [], ())

    def take(self, name: str, parse: Callable[[Any], T], default: T) -> T:
        """Return the parsed value or the default; a ValueError of `parse` becomes a problem."""
        if not self.has(name):
            return default
        try:
            return parse(self.params[name])
        except ValueError as error:
            self.problems[name] = f"{name} {error}"
            return default

    def require(self, name: str, parse: Callable[[Any], T]) -> T | None:
        """Return the parsed value; None, and a problem, if it is missing or invalid."""
        if not self.has(name):
            self.problems[name] = f"{name} is required"
        return self.take(name, parse, None)

    def check(self) -> None:
        """Raise `FieldsInvalid` if there are problems."""
        if self.problems:
            raise FieldsInvalid(self.problems)


def parse_params(
    reader: MetricParams, template: MetricTemplate, *, zone: str, now: datetime
) -> MetricQuery:
    """Return the query; `zone` is one of the organisation's zones, `now` is its own time.

    Raises `FieldsInvalid`, which names every invalid parameter.
    """
    span = _span(reader, template, zone, now)
    filters = {
        each.name: reader.take(each.param, _values(each), ())
        for each in template.filters
        if reader.has(each.param)
    }
    breakdowns = reader.take(BREAKDOWNS, _breakdowns(template), ())
    limit = reader.take(LIMIT, _limit, LIMIT_DEFAULT)
    _check_others(reader, template)
    reader.check()
    assert span is not None
    names = (
        *(AFTER, BEFORE, INTERVAL),
        *(each.param for each in template.filters),
        *(BREAKDOWNS, LIMIT, TIME_ZONE),
    )
    return MetricQuery(
        span=span,
        filters=filters,
        breakdowns=breakdowns,
        limit=limit,
        given={name: reader.params[name] for name in names if reader.has(name)},
    )


def zone_name(value: Any) -> str:
    """Return the name of a time zone, which need not exist; raises `ParamInvalid` if no text."""
    if not isinstance(value, str):
        raise ParamInvalid("must be a text")
    return value


def _span(reader: MetricParams, template: MetricTemplate, zone: str, now: datetime) -> Span | None:
    after = reader.require(AFTER, lambda value: _moment(value, zone, template))
    before = reader.require(BEFORE, lambda value: _moment(value, zone, template))
    interval = reader.require(INTERVAL, lambda value: _interval(value, template))
    today = local_day(now, zone)
    tomorrow = start_of_day(today + timedelta(days=1), zone)
    if after is not None and after >= tomorrow:
        reader.problems[AFTER] = f"{AFTER} lies after today, {today}"
    if before is not None:
        is_date = is_bare_date(reader.params[BEFORE])
        if before > tomorrow or (is_date and before == tomorrow):
            reader.problems[BEFORE] = f"{BEFORE} lies after today, {today}"
        elif after is not None and AFTER not in reader.problems and before <= after:
            reader.problems[BEFORE] = f"{BEFORE} must be later than {AFTER}"
    if after is None or before is None or interval is None:
        return None
    return Span(after, before, zone, interval)


def _moment(value: Any, zone: str, template: MetricTemplate) -> datetime:
    if not isinstance(value, str):
        raise ParamInvalid("must be a date (YYYY-MM-DD) or an ISO 8601 time, as a text")
    moment = parse_bound(value, zone)
    if template.is_by_day and moment != start_of_day(local_day(moment, zone), zone):
        raise ParamInvalid("must be a date, or the beginning of a day: this metric has whole days")
    return moment


def _interval(value: Any, template: MetricTemplate) -> Interval:
    return Interval(_text(value, template.intervals))


def _breakdowns(template: MetricTemplate) -> Callable[[Any], tuple[str, ...]]:
    options = template.breakdowns

    def parse(value: Any) -> tuple[str, ...]:
        if not options:
            raise ParamInvalid(f"are not offered by {template.name}")
        found = tuple(_text(each, options) for each in _list(value))
        if len(found) > BREAKDOWNS_MAX:
            raise ParamInvalid(f"may be {BREAKDOWNS_MAX} at most")
        if len(set(found)) < len(found):
            raise ParamInvalid("has the same dimension twice")
        return found

    return parse


def _values(dimension: Dimension) -> Callable[[Any], tuple[str, ...]]:
    def parse(value: Any) -> tuple[str, ...]:
        given = _list(value)
        if len(given) > VALUES_MAX:
            raise ParamInvalid(f"has {len(given)} values; at most {VALUES_MAX} are allowed")
        return tuple(dict.fromkeys(_value(each, dimension) for each in given))

    return parse


def _value(value: Any, dimension: Dimension) -> str:
    if dimension.options is not None:
        return _text(value, dimension.options)
    if not isinstance(value, str):
        raise ParamInvalid("must be a list of texts")
    if dimension.name.endswith("Id"):
        found = as_uuid(value)
        if found is None:
            raise ParamInvalid(f"has {value[:TEXT_LENGTH_MAX]!r}, which is not a UUID")
        return str(found)
    if len(value) > TEXT_LENGTH_MAX:
        raise ParamInvalid(f"has a value of more than {TEXT_LENGTH_MAX} characters")
    return value


def _text(value: Any, options: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in options:
        suffix = f", not {value[:TEXT_LENGTH_MAX]!r}" if isinstance(value, str) else ""
        raise ParamInvalid(f"must be one of {', '.join(options)}{suffix}")
    return value


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise ParamInvalid("must be a list")
    return cast("Sequence[Any]", value)


def _limit(value: Any) -> int:
    sentence = f"must be a whole number from 1 to {ROWS_MAX}"
    # JSON numbers with a decimal point are decoded as Decimal; 10.0 counts as whole.
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ParamInvalid(sentence)
    if not 1 <= value <= ROWS_MAX or value != int(value):
        raise ParamInvalid(sentence)
    return int(value)


def _check_others(reader: MetricParams, template: MetricTemplate) -> None:
    """Refuse parameters that only other templates have; parse those that are tolerated."""
    own = {each.param for each in template.filters}
    # An organisation's own template also refuses dimensions that it does not offer.
    others = {each.param: each for each in template.dimensions}
    for name, dimension in {**others, **FILTERS}.items():
        if name in own or not reader.has(name):
            continue
        if name in template.tolerates:
            reader.take(name, _values(dimension), ())
        else:
            reader.problems[name] = f"{name} is not a parameter of {template.name}"


def as_json(params: Mapping[str, Any]) -> str:
    """Encode parameters for storage."""
    return _encoder.encode(params).decode()


def from_json(text: str) -> Mapping[str, Any]:
    """Decode stored parameters."""
    return _decoder.decode(text)


def as_stored(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return parameters as they are after a round trip through storage: lists for tuples."""
    return from_json(as_json(params))
