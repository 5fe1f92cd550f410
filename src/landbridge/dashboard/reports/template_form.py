"""Form of a template: fields to a definition and back, labels, and choices of each subject.

The API validates the definition. Fields of `filters` have the prefix `filters-`; those of the two
numbers of a ratio or a difference have the prefixes `left-` and `right-`.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import to_builtins

from landbridge.dashboard.json_text import JsonObject, as_object, as_texts
from landbridge.dashboard.page_request import Form
from landbridge.dashboard.reports.names import dimension_label
from landbridge.dashboard.reports.report_query import params_of
from landbridge.platform.formats.texts import TEXT_LENGTH_MAX
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.custom.checks import FUNCTIONS, OF_AMOUNTS, OF_TWO, QUANTITIES
from landbridge.reporting.metrics.custom.definition import (
    NAME_LENGTH_MAX,
    Function,
    IfZero,
    Operand,
    Quantity,
    QuotientRounding,
    TemplateDefinition,
    TemplateSubject,
)
from landbridge.reporting.metrics.custom.dimensions import DIMENSIONS
from landbridge.reporting.metrics.custom.summary import summary
from landbridge.reporting.metrics.measure_labels import PERCENT
from landbridge.reporting.metrics.template_schemas import param_reply
from landbridge.reporting.rollups.model import Interval

SIDES = ("left", "right")
AMOUNT = "amountUsd"
_RANGE = ("minimum", "maximum")
_LISTS = ("breakdowns", "intervals", "params")
_DIGITS_DEFAULT = "2"
_DIGITS_LENGTH_MAX = 3


def subject_of(text: str) -> TemplateSubject:
    """Return the subject with this name; transactions if there is none."""
    return TemplateSubject(text) if text in list(TemplateSubject) else TemplateSubject.TRANSACTIONS


def definition_of(subject: TemplateSubject, form: Form) -> JsonObject:
    """Return the definition that a form describes; fields that do not apply are ignored."""
    function = form.text("function") or function_choices(subject)[0][0]
    if function in OF_TWO:
        measure: JsonObject = {"function": function}
        for side in SIDES:
            filters = _filters(subject, form, f"{side}-filters-")
            operand = _operand(subject, form, f"{side}-")
            measure[side] = operand | {"filters": filters} if filters else operand
        if function == Function.RATIO:
            measure |= _rounding(form, "")
            measure["ifZero"] = form.text("ifZero") or IfZero.NULL
    else:
        measure = _operand(subject, form, "")
    found: JsonObject = {"subject": subject, "measure": measure}
    filters = _filters(subject, form, "filters-")
    if filters:
        found["filters"] = filters
    return found | {name: _unique(form.texts(name)) for name in _LISTS}


def form_of(definition: TemplateDefinition) -> Form:
    """Return the form that describes a definition."""
    measure = definition.measure
    fields: dict[str, Sequence[str]] = {
        "breakdowns": definition.breakdowns,
        "intervals": definition.intervals or list(Interval),
        "params": definition.params,
        **_operand_fields(measure, ""),
    }
    if measure.if_zero:
        fields["ifZero"] = [measure.if_zero]
    for side, operand in zip(SIDES, (measure.left, measure.right), strict=True):
        if operand is not None:
            fields |= _operand_fields(operand, f"{side}-")
            fields |= _filter_fields(to_builtins(operand.filters), f"{side}-filters-")
    # A single number may have filters of its own; these mean the same among those of the template.
    own, of_measure = to_builtins(definition.filters), to_builtins(measure.filters)
    fields |= _filter_fields(_intersection(own, of_measure), "filters-")
    return Form(fields)


def new_form(subject: TemplateSubject) -> Form:
    """Return the form of a new template."""
    breakdowns = [each.name for each in DIMENSIONS[subject][:1]]
    return Form({"breakdowns": breakdowns, "intervals": list(Interval)})


def opened_folds(form: Form) -> frozenset[str]:
    """Return the prefixes of filters of which at least one is set."""
    prefixes = ("filters-", *(f"{side}-filters-" for side in SIDES))
    return frozenset(
        prefix
        for prefix in prefixes
        if any(name.startswith(prefix) and any(form.texts(name)) for name in form.fields)
    )


def preview_params(definition: JsonObject, form: Form, now: datetime, zone: ZoneInfo) -> JsonObject:
    """Return the parameters of the preview: those chosen, if the definition offers them."""
    offered = [each for each in Interval if each in as_texts(definition["intervals"])] or list(
        Interval
    )
    fields = {name: form.fields[name] for name in ("createdAfter", "until") if name in form.fields}
    interval = form.text("previewInterval")
    if interval in offered:
        fields["calculationInterval"] = [interval]
    known = [
        param_reply("createdAfter", "date", ""),
        param_reply("calculationInterval", "enum", "", options=[*offered]),
    ]
    params = params_of(known, fields, now, zone)
    breakdowns = as_texts(definition["breakdowns"])
    breakdown = form.text("previewBreakdown", "".join(breakdowns[:1]))
    if breakdown in breakdowns:
        params["breakdowns"] = [breakdown]
    return params


def name_of(title: str) -> str:
    """Return a template name made of a title: `Failed payouts` becomes `FAILED_PAYOUTS`."""
    letters = unicodedata.normalize("NFKD", title[:TEXT_LENGTH_MAX])
    plain = letters.encode("ascii", "ignore").decode().upper()
    words = re.findall(r"[A-Z0-9]+", plain)
    name = "_".join(words)[:NAME_LENGTH_MAX].rstrip("_")
    return f"T_{name}"[:NAME_LENGTH_MAX].rstrip("_") if name[:1].isdigit() else name


def input_of(path: str) -> str:
    """Return the input that shows a member: `definition.measure.left.of` is in `left-of`."""
    path = path.partition("[")[0]
    for prefix in ("definition.", "measure."):
        path = path.removeprefix(prefix)
    return {"createdBefore": "until", "displayName": "title"}.get(path, path.replace(".", "-"))


def _operand(subject: TemplateSubject, form: Form, prefix: str) -> JsonObject:
    function = form.text(f"{prefix}function") or function_choices(subject)[0][0]
    found: JsonObject = {"function": function}
    if function in OF_AMOUNTS:
        quantities = quantity_choices(subject)
        found["of"] = form.text(f"{prefix}of") or (quantities[0][0] if quantities else "")
    if function == Function.AVERAGE:
        found |= _rounding(form, prefix)
    return found


def _rounding(form: Form, prefix: str) -> JsonObject:
    digits = form.text(f"{prefix}digits") or _DIGITS_DEFAULT
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS_LENGTH_MAX
    return {
        "digits": int(digits) if is_number else digits,
        "rounding": form.text(f"{prefix}rounding") or QuotientRounding.HALF_UP,
    }


def _filters(subject: TemplateSubject, form: Form, prefix: str) -> JsonObject:
    found: JsonObject = {}
    for each in DIMENSIONS[subject]:
        texts = form.texts(f"{prefix}{each.param}")
        values = _unique(line.strip() for text in texts for line in text.splitlines())
        if values:
            found[each.param] = values
    if subject is TemplateSubject.TRANSACTIONS:
        bounds = {name: form.text(f"{prefix}{AMOUNT}-{name}") for name in _RANGE}
        if any(bounds.values()):
            found[AMOUNT] = {name: text for name, text in bounds.items() if text}
    return found


def _unique(values: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(values) if each]


def _operand_fields(operand: Operand, prefix: str) -> dict[str, list[str]]:
    return {
        f"{prefix}{name}": [str(value)]
        for name in ("function", "of", "digits", "rounding")
        if (value := getattr(operand, name)) is not None
    }


def _filter_fields(filters: JsonObject, prefix: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, values in filters.items():
        if name == AMOUNT:
            bounds = as_object(values)
            for bound in _RANGE:
                if bounds.get(bound):
                    found[f"{prefix}{name}-{bound}"] = [str(bounds[bound])]
        else:
            found[f"{prefix}{name}"] = as_texts(values)
    return found


def _intersection(own: JsonObject, others: JsonObject) -> JsonObject:
    """Return filters that pass what both pass."""
    found: JsonObject = {**own, **others}
    for name in own.keys() & others.keys():
        if name != AMOUNT:
            found[name] = [each for each in as_texts(own[name]) if each in as_texts(others[name])]
            continue
        ranges = as_object(own[name]), as_object(others[name])
        bounds = ranges[0] | ranges[1]
        for bound, choose in zip(_RANGE, (max, min), strict=True):
            known = [str(each[bound]) for each in ranges if each.get(bound) is not None]
            if known:
                bounds[bound] = choose(known, key=Decimal)
        found[name] = bounds
    return found


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
