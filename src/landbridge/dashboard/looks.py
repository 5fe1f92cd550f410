"""How things look on a page: amounts, times, statuses. Jinja filters; each is told to the letter.

Amounts are never rounded: every digit that was told is shown, with at least two decimals.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any, Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime, format_timedelta
from babel.numbers import format_compact_decimal, get_decimal_symbol, get_group_symbol
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

_DECIMALS_MIN = 2
_GROUP = 3
_EXACT_DIGITS = 100
_SHORT_HEAD, _SHORT_TAIL = 8, 4
_YEAR = timedelta(days=366)
NONE = Markup("–")  # noqa: RUF001  an en dash, where there is nothing to tell

# How a status is coloured; the word is always there too.
_GOOD = frozenset(
    [
        "COMPLETED",
        "ACTIVE",
        "APPROVED",
        "DELIVERED",
        "SUCCEEDED",
        "READY",
        "enabled",
        "active",
        "ACCEPTED",
        "PAID",
        "HEALTHY",
        "activated",
        "RECOVERED",
    ]
)
_BAD = frozenset(
    [
        "FAILED",
        "REJECTED",
        "EXPIRED",
        "QUOTE_FAILED",
        "NOT_INITIATED",
        "CANCELLED",
        "RETURNED",
        "CRYPTO_RETURNED",
        "FIAT_RETURNED",
        "INACTIVE",
        "REFUSED",
        "GIVEN_UP",
        "REVOKED",
        "revoked",
        "expired",
        "ERROR",
        "disabled",
        "FROZEN",
        "frozen",
        "deactivated",
        "WRITTEN_OFF",
        "VOID",
    ]
)
_NOW = frozenset(
    [
        "PENDING_APPROVAL",
        "OPEN_QUOTE",
        "INCOMPLETE",
        "IN_COMPLIANCE_REVIEW",
        "AWAITING_ACCEPT",
        "WAITING",
        "IN_REVIEW",
        "RFI_OPEN",
        "RFI_PENDING",
        "MANUAL_REVIEW",
        "CONTACT_SUPPORT",
        "REVIEW",
        "PAUSED",
        "paused",
        "CREATED",
    ]
)


@pass_context
def amount(context: Context, value: Any, unit: str | None = None) -> Markup:
    """A number with all its digits, lined up, and its unit; a dash for None."""
    if value is None or value == "":
        return NONE
    text = plain_number(value, str(context["locale"]))
    shown = Markup('<data class="amount" value="{}">{}</data>').format(value, text)
    return shown if unit is None else shown + Markup(' <span class="unit">{}</span>').format(unit)


def plain_number(value: Any, locale: str) -> str:
    """As `amount`, as text."""
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        try:
            number = Decimal(str(value))
            whole, _, rest = f"{abs(number):f}".partition(".")
        except ArithmeticError:
            return str(value)
        if not number.is_finite() or len(whole) > _EXACT_DIGITS:
            return str(value)
    first = len(whole) % _GROUP
    groups = [whole[:first]] * bool(first)
    groups += [whole[at : at + _GROUP] for at in range(first, len(whole), _GROUP)]
    text = get_group_symbol(locale).join(groups) + get_decimal_symbol(locale)
    return ("−" if number < 0 else "") + text + rest.ljust(_DECIMALS_MIN, "0")  # noqa: RUF001


@pass_context
def exact(context: Context, value: Any) -> str | Markup:
    """A number with the digits that it has, grouped; a dash for None."""
    if value is None:
        return NONE
    locale = str(context["locale"])
    text, point = plain_number(value, locale), get_decimal_symbol(locale)
    whole, _, rest = text.partition(point)
    return text if rest.strip("0") else whole


@pass_context
def tick(context: Context, value: Decimal) -> str:
    """A mark of an axis: a round number, short, and exact where it is."""
    return format_compact_decimal(value, locale=str(context["locale"]), fraction_digits=1)


@pass_context
def count(context: Context, value: int | Decimal) -> str:
    """A whole number, grouped."""
    locale = str(context["locale"])
    return plain_number(value, locale).partition(get_decimal_symbol(locale))[0]


@pass_context
def moment(context: Context, value: str | datetime | None) -> Markup:
    """A time in the organisation's zone; which zone, and the microsecond, on hover."""
    at = _moment(value)
    if at is None:
        return NONE
    zone, locale = context["zone"], str(context["locale"])
    local = at.astimezone(zone)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(),
        f"{local.isoformat(sep=' ', timespec='microseconds')} ({zone.key})",
        format_datetime(local, "d MMM y, HH:mm", locale=locale),
    )


