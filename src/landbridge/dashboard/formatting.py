"""Jinja filters for amounts, statuses and ids; those for times are in time_formats.py.

Amounts are never rounded: all digits are shown, with at least two decimals. Only native coins,
which have 18, are cut; the exact value is in their tooltip.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal, localcontext
from typing import Final

from babel.numbers import format_compact_decimal, format_percent, get_decimal_symbol
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from landbridge.dashboard.change_labels import change_label
from landbridge.dashboard.deposit_formats import DEPOSIT_FILTERS
from landbridge.dashboard.number_formats import (
    NONE,
    NumberFormat,
    number_markup,
    number_text,
    plain_number,
)
from landbridge.dashboard.payment_lines import LINE_FILTERS, money_unit
from landbridge.dashboard.reports.names import dimension_label
from landbridge.dashboard.stacked_tables import label_cells
from landbridge.dashboard.status_labels import status_label, status_tone
from landbridge.dashboard.time_formats import TIME_FILTERS
from landbridge.dashboard.travel_rule_labels import TRAVEL_RULE_FILTERS, labelled_reason
from landbridge.dashboard.usd_values import usd_value
from landbridge.platform.core.errors import Busy, Refused
from landbridge.platform.core.ids import short_id
from landbridge.platform.formats.refusal_texts import known_text, refusal_text
from landbridge.platform.formats.translations import ENGLISH, catalogue

_EXACT_DIGITS = 100
# Decimals of native coins, and digits of amounts that are smaller than that.
_NATIVE_DECIMALS, _NATIVE_DIGITS = 6, 3
_SHORT_HEAD, _SHORT_TAIL = 8, 4


@pass_context
def amount(context: Context, value: object, unit: str | None = None) -> Markup:
    """Return a number with all its digits and its unit; a dash for None."""
    if value is None or value == "":
        return NONE
    markup = number_markup(value, str(context["locale"]))
    return markup if unit is None else markup + " " + money_unit(unit)


@pass_context
def native(context: Context, value: object, unit: str | None = None) -> Markup:
    """Return native coins, such as gas, cut to six decimals, or to three digits if that is more.

    The tooltip has all digits.
    """
    if value is None or value == "":
        return NONE
    whole = Decimal(str(value))
    decimals = max(_NATIVE_DECIMALS, _NATIVE_DIGITS - 1 - whole.adjusted())
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        shown = whole.quantize(Decimal(1).scaleb(-decimals), ROUND_DOWN)
    if shown == whole:
        return amount(context, value, unit)
    locale = str(context["locale"])
    label = plain_number(f"{shown:f}".rstrip("0"), locale)
    title = plain_number(value, locale)
    markup = Markup('<data class="amount" value="{}" title="{}">{}</data>').format(
        value, title if unit is None else f"{title} {unit}", label
    )
    return markup if unit is None else markup + " " + money_unit(unit)


@pass_context
def number_input(context: Context, value: object) -> str:
    """Return a stored number as the reader would type it."""
    return number_text(value, str(context["locale"]))


@pass_context
def number_hints(context: Context, attributes: Mapping[str, object]) -> Mapping[str, object]:
    """Return attributes of a number field with those that the script reads the number by."""
    locale = str(context["locale"])
    words, shape = catalogue(locale), NumberFormat.of(locale)
    return {
        "inputmode": "decimal",
        "autocomplete": "off",
        "maxlength": "100",
        "data-point": shape.point,
        "data-groups": shape.groups,
        "data-group": shape.group,
        "data-unreadable": words.gettext("Enter it as %(grouped)s or %(plain)s.")
        % {"grouped": shape.grouped_example, "plain": shape.plain_example},
        **attributes,
    }


@pass_context
def exact(context: Context, value: object) -> str | Markup:
    """Return a number with its own digits, grouped; a dash for None."""
    if value is None:
        return NONE
    locale = str(context["locale"])
    text, point = plain_number(value, locale), get_decimal_symbol(locale)
    integer_part, _, remainder = text.partition(point)
    return text if remainder.strip("0") else integer_part


@pass_context
def tick(context: Context, value: Decimal) -> str:
    """Return the label of an axis tick: a round number in compact form."""
    return format_compact_decimal(value, locale=str(context["locale"]), fraction_digits=1)


@pass_context
def count(context: Context, value: int | Decimal) -> str:
    """Return a whole number with grouped digits."""
    locale = str(context["locale"])
    return plain_number(value, locale).partition(get_decimal_symbol(locale))[0]


@pass_context
def ratio(context: Context, value: str) -> str:
    """Return a ratio as percent, such as `99.87%`."""
    return format_percent(Decimal(value), "#,##0.##%", locale=str(context["locale"]))


def is_below_one(value: str) -> bool:
    """Return whether a ratio is below one."""
    return Decimal(value) < 1


@pass_context
def signed_percent(context: Context, value: Decimal) -> str:
    """Return percent with their sign, such as `+12.5%`."""
    return format_percent(value / 100, "+#,##0.#%;-#,##0.#%", locale=str(context["locale"]))


@pass_context
def status(context: Context, value: str | None) -> Markup:
    """Return a status as its label, with a color that adds no meaning and its code in a tooltip."""
    if not value:
        return NONE
    label, tone = status_label(value, str(context["locale"])), status_tone(value)
    return Markup('<span class="status {}" title="{}">{}</span>').format(tone, value, label)


@pass_context
def status_text(context: Context, value: str) -> str:
    """Return the label of a status without markup, for options and attributes."""
    return status_label(value, str(context["locale"]))


@pass_context
def refusal(context: Context, value: Refused | Busy | str) -> str | Markup:
    """Return a refusal's sentence; translated, it has the API's sentence in a tooltip."""
    wrong, labels = context["wrong_inputs"], context["input_labels"]
    # The refusal of an input, or that of the whole form, which is about the first.
    name = next((each for each, found in wrong.items() if found is value), next(iter(wrong), ""))
    text = refusal_text(value, str(context["locale"]), labels.get(name, ""))
    message = value.message if isinstance(value, Refused) else str(value)
    if text == message:
        return message
    return Markup('<span title="{}">{}</span>').format(message, text)


@pass_context
def reason(context: Context, value: str) -> str | Markup:
    """Return a stored reason: translated if known, marked as English otherwise."""
    language = str(context["locale"])
    if (labelled := labelled_reason(value, language)) is not None:
        return labelled
    if language == ENGLISH:
        return value
    translated = known_text(value, language)
    if translated is None:
        return Markup('<span lang="en">{}</span>').format(value)
    return Markup('<span title="{}">{}</span>').format(value, translated)


@pass_context
def stored_text(context: Context, value: str) -> str:
    """Return a stored sentence in the page's language, without markup; English if unknown."""
    language = str(context["locale"])
    return value if language == ENGLISH else known_text(value, language) or value


