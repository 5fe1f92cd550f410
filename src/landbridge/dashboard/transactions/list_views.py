"""Tabs of the transaction list, each with its statuses and its count, and the totals of a tab."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from landbridge.dashboard.list_queries import ListQuery
from landbridge.dashboard.status_labels import Tone, status_tone
from landbridge.payments.transactions.model import STATUSES
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


def list_views(query: ListQuery, summary: Mapping[str, Any]) -> Sequence[ListView]:
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


def view_totals(query: ListQuery, summary: Mapping[str, Any]) -> ViewTotals:
    """Return the totals of the payments that are listed, on all pages."""
    statuses = view_statuses(query)
    listed = [each for each in summary["totals"] if statuses is None or each["status"] in statuses]
    amounts: dict[str, Decimal] = {}
    for each in listed:
        amounts[each["currency"]] = amounts.get(each["currency"], Decimal()) + Decimal(
            each["amount"]
        )
    return ViewTotals(
        sum(each["count"] for each in listed),
        sorted(amounts.items(), key=lambda each: each[1], reverse=True),
        all(_is_complete(each["status"], summary) for each in summary["totals"])
        if statuses is None
        else all(_is_complete(each, summary) for each in statuses),
    )


def _count(name: str, summary: Mapping[str, Any]) -> str:
    matching = [
        each
        for each in summary["totals"]
        if not name or status_tone(each["status"]) is _TONES[name]
    ]
    count = sum(each["count"] for each in matching)
    if count > _MANY:
        return f"{_MANY}+"
    is_complete = summary["isOpenComplete"] if _TONES.get(name) in _OPEN else summary["isComplete"]
    return str(count) if is_complete or summary["isComplete"] else f"{count}+"


def _is_complete(status: str, summary: Mapping[str, Any]) -> bool:
    if status_tone(status) in _OPEN:
        return bool(summary["isOpenComplete"] or summary["isComplete"])
    return bool(summary["isComplete"])