@pass_context
def second(context: Context, value: str | datetime | None) -> Markup:
    """As `moment`, to the second."""
    at = _moment(value)
    if at is None:
        return NONE
    zone = context["zone"]
    local = at.astimezone(zone)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(),
        f"{local.isoformat(sep=' ', timespec='microseconds')} ({zone.key})",
        format_datetime(local, "d MMM y, HH:mm:ss", locale=str(context["locale"])),
    )


@pass_context
def day(context: Context, value: str | date | None) -> str:
    """A date."""
    if not value:
        return NONE
    on = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return format_date(on, "d MMM y", locale=str(context["locale"]))


@pass_context
def axis_day(context: Context, value: str, labels: Sequence[str]) -> str:
    """A day below a chart, as short as the days beside it allow."""
    try:
        on, first, last = (date.fromisoformat(each[:10]) for each in (value, labels[0], labels[-1]))
    except ValueError:
        return value
    pattern = "d MMM" if last - first < _YEAR else "MMM y"
    return format_date(on, pattern, locale=str(context["locale"]))


@pass_context
def ago(context: Context, value: str | datetime | None) -> Markup:
    """How long ago something was, or how soon it will be, on the organisation's clock."""
    at = _moment(value)
    if at is None:
        return NONE
    zone: ZoneInfo = context["zone"]
    told = format_timedelta(
        at - context["now"], add_direction=True, locale=str(context["locale"]), threshold=1.2
    )
    title = f"{at.astimezone(zone).isoformat(sep=' ', timespec='seconds')} ({zone.key})"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(at.isoformat(), title, told)


@pass_context
def countdown(context: Context, value: str | datetime | None) -> Markup:
    """How long is left; a script counts it down each second, by the organisation's clock."""
    at = _moment(value)
    if at is None:
        return NONE
    left = max(at - context["now"], timedelta())
    told = format_timedelta(left, locale=str(context["locale"]), threshold=1.2)
    return Markup('<time datetime="{}" data-left="{}" title="{}">{}</time>').format(
        at.isoformat(),
        int(left.total_seconds()),
        at.astimezone(context["zone"]).isoformat(sep=" ", timespec="seconds"),
        told,
    )


def status(value: str | None, label: str | None = None) -> Markup:
    """A status as the interface spells it, with a colour that says no more than the word.

    With a `label` that is shown instead, and the interface's word on hover.
    """
    if not value:
        return NONE
    tone = "good" if value in _GOOD else "bad" if value in _BAD else "busy"
    tone = "now" if value in _NOW else tone
    if label is not None:
        return Markup('<span class="status {}" title="{}">{}</span>').format(tone, value, label)
    return Markup('<span class="status {}">{}</span>').format(tone, value)


def ident(value: str | None) -> Markup:
    """An id, an address or a hash: short, whole on hover, with a button that copies it."""
    if not value:
        return NONE
    text = str(value)
    is_long = len(text) > _SHORT_HEAD + _SHORT_TAIL + 1
    short = f"{text[:_SHORT_HEAD]}…{text[-_SHORT_TAIL:]}" if is_long else text
    return Markup(
        '<span class="ident"><code title="{0}">{1}</code>'
        '<button type="button" class="copy" data-copy="{0}" hidden></button></span>'
    ).format(text, short)


def attrs(told: Mapping[str, Any]) -> Markup:
    """Attributes of an element: those that are None or False are left out."""
    return Markup("").join(
        Markup(" {}").format(name) if value is True else Markup(' {}="{}"').format(name, value)
        for name, value in told.items()
        if value is not None and value is not False
    )


def _moment(value: str | datetime | None) -> datetime | None:
    if not value:
        return None
    return datetime.fromisoformat(value) if isinstance(value, str) else value


FILTERS: Final[Mapping[str, Any]] = {
    "amount": amount,
    "exact": exact,
    "tick": tick,
    "count": count,
    "moment": moment,
    "second": second,
    "day": day,
    "axis_day": axis_day,
    "ago": ago,
    "countdown": countdown,
    "status": status,
    "ident": ident,
    "attrs": attrs,
    "escape": escape,
}
