"""Definition of a template, as data: measure, subject, filters, breakdowns and parameters.

A definition is stored and sent in the form declared here. `checks.py` validates what the types
cannot; `compile.py` compiles a definition to a template.
"""

from enum import StrEnum
from typing import Annotated

import msgspec
from typing_extensions import override

from landbridge.reporting.rollups.model import Interval

TEMPLATES_MAX = 100
VERSIONS_MAX = 100
NAME_LENGTH_MAX = 64
NAME_PATTERN = r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\Z"
DISPLAY_NAME_LENGTH_MAX = 100
DESCRIPTION_LENGTH_MAX = 500
# Most decimals of a value: more than any currency has, and exact as a JSON number.
DIGITS_MAX = 8
VALUES_MAX = 100

_Texts = Annotated[list[str], msgspec.Meta(max_length=VALUES_MAX)]


class TemplateSubject(StrEnum):
    """Records that a template measures."""

    TRANSACTIONS = "transactions"
    USERS = "users"
    APPROVALS = "approvals"
    DELIVERIES = "deliveries"
    BALANCES = "balances"


class Function(StrEnum):
    """Function that computes a number from records."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DISTINCT_USERS = "distinctUsers"
    SUCCESS_SHARE = "successShare"
    FAILURE_SHARE = "failureShare"
    MEDIAN = "median"
    P95 = "p95"
    RATIO = "ratio"
    DIFFERENCE = "difference"


class Quantity(StrEnum):
    """Amount of a record that is added up or compared."""

    AMOUNT_USD = "amountUsd"
    AMOUNT = "amount"
    FEES_USD = "feesUsd"
    FEES = "fees"


class QuotientRounding(StrEnum):
    """Rounding of a quotient to its digits."""

    HALF_UP = "halfUp"
    HALF_EVEN = "halfEven"
    DOWN = "down"
    UP = "up"


class IfZero(StrEnum):
    """Value of a ratio in a row where its divisor is zero."""

    NULL = "null"
    ZERO = "zero"


class _DefinitionPart(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Base of all parts of a definition."""


class AmountRange(_DefinitionPart, frozen=True):
    """Bounds of a transaction's USD value, inclusive, as decimal texts such as `100.00`."""

    minimum: str | None = None
    maximum: str | None = None


class TemplateFilters(_DefinitionPart, frozen=True):
    """Fixed filters: only records with one of these values; an empty list excludes nothing."""

    transaction_types: _Texts = []
    transaction_statuses: _Texts = []
    outcomes: _Texts = []
    currencies: _Texts = []
    destination_currencies: _Texts = []
    chains: _Texts = []
    countries: _Texts = []
    rails: _Texts = []
    user_types: _Texts = []
    user_ids: _Texts = []
    initiated_by: _Texts = []
    fee_payers: _Texts = []
    approval_statuses: _Texts = []
    endpoint_ids: _Texts = []
    holders: _Texts = []
    amount_usd: AmountRange | None = None

    @override
    def __hash__(self) -> int:
        """Return a hash of the values, because a struct's default value must be hashable."""
        return hash(msgspec.json.encode(self))


class Operand(_DefinitionPart, frozen=True):
    """One number: a function, the quantity it is applied to, and filters of its own.

    `digits` and `rounding` are required for an average, the only quotient among these that has no
    digits of its own (a share has four, rounded half up).
    """

    function: Function
    of: Quantity | None = None
    filters: TemplateFilters = TemplateFilters()
    digits: Annotated[int, msgspec.Meta(ge=0, le=DIGITS_MAX)] | None = None
    rounding: QuotientRounding | None = None


class Measure(Operand, frozen=True):
    """Measured number: an operand, or the ratio or difference of two.

    A ratio has digits, a rounding, and a value for rows whose divisor is zero.
    """

    left: Operand | None = None
    right: Operand | None = None
    if_zero: IfZero | None = None


class TemplateDefinition(_DefinitionPart, frozen=True):
    """Definition of a template.

    `breakdowns` are the dimensions that a request may break down by, `intervals` those it may
    choose from, and `params` the filters that it may set.
    """

    subject: TemplateSubject
    measure: Measure
    filters: TemplateFilters = TemplateFilters()
    breakdowns: _Texts = []
    intervals: list[Interval] = msgspec.field(default_factory=lambda: list(Interval))
    params: _Texts = []


def operands(measure: Measure) -> tuple[Operand, ...]:
    """Return the numbers that are read for a measure: itself, or its two operands."""
    if measure.function in {Function.RATIO, Function.DIFFERENCE}:
        return tuple(each for each in (measure.left, measure.right) if each is not None)
    return (measure,)
