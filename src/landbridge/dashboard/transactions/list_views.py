"""Tabs of the transaction list, each with its statuses and its count, and the totals of a tab."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from babel.dates import format_date

from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.payment_lines import currency_name
from landbridge.dashboard.status_labels import Tone, status_label, status_tone
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.payments.transactions.model import STATUSES, TransactionSort
from landbridge.payments.transactions.schemas import TransactionSummaryReply
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _

# The tone of a status decides its tab, so a status has the same meaning wherever it is shown.
_TONES: Final[Mapping[str, Tone]] = {
    "attention": Tone.NOW,
    "progress": Tone.BUSY,
    "failed": Tone.BAD,
    "completed": Tone.GOOD,
}
_TITLES: Final[Mapping[str, str]] = {
    "": _("All"),
    "attention": _("Needs action"),
    "progress": _("In progress"),
    "failed": _("Failed"),
    "completed": _("Completed"),
}
# Orders of each sortable column: first descending, then ascending.
_SORTS: Final[Mapping[str, tuple[Sequence[str], str]]] = {
    "amount": (
        (TransactionSort.LARGEST, TransactionSort.SMALLEST),
        _("Sort by amount in US dollars"),
    ),
    "created": ((TransactionSort.NEWEST, TransactionSort.OLDEST), _("Sort by date")),
}
_ORDERS: Final[Mapping[str, str]] = {
    TransactionSort.OLDEST: _("Oldest first"),
    TransactionSort.LARGEST: _("Largest first"),
    TransactionSort.SMALLEST: _("Smallest first"),
}
_ARIA: Final = ("descending", "ascending")
CHIP_NAMES: Final[Mapping[str, str]] = {
    "type": _("Type"),
    "status": _("Status"),
    "user": _("User"),
    "currency": _("Currency"),
    "from": _("From"),
    "until": _("Until"),
    "minimum": _("Minimum"),
    "maximum": _("Maximum"),
}
_DATES: Final = frozenset({"from", "until"})
_OPEN: Final = frozenset({Tone.NOW, Tone.BUSY})
_MANY: Final = 99


@dataclass(frozen=True, slots=True)
class ListView:
    """A tab: its address, its title, and how many match, such as `12`, `12+` or `99+`."""

    path: str
    title: str
    count: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class SortLink:
    """Link of a column's heading; `order` is a value of `aria-sort`, empty if another sorts."""

    path: str
    order: str
    title: str


@dataclass(frozen=True, slots=True)
class ViewTotals:
    """Number of payments of a tab and what they send, by currency; cut if there are more."""

    count: int
    amounts: Sequence[tuple[str, Decimal]]
    is_complete: bool


def view_name(query: ListQuery) -> str:
    """Return the chosen tab; "" is all."""
    return query.text("view") if query.text("view") in _TONES else ""


def view_statuses(query: ListQuery) -> list[str] | None:
    """Return the statuses to list: those of the tab, or the one of the filter; None is any."""
    name, status = view_name(query), query.text("status")
    if status:
        return [status]
    return statuses_of_view(name) if name else None


def statuses_of_view(name: str) -> list[str]:
    """Return the statuses of a tab: `attention`, `progress`, `failed` or `completed`."""
    return [each for each in STATUSES if status_tone(each) is _TONES[name]]


def list_views(query: ListQuery, summary: TransactionSummaryReply) -> Sequence[ListView]:
    """Return the tabs with their counts under the other filters."""
    return [
        ListView(
            path=query.with_filter("view", name, drop=("status",)),
            title=title,
            count=_count(name, summary),
            is_current=name == view_name(query),
        )
        for name, title in _TITLES.items()
    ]


def filter_chips(query: ListQuery, language: str) -> Sequence[tuple[str, str, str]]:
    """Return name, value and the URL without it for each filter that is set."""
    return [
        (name, _chip_value(each, query.text(each), language), query.with_filter(each, ""))
        for each, name in CHIP_NAMES.items()
        if query.text(each)
    ]


def describe_view(query: ListQuery, language: str) -> Sequence[tuple[str, str]]:
    """Return names and values of what a saved view sets: tab, filters and order."""
    words = catalogue(language).gettext
    tab, sort = view_name(query), chosen_sort(query)
    found = [(_("View"), words(_TITLES[tab]))] if tab else []
    found += [(name, value) for name, value, _without in filter_chips(query, language)]
    if sort is not TransactionSort.NEWEST:
        found.append((_("Order"), words(_ORDERS[sort])))
    return found


def _chip_value(name: str, value: str, language: str) -> str:
    if name == "type" and value in KIND_NAMES:
        return catalogue(language).gettext(KIND_NAMES[value])
    if name in _DATES:
        with suppress(ValueError):
            return format_date(date.fromisoformat(value), "d MMM y", locale=language)
    if name == "currency":
        return currency_name(value)
    return status_label(value, language) if name == "status" else value


def chosen_sort(query: ListQuery) -> TransactionSort:
    """Return the chosen order; newest first for an unknown one."""
    text = query.text("sort")
    return TransactionSort(text) if text in set(TransactionSort) else TransactionSort.NEWEST


def sort_links(query: ListQuery) -> Mapping[str, SortLink]:
    """Return the links of the sortable columns: to the other order, or to the column's first."""
    current = chosen_sort(query)
    return {
        column: SortLink(
            path=query.with_filter(
                "sort", "" if (to := _next(orders, current)) is TransactionSort.NEWEST else to
            ),
            order=_ARIA[orders.index(current)] if current in orders else "",
            title=title,
        )
        for column, (orders, title) in _SORTS.items()
    }


def _next(orders: Sequence[str], current: str) -> str:
    return orders[1] if current == orders[0] else orders[0]


def view_totals(query: ListQuery, summary: TransactionSummaryReply) -> ViewTotals:
    """Return the totals of the payments that are listed, on all pages."""
    statuses = view_statuses(query)
    listed = [each for each in summary.totals if statuses is None or each.status in statuses]
    amounts: dict[str, Decimal] = {}
    for each in listed:
        amounts[each.currency] = amounts.get(each.currency, Decimal()) + Decimal(each.amount)
    return ViewTotals(
        sum(each.count for each in listed),
        sorted(amounts.items(), key=lambda each: each[1], reverse=True),
        all(_is_complete(each.status, summary) for each in summary.totals)
        if statuses is None
        else all(_is_complete(each, summary) for each in statuses),
    )


def _count(name: str, summary: TransactionSummaryReply) -> str:
    matching = [
        each for each in summary.totals if not name or status_tone(each.status) is _TONES[name]
    ]
    count = sum(each.count for each in matching)
    if count > _MANY:
        return f"{_MANY}+"
    is_complete = summary.is_open_complete if _TONES.get(name) in _OPEN else summary.is_complete
    return str(count) if is_complete or summary.is_complete else f"{count}+"


def _is_complete(status: str, summary: TransactionSummaryReply) -> bool:
    if status_tone(status) in _OPEN:
        return summary.is_open_complete or summary.is_complete
    return summary.is_complete
