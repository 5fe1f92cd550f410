"""Labels of what a template can measure, and the choices that its form offers for each subject."""

from collections.abc import Mapping, Sequence
from typing import Final

from landbridge.dashboard.reports.names import dimension_label
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.custom.checks import FUNCTIONS, OF_AMOUNTS, OF_TWO, QUANTITIES
from landbridge.reporting.metrics.custom.definition import (
    Function,
    IfZero,
    Operand,
    Quantity,
    QuotientRounding,
    TemplateDefinition,
    TemplateSubject,
)
from landbridge.reporting.metrics.custom.summary import summary
from landbridge.reporting.metrics.measure_labels import PERCENT

Choices = Sequence[tuple[str, str]]

SUBJECTS: Final[Mapping[str, str]] = {
    TemplateSubject.TRANSACTIONS: _("Transactions"),
    TemplateSubject.USERS: _("Users"),
    TemplateSubject.APPROVALS: _("Approvals"),
    TemplateSubject.DELIVERIES: _("Webhook deliveries"),
    TemplateSubject.BALANCES: _("Balances"),
}
_FUNCTION_LABELS: Final[Mapping[str, str]] = {
    Function.COUNT: _("Count"),
    Function.SUM: _("Sum"),
    Function.AVERAGE: _("Average"),
    Function.MINIMUM: _("Minimum"),
    Function.MAXIMUM: _("Maximum"),
    Function.DISTINCT_USERS: _("Distinct users"),
    Function.SUCCESS_SHARE: _("Share of successes"),
    Function.FAILURE_SHARE: _("Share of failures"),
    Function.MEDIAN: _("Median duration"),
    Function.P95: _("95th percentile duration"),
    Function.RATIO: _("Ratio of two numbers"),
    Function.DIFFERENCE: _("Difference of two numbers"),
}
_QUANTITY_LABELS: Final[Mapping[str, str]] = {
    Quantity.AMOUNT_USD: _("Amount in USD"),
    Quantity.AMOUNT: _("Amount in its currency"),
    Quantity.FEES_USD: _("Fees in USD"),
    Quantity.FEES: _("Fees in their currency"),
}
ROUNDINGS: Final[Choices] = (
    (QuotientRounding.HALF_UP, _("Half up")),
    (QuotientRounding.HALF_EVEN, _("Half to even")),
    (QuotientRounding.DOWN, _("Down")),
    (QuotientRounding.UP, _("Up")),
)
IF_ZERO: Final[Choices] = ((IfZero.NULL, _("No value")), (IfZero.ZERO, _("Zero")))
_USD = frozenset({Quantity.AMOUNT_USD, Quantity.FEES_USD})
_SECONDS = frozenset({Function.MEDIAN, Function.P95})
_SHARES = frozenset({Function.SUCCESS_SHARE, Function.FAILURE_SHARE})
_ADDITIVE = frozenset({Function.COUNT, Function.SUM})


def function_choices(subject: str, *, is_operand: bool = False) -> Choices:
    """Return the functions that a subject has; an operand is never made of two numbers itself."""
    known = FUNCTIONS[TemplateSubject(subject)]
    return [
        (each, label)
        for each, label in _FUNCTION_LABELS.items()
        if each in known and not (is_operand and each in OF_TWO)
    ]


def quantity_choices(subject: str) -> Choices:
    """Return the quantities that a subject has."""
    known = QUANTITIES.get(TemplateSubject(subject), frozenset())
    return [(each, label) for each, label in _QUANTITY_LABELS.items() if each in known]


def unit_of(definition: TemplateDefinition) -> str:
    """Return the unit of a definition's value: `USD`, `s`, `%`, or none."""
    measure: Operand = definition.measure
    if measure.function is Function.DIFFERENCE:
        measure = definition.measure.left or measure
    if measure.function in _SECONDS:
        return "s"
    if measure.function in _SHARES:
        return PERCENT
    return "USD" if measure.function in OF_AMOUNTS and measure.of in _USD else ""


def is_additive(definition: TemplateDefinition) -> bool:
    """Return whether values of groups add up, so that bars may be stacked."""
    return (
        definition.subject is not TemplateSubject.BALANCES
        and definition.measure.function in _ADDITIVE
    )


def definition_summary(definition: TemplateDefinition, language: str) -> str:
    """Return a definition in words, in the visitor's language."""
    return summary(
        definition, catalogue(language).gettext, lambda value: dimension_label(value, language)
    )
