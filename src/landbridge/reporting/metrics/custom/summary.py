"""Words that describe a definition, as in "Sum of fees in USD of completed offramps to MEX".

`translate` returns a text in the reader's language; dimension values are labelled by `label`.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.custom.definition import (
    Function,
    IfZero,
    Operand,
    Quantity,
    TemplateDefinition,
    TemplateFilters,
    TemplateSubject,
)

Translate = Callable[[str], str]

_SUBJECTS: Mapping[TemplateSubject, str] = {
    TemplateSubject.TRANSACTIONS: _("transactions"),
    TemplateSubject.USERS: _("users"),
    TemplateSubject.APPROVALS: _("approvals"),
    TemplateSubject.DELIVERIES: _("webhook delivery attempts"),
    TemplateSubject.BALANCES: _("balances"),
}
_FUNCTIONS: Mapping[Function, str] = {
    Function.COUNT: _("Number of {of}"),
    Function.SUM: _("Sum of {quantity} of {of}"),
    Function.AVERAGE: _("Average of {quantity} of {of}"),
    Function.MINIMUM: _("Minimum of {quantity} of {of}"),
    Function.MAXIMUM: _("Maximum of {quantity} of {of}"),
    Function.DISTINCT_USERS: _("Number of distinct users of {of}"),
    Function.SUCCESS_SHARE: _("Share of successes of {of}"),
    Function.FAILURE_SHARE: _("Share of failures of {of}"),
    Function.MEDIAN: _("Median duration of {of}"),
    Function.P95: _("95th percentile of the duration of {of}"),
    Function.RATIO: _("Ratio of ({left}) to ({right})"),
    Function.DIFFERENCE: _("({left}) minus ({right})"),
}
_QUANTITIES: Mapping[Quantity, str] = {
    Quantity.AMOUNT_USD: _("amounts in USD"),
    Quantity.AMOUNT: _("amounts in their currency"),
    Quantity.FEES_USD: _("fees in USD"),
    Quantity.FEES: _("fees in their currency"),
}
_FILTERS: Mapping[str, str] = {
    "transactionTypes": _("type {values}"),
    "transactionStatuses": _("status {values}"),
    "outcomes": _("outcome {values}"),
    "currencies": _("currency {values}"),
    "destinationCurrencies": _("destination currency {values}"),
    "chains": _("chain {values}"),
    "countries": _("bank country {values}"),
    "rails": _("rail {values}"),
    "userTypes": _("user type {values}"),
    "userIds": _("user {values}"),
    "initiatedBy": _("initiated by {values}"),
    "feePayers": _("fee paid by {values}"),
    "approvalStatuses": _("status {values}"),
    "endpointIds": _("endpoint {values}"),
    "holders": _("account holder {values}"),
}
_BREAKDOWNS: Mapping[str, str] = {
    "transactionType": _("type"),
    "transactionStatus": _("status"),
    "outcome": _("outcome"),
    "currency": _("currency"),
    "destinationCurrency": _("destination currency"),
    "chain": _("chain"),
    "country": _("bank country"),
    "rail": _("rail"),
    "userType": _("user type"),
    "userId": _("user"),
    "initiatedBy": _("initiator"),
    "feePayer": _("fee payer"),
    "approvalStatus": _("status"),
    "endpointId": _("endpoint"),
    "holder": _("account holder"),
}
_INTERVALS: Mapping[str, str] = {
    "day": _("day"),
    "week": _("week"),
    "month": _("month"),
    "quarter": _("quarter"),
    "year": _("year"),
}


def summary(
    definition: TemplateDefinition,
    translate: Translate = str,
    label: Callable[[str], str] = str,
) -> str:
    """Return the words of a definition, in English unless it is translated."""
    measure = definition.measure
    if measure.left is not None and measure.right is not None:
        text = translate(_FUNCTIONS[measure.function]).format(
            left=_number(definition, measure.left, translate, label),
            right=_number(definition, measure.right, translate, label),
        )
        if measure.function is Function.RATIO:
            zero = _("null") if measure.if_zero is IfZero.NULL else _("zero")
            digits = translate(_("{digits} digits, {zero} where the divisor is zero"))
            text += f" ({digits.format(digits=measure.digits, zero=translate(zero))})"
    else:
        text = _number(definition, measure, translate, label)
    intervals = _joined([_INTERVALS[each] for each in definition.intervals], translate, _("or"))
    text += ", " + translate(_("per {interval}")).format(interval=intervals)
    if definition.breakdowns:
        names = _joined([_BREAKDOWNS[each] for each in definition.breakdowns], translate, _("or"))
        text += ", " + translate(_("by {dimensions}")).format(dimensions=names)
    return text


def _number(
    definition: TemplateDefinition,
    operand: Operand,
    translate: Translate,
    label: Callable[[str], str],
) -> str:
    of = translate(_SUBJECTS[definition.subject])
    conditions = [
        *_conditions(definition.filters, translate, label),
        *_conditions(operand.filters, translate, label),
    ]
    if conditions:
        of = f"{of} ({'; '.join(dict.fromkeys(conditions))})"
    quantity = "" if operand.of is None else translate(_QUANTITIES[operand.of])
    return translate(_FUNCTIONS[operand.function]).format(of=of, quantity=quantity)


def _conditions(
    filters: TemplateFilters, translate: Translate, label: Callable[[str], str]
) -> Iterator[str]:
    for name, values in msgspec.to_builtins(filters).items():
        if name in _FILTERS and values:
            known = _joined([label(each) for each in values], str, translate(_("or")))
            yield translate(_FILTERS[name]).format(values=known)
    amounts = filters.amount_usd
    if amounts is not None and amounts.minimum is not None:
        yield translate(_("at least {amount} USD")).format(amount=amounts.minimum)
    if amounts is not None and amounts.maximum is not None:
        yield translate(_("at most {amount} USD")).format(amount=amounts.maximum)


def _joined(names: list[str], translate: Translate, conjunction: str) -> str:
    words = [translate(each) for each in names]
    if len(words) < 2:  # noqa: PLR2004  a list of one or none has no conjunction
        return "".join(words)
    return f"{', '.join(words[:-1])} {translate(conjunction)} {words[-1]}"
