"""Tallies of a definition's operands: their keys, merging, and the value of a row.

Each operand of a measure has its own keys. Tallies contain whole numbers, from which a row's value
is computed; floats are never used.
"""

from collections.abc import Callable, MutableMapping
from decimal import Decimal

from landbridge.platform.core.money import units_as_decimal
from landbridge.reporting.metrics.builtin.amounts import CURRENCIES, amount_name, asset_of
from landbridge.reporting.metrics.builtin.durations import percentile_seconds
from landbridge.reporting.metrics.builtin.rates import share
from landbridge.reporting.metrics.custom.definition import (
    Function,
    IfZero,
    Measure,
    Operand,
    Quantity,
    QuotientRounding,
    operands,
)
from landbridge.reporting.metrics.model import Tally, Values

VALUE = "value"
# Tally name for the number of records without an amount, which are zero in no currency.
WITHOUT = "without"
Number = int | Decimal | None

_DECIMALS = 6
_CENTS = 2
_USD = "usd_cents"
_LEAST, _GREATEST = "least", "greatest"


def key(at: int, name: str) -> str:
    """Return the tally key for a number of the operand with index `at`."""
    return f"{at}.{name}"


def amount_key(at: int, name: str, asset_code: str) -> tuple[str, int]:
    """Return the key of an amount in its currency, and the factor to millionths."""
    side, scale = amount_name(key(at, name), asset_of(asset_code))
    return side, scale


def merge(into: MutableMapping[str | int, int], tally: Tally) -> None:
    """Merge a tally into another: minima and maxima are compared, everything else is added."""
    for name, number in tally.items():
        known = into.get(name)
        if known is None:
            into[name] = number
        elif isinstance(name, str) and _is(name, _LEAST):
            into[name] = min(known, number)
        elif isinstance(name, str) and _is(name, _GREATEST):
            into[name] = max(known, number)
        else:
            into[name] = known + number


def values_of(measure: Measure) -> Callable[[Tally], Values]:
    """Return the function that computes the value of a row from its tally."""
    parts = operands(measure)

    def values(tally: Tally) -> Values:
        numbers = [_number(at, each, tally) for at, each in enumerate(parts)]
        return {VALUE: numbers[0] if len(numbers) == 1 else _combine(measure, *numbers)}

    return values


def _combine(measure: Measure, left: Number, right: Number) -> Number:
    if left is None or right is None:
        return None
    if measure.function is Function.DIFFERENCE:
        return left - right
    if not right:
        return None if measure.if_zero is IfZero.NULL else Decimal()
    return _quotient(left, right, measure)


def _quotient(part: int | Decimal, whole: int | Decimal, rule: Operand) -> Decimal:
    assert rule.digits is not None
    assert rule.rounding is not None
    # The division is exact: integers in the last decimal place are divided with a remainder.
    exact = Decimal(part), Decimal(whole)
    scale = 10 ** max(0, *(-int(each.as_tuple().exponent) for each in exact))
    dividend, divisor = (int(each * scale) for each in exact)
    if divisor < 0:
        dividend, divisor = -dividend, -divisor
    units, remainder = divmod(abs(dividend) * 10**rule.digits, divisor)
    units += _rounds_up(remainder, divisor, rule.rounding, is_odd=bool(units % 2))
    return units_as_decimal(units if dividend >= 0 else -units, rule.digits)


def _rounds_up(remainder: int, divisor: int, rounding: QuotientRounding, *, is_odd: bool) -> bool:
    match rounding:
        case QuotientRounding.DOWN:
            return False
        case QuotientRounding.UP:
            return remainder > 0
        case QuotientRounding.HALF_UP:
            return remainder * 2 >= divisor
        case QuotientRounding.HALF_EVEN:
            return remainder * 2 > divisor or (remainder * 2 == divisor and is_odd)


def _number(at: int, operand: Operand, tally: Tally) -> Number:
    count = tally.get(key(at, "count"), 0)
    match operand.function:
        case Function.COUNT:
            return count
        case Function.DISTINCT_USERS:
            prefix = key(at, "user.")
            return sum(1 for name, times in tally.items() if times and str(name).startswith(prefix))
        case Function.SUCCESS_SHARE | Function.FAILURE_SHARE:
            completed = tally.get(key(at, "completed"), 0)
            failed = tally.get(key(at, "failed"), 0)
            part = completed if operand.function is Function.SUCCESS_SHARE else failed
            return share(part, completed + failed)
        case Function.MEDIAN | Function.P95:
            prefix = key(at, "ms.")
            durations: Tally = {
                int(str(name).removeprefix(prefix)): times
                for name, times in tally.items()
                if str(name).startswith(prefix)
            }
            percent = "p50Seconds" if operand.function is Function.MEDIAN else "p95Seconds"
            return percentile_seconds(durations)[percent]
        case _:
            return _amount(at, operand, tally, count)


def _amount(at: int, operand: Operand, tally: Tally, count: int) -> Number:
    names = {Function.MINIMUM: _LEAST, Function.MAXIMUM: _GREATEST}
    name = names.get(operand.function, "sum")
    if name != "sum" and not count:
        return None
    total = _of(at, name, operand.of, tally)
    if operand.function is not Function.AVERAGE:
        return total
    return None if total is None or not count else _quotient(total, count, operand)


def _of(at: int, name: str, quantity: Quantity | None, tally: Tally) -> Decimal | None:
    if quantity in {Quantity.AMOUNT_USD, Quantity.FEES_USD}:
        return units_as_decimal(tally.get(key(at, f"{name}.{_USD}"), 0), _DECIMALS)
    side = key(at, name)
    known = {f"{side}.{currency}" for currency in CURRENCIES}
    amounts = [units for each, units in tally.items() if each in known]
    found = [units for units in amounts if units]
    if len(found) > 1:
        return None
    units = sum(found)
    # A zero in one currency, such as a refunded fee, counts as zero in any other.
    has_zero = len(found) < len(amounts) or bool(tally.get(key(at, WITHOUT)))
    if has_zero and name != "sum":
        units = min(units, 0) if name == _LEAST else max(units, 0)
    return units_as_decimal(units, _DECIMALS)


def usd_key(at: int, name: str) -> str:
    """Return the key of an amount in millionths of a US dollar."""
    return key(at, f"{name}.{_USD}")


def _is(name: str, part: str) -> bool:
    return name.split(".", 2)[1] == part
