"""Validates a definition beyond its types; reports every problem with the path of its member."""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

import msgspec

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.providers.chains.tokens import ASSETS
from landbridge.reporting.metrics.builtin.kinds import OUTCOME_OF, TYPES
from landbridge.reporting.metrics.custom.definition import (
    AmountRange,
    Function,
    Measure,
    Operand,
    Quantity,
    TemplateDefinition,
    TemplateFilters,
    TemplateSubject,
)
from landbridge.reporting.metrics.custom.dimensions import DIMENSIONS, NONE, fixed_values
from landbridge.reporting.metrics.params import TEXT_LENGTH_MAX

Problem = tuple[str, str]

OF_TWO = frozenset({Function.RATIO, Function.DIFFERENCE})
OF_AMOUNTS = frozenset({Function.SUM, Function.AVERAGE, Function.MINIMUM, Function.MAXIMUM})
_TIMES = frozenset({Function.MEDIAN, Function.P95})
_SHARES = frozenset({Function.SUCCESS_SHARE, Function.FAILURE_SHARE})
FUNCTIONS: Mapping[TemplateSubject, frozenset[Function]] = {
    TemplateSubject.TRANSACTIONS: frozenset(Function),
    TemplateSubject.USERS: frozenset({Function.COUNT, *OF_TWO}),
    TemplateSubject.APPROVALS: frozenset({Function.COUNT, *_TIMES, *_SHARES, *OF_TWO}),
    TemplateSubject.DELIVERIES: frozenset({Function.COUNT, *_TIMES, *_SHARES, *OF_TWO}),
    TemplateSubject.BALANCES: frozenset({Function.SUM, *OF_TWO}),
}
QUANTITIES: Mapping[TemplateSubject, frozenset[Quantity]] = {
    TemplateSubject.TRANSACTIONS: frozenset(Quantity),
    TemplateSubject.BALANCES: frozenset({Quantity.AMOUNT_USD, Quantity.AMOUNT}),
}
# Types of transactions that have fiat at a bank on one side.
_RAMPS = frozenset({"onramp", "offramp"})
_WHOLE_DIGITS_MAX = 15
_CENTS_DIGITS = 2


def check_definition(definition: TemplateDefinition) -> None:
    """Raise `FieldsInvalid` with a sentence for every problem, by the path of its member."""
    problems: dict[str, str] = {}
    for path, sentence in _problems(definition):
        problems.setdefault(path, f"{path} {sentence}")
    if problems:
        raise FieldsInvalid(problems)


def _problems(definition: TemplateDefinition) -> Iterator[Problem]:
    subject, measure = definition.subject, definition.measure
    yield from _filters("definition.filters", subject, definition.filters)
    yield from _measure(subject, measure)
    for at, operand in _operands(measure):
        yield from _filters(f"{at}.filters", subject, operand.filters)
        yield from _against(at, definition, operand)
    names = [each.name for each in DIMENSIONS[subject]]
    params = [each.param for each in DIMENSIONS[subject]]
    yield from _chosen("definition.breakdowns", definition.breakdowns, names)
    yield from _chosen("definition.params", definition.params, params)
    yield from _chosen("definition.intervals", definition.intervals, list(definition.intervals))
    if not definition.intervals:
        yield "definition.intervals", "must have at least one interval"


def _chosen(path: str, values: Collection[str], options: Collection[str]) -> Iterator[Problem]:
    unknown = [each for each in values if each not in options]
    if unknown:
        yield path, f"must be of {', '.join(options)}, not {unknown[0][:TEXT_LENGTH_MAX]!r}"
    elif len(set(values)) < len(values):
        yield path, "has the same value twice"


def _operands(measure: Measure) -> Iterator[tuple[str, Operand]]:
    yield "definition.measure", measure
    for name in ("left", "right"):
        operand: Operand | None = getattr(measure, name)
        if operand is not None:
            yield f"definition.measure.{name}", operand


def _measure(subject: TemplateSubject, measure: Measure) -> Iterator[Problem]:
    at = "definition.measure"
    if measure.function not in OF_TWO:
        for name in ("left", "right", "if_zero"):
            if getattr(measure, name) is not None:
                yield f"{at}.{_wire(name)}", "is for a ratio or a difference only"
        yield from _number(at, subject, measure)
        return
    if measure.of is not None or measure.filters != TemplateFilters():
        member = "of" if measure.of is not None else "filters"
        yield f"{at}.{member}", "is for the numbers of a ratio or a difference, left and right"
    for name in ("left", "right"):
        yield from _part(f"{at}.{name}", subject, getattr(measure, name))
    if measure.function is Function.RATIO:
        yield from _rounding(at, measure)
        if measure.if_zero is None:
            yield f"{at}.ifZero", "is required (null or zero): the divisor can be zero in a row"
    else:
        yield from _difference(at, measure)


def _part(at: str, subject: TemplateSubject, operand: Operand | None) -> Iterator[Problem]:
    if operand is None:
        yield at, "is required: a ratio or a difference has two numbers"
    elif operand.function in OF_TWO:
        yield f"{at}.function", "must not be a ratio or a difference itself"
    else:
        yield from _number(at, subject, operand)


def _difference(at: str, measure: Measure) -> Iterator[Problem]:
    if measure.if_zero is not None:
        yield f"{at}.ifZero", "is for a ratio only"
    if measure.left is not None and measure.right is not None:
        units = {_unit(measure.left), _unit(measure.right)}
        if len(units) > 1:
            yield f"{at}.right", f"must have the unit of left: {' and '.join(sorted(units))}"


def _unit(operand: Operand) -> str:
    if operand.function in OF_AMOUNTS:
        return "USD" if operand.of in {Quantity.AMOUNT_USD, Quantity.FEES_USD} else "currency"
    if operand.function in _TIMES:
        return "seconds"
    return "share" if operand.function in _SHARES else "count"