@pass_context
def change(context: Context, kind: str, change_type: str) -> Markup:
    """Return the label of a change of the audit log, with its codes in a tooltip."""
    label = change_label(kind, change_type, str(context["locale"]))
    return Markup('<span title="{} {}">{}</span>').format(kind, change_type, label)


@pass_context
def dimension(context: Context, value: object) -> str:
    """Return the values that a series or a cell of a report is grouped by, as labels."""
    language = str(context["locale"])
    text = "" if value is None else str(value)
    return " · ".join(dimension_label(each, language) for each in text.split(" · "))


@pass_context
def translated(context: Context, value: str) -> str:
    """Return the translation of a text, if it has one: for names that users may have chosen.

    Unlike `_`, it leaves a per cent sign in the text alone.
    """
    return catalogue(str(context["locale"])).gettext(value) if value else value


@pass_context
def translated_pairs(context: Context, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return values with their labels in the reader's language."""
    words = catalogue(str(context["locale"]))
    return [(value, words.gettext(label)) for value, label in pairs]


def ident(value: str | None) -> Markup:
    """An id, an address or a hash: short, whole on hover, with a button that copies it."""
    if not value:
        return NONE
    text = str(value)
    is_long = len(text) > _SHORT_HEAD + _SHORT_TAIL + 1
    return _copyable(text, f"{text[:_SHORT_HEAD]}…{text[-_SHORT_TAIL:]}" if is_long else text)


def short_ident(value: str) -> Markup:
    """Return the short id of a payment with a button that copies the whole one."""
    return _copyable(str(value), short_id(value))


def short(value: str) -> Markup:
    """Return the short id of a payment, which the search finds; whole on hover."""
    return Markup('<code title="{}">{}</code>').format(value, short_id(value))


def attrs(attributes: Mapping[str, object]) -> Markup:
    """Return HTML attributes; attributes that are None or False are omitted."""
    return Markup("").join(
        Markup(" {}").format(name) if value is True else Markup(' {}="{}"').format(name, value)
        for name, value in attributes.items()
        if value is not None and value is not False
    )


def _copyable(text: str, label: str) -> Markup:
    return Markup(
        '<span class="ident"><code title="{0}">{1}</code>'
        '<button type="button" class="copy" data-copy="{0}" hidden></button></span>'
    ).format(text, label)


FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "amount": amount,
    "native": native,
    "exact": exact,
    "number_input": number_input,
    "number_hints": number_hints,
    "tick": tick,
    "count": count,
    "signed_percent": signed_percent,
    "ratio": ratio,
    "is_below_one": is_below_one,
    "status": status,
    "status_text": status_text,
    "status_tone": status_tone,
    "dimension": dimension,
    "translated": translated,
    "translated_pairs": translated_pairs,
    "refusal": refusal,
    "reason": reason,
    "stored_text": stored_text,
    "change": change,
    "ident": ident,
    "short": short,
    "short_ident": short_ident,
    "short_id": short_id,
    "attrs": attrs,
    "escape": escape,
    "label_cells": label_cells,
    **DEPOSIT_FILTERS,
    **TIME_FILTERS,
    **LINE_FILTERS,
    **TRAVEL_RULE_FILTERS,
    "usd_value": usd_value,
}