def _number(at: str, subject: TemplateSubject, operand: Operand) -> Iterator[Problem]:
    if operand.function not in FUNCTIONS[subject]:
        known = ", ".join(sorted(FUNCTIONS[subject]))
        yield f"{at}.function", f"must be one of {known} for {subject}, not {operand.function!r}"
    if operand.function in OF_AMOUNTS:
        allowed = QUANTITIES.get(subject, frozenset())
        if operand.of is None:
            yield (
                f"{at}.of",
                f"is required: a {operand.function} is of {', '.join(sorted(allowed))}",
            )
        elif operand.of not in allowed:
            yield f"{at}.of", f"must be one of {', '.join(sorted(allowed))} for {subject}"
    elif operand.of is not None:
        yield f"{at}.of", f"is not for a {operand.function}"
    if operand.function is Function.AVERAGE:
        yield from _rounding(at, operand)
    elif operand.digits is not None or operand.rounding is not None:
        yield f"{at}.digits", "and rounding are for an average or a ratio only"


def _rounding(at: str, operand: Operand) -> Iterator[Problem]:
    for name in ("digits", "rounding"):
        if getattr(operand, name) is None:
            yield f"{at}.{name}", f"is required: a {operand.function} is rounded"


def _filters(at: str, subject: TemplateSubject, filters: TemplateFilters) -> Iterator[Problem]:
    given = msgspec.to_builtins(filters)
    known = {each.param: each for each in DIMENSIONS[subject]}
    for name, values in given.items():
        path = f"{at}.{name}"
        if name == "amountUsd":
            if subject is not TemplateSubject.TRANSACTIONS:
                yield path, f"is not a filter of {subject}"
            elif filters.amount_usd is not None:
                yield from _range(path, filters.amount_usd)
        elif values and name not in known:
            yield path, f"is not a filter of {subject}"
        elif values:
            yield from _values(path, values, known[name].options)
    if subject is TemplateSubject.TRANSACTIONS:
        yield from _contradictions(at, filters)


def _values(
    path: str, values: Collection[str], options: tuple[str, ...] | None
) -> Iterator[Problem]:
    if options is not None:
        yield from _chosen(path, values, options)
    elif path.endswith("Ids") and any(as_uuid(each) is None for each in values):
        yield path, "must be a list of UUIDs"
    elif any(not 1 <= len(each) <= TEXT_LENGTH_MAX for each in values):
        yield path, f"must have values of 1 to {TEXT_LENGTH_MAX} characters"


def _range(path: str, amounts: AmountRange) -> Iterator[Problem]:
    bounds: list[Decimal] = []
    for name in ("minimum", "maximum"):
        text: str | None = getattr(amounts, name)
        if text is None:
            continue
        whole, point, cents = text.partition(".")
        if not whole.isascii() or not whole.isdigit() or len(whole) > _WHOLE_DIGITS_MAX:
            yield f"{path}.{name}", "must be an amount in US dollars such as 100.00, as a text"
        elif point and not (cents.isascii() and cents.isdigit() and len(cents) <= _CENTS_DIGITS):
            yield f"{path}.{name}", "must be an amount in US dollars with at most two decimals"
        else:
            bounds.append(Decimal(text))
    if amounts.minimum is None and amounts.maximum is None:
        yield path, "must have a minimum or a maximum"
    if bounds and bounds[0] > bounds[-1]:
        yield f"{path}.maximum", "must not be less than minimum"


def _contradictions(at: str, filters: TemplateFilters) -> Iterator[Problem]:
    types = set(filters.transaction_types) or set(TYPES.values())
    states = [(TYPES[kind], status, outcome) for (kind, status), outcome in OUTCOME_OF.items()]
    possible = [each for each in states if each[0] in types]
    statuses = {status for _, status, _ in possible}
    if filters.transaction_statuses and statuses.isdisjoint(filters.transaction_statuses):
        yield f"{at}.transactionStatuses", "contradicts transactionTypes: none of these has them"
    allowed = set(filters.transaction_statuses) or statuses
    outcomes = {outcome for _, status, outcome in possible if status in allowed}
    if filters.outcomes and outcomes.isdisjoint(filters.outcomes):
        yield f"{at}.outcomes", "contradicts transactionStatuses: none of these has that outcome"
    if types.isdisjoint(_RAMPS):
        for name, values in (("countries", filters.countries), ("rails", filters.rails)):
            if values and set(values) != {NONE}:
                yield f"{at}.{name}", "contradicts transactionTypes: these touch no bank"
    pairs = {(asset.currency, str(asset.chain)) for asset in ASSETS.values()}
    coins = {currency for currency, _ in pairs}
    named = {*filters.currencies} & coins
    has_coins_only = bool(filters.chains and named) and named == {*filters.currencies}
    if has_coins_only and not any(
        (currency, chain) in pairs for currency in named for chain in filters.chains
    ):
        yield f"{at}.chains", "contradicts currencies: none of them is on these chains"


def _against(at: str, definition: TemplateDefinition, operand: Operand) -> Iterator[Problem]:
    """Find an operand's filters that exclude every value that the definition's filters allow."""
    if operand is definition.measure and operand.function in OF_TWO:
        return
    fixed = fixed_values(definition.subject, definition.filters)
    own = fixed_values(definition.subject, operand.filters)
    params = {each.name: each.param for each in DIMENSIONS[definition.subject]}
    for name in fixed.keys() & own.keys():
        if set(fixed[name]).isdisjoint(own[name]):
            path = f"{at}.filters.{params[name]}"
            yield path, f"contradicts definition.filters.{params[name]}"


def _wire(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.title() for each in rest)
