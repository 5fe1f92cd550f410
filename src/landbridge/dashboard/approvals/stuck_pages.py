"""Stuck payments: what waits longer than it should, by what it waits for, and the next action."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from litestar import Controller, Response, get

from landbridge.dashboard.list_queries import PAGE_SIZE, ListQuery, load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.payment_lines import payment_lines
from landbridge.payments.engine.stuck_api import StuckList, StuckReply
from landbridge.payments.engine.stuck_causes import StuckCause
from landbridge.payments.transactions.schemas import TransactionReply
from landbridge.platform.core.pagination import LIMIT_MAX
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

STUCK: Final = "/dashboard/stuck"
_API: Final = "/v2/stuck"
_NOTHING: Final = StuckList(count=0, stuck=[])
_REVIEWS: Final = "/dashboard/reviews"
_AUDIT: Final = "/dashboard/audit-log?actorType=worker&kind="
CAUSE_NAMES: Final[Mapping[StuckCause, str]] = {
    StuckCause.CHAIN: _("Chain"),
    StuckCause.TREASURY: _("Own coins (treasury)"),
    StuckCause.BANK: _("Bank"),
    StuckCause.PROVIDER: _("Provider"),
    StuckCause.APPROVAL: _("Approval"),
    StuckCause.INFORMATION: _("Request for information"),
    StuckCause.DECISION: _("Decision"),
    StuckCause.CUSTOMER: _("Customer"),
    StuckCause.PLATFORM: _("Processing"),
}
# What is missing, in a sentence.
CAUSE_HINTS: Final[Mapping[StuckCause, str]] = {
    StuckCause.CHAIN: _("A chain has not confirmed the transaction."),
    StuckCause.TREASURY: _(
        "Coins from your organisation's own address on the chain, the treasury, are not sent yet,"
        " or the chain has lost coins that it received."
    ),
    StuckCause.BANK: _("The bank has neither confirmed nor rejected the transfer."),
    StuckCause.PROVIDER: _("A provider of identity checks or screenings has not answered."),
    StuckCause.APPROVAL: _("No admin has decided yet."),
    StuckCause.INFORMATION: _(
        "A question about the payment has no answer, or nobody has closed it."
    ),
    StuckCause.DECISION: _("A person has to review, match or resolve it."),
    StuckCause.CUSTOMER: _("The customer has not accepted the quote, or has not sent the money."),
    StuckCause.PLATFORM: _("Landbridge is late with its own next step."),
}
# What a person does about a record that is no payment: its page, and the label of the link.
_ACTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "INCOMING_PAYMENT": (f"{_REVIEWS}/deposits/{{id}}", _("Review deposit")),
    "DEPOSIT.SCREENING": (f"{_REVIEWS}/deposit-screenings/{{id}}", _("Review deposit")),
    "PAYMENT.SCREENING": (f"{_REVIEWS}/payment-screenings/{{id}}", _("Review payment")),
    "RECEIVABLE": (f"{_REVIEWS}/receivables", _("View receivables")),
    "RESOLUTION": (f"{_REVIEWS}/resolutions", _("View resolutions")),
    "WALLET.DEPOSIT.REVERSAL": (f"{_AUDIT}WALLET.DEPOSIT.REVERSAL", _("View changes")),
    "TREASURY.DEPOSIT.REVERSAL": (f"{_AUDIT}TREASURY.DEPOSIT.REVERSAL", _("View changes")),
}


@dataclass(frozen=True, slots=True)
class StuckRow:
    """A stuck record: its line if it is a payment, its page, and the next action on it."""

    record: StuckReply
    line: TransactionReply | None
    path: str
    action_path: str
    action: str


@dataclass(frozen=True, slots=True)
class CauseTab:
    """A tab: its address, its title, and how many wait for this, such as `12` or `12+`."""

    path: str
    title: str
    count: str
    is_current: bool


class StuckPages(Controller):
    """`/dashboard/stuck`."""

    path = "/stuck"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """List stuck payments, the longest waiting first."""
        query = read_list_query(request, "cause", "type")
        cause = query.text("cause") if query.text("cause") in set(StuckCause) else ""
        (found, counted), filter_error = await load_list(
            _load(request.interface, query, cause), (_NOTHING, _NOTHING)
        )
        payments = {each.id for each in found.stuck if each.type not in _ACTIONS}
        lines = await payment_lines(request.interface, payments)
        return request.page(
            "approvals/stuck.html",
            rows=[_row(each, lines.get(each.id)) for each in found.stuck],
            tabs=_tabs(query, cause, counted),
            kinds=sorted({each.type for each in counted.stuck} | {query.text("type")} - {""}),
            cause_names=CAUSE_NAMES,
            cause_hints=CAUSE_HINTS,
            cause=cause,
            list_query=query,
            filter_error=filter_error,
            next=query.older(found.next_cursor) if found.count == PAGE_SIZE else None,
        )


def stuck_path(record: StuckReply) -> str:
    """Return the page of a stuck record."""
    path, _action = _ACTIONS.get(record.type, ("/dashboard/transactions/{id}", ""))
    return path.format(id=record.id)


async def _load(
    interface: InternalClient, query: ListQuery, cause: str
) -> tuple[StuckList, StuckList]:
    """Return the records of a page, and those that the tabs count; raise `FieldInvalid`."""
    kind = query.text("type") or None
    return await asyncio.gather(
        interface.read(
            StuckList,
            _API,
            cause=cause or None,
            type=kind,
            limit=PAGE_SIZE,
            cursor=query.cursor,
        ),
        interface.read(StuckList, _API, type=kind, limit=LIMIT_MAX),
    )


def _row(record: StuckReply, line: TransactionReply | None) -> StuckRow:
    path = stuck_path(record)
    if record.type in _ACTIONS:
        return StuckRow(record, None, path, path, _ACTIONS[record.type][1])
    match record.cause:
        case StuckCause.APPROVAL | StuckCause.CUSTOMER:
            return StuckRow(record, line, path, path, _("Open payment"))
        case StuckCause.INFORMATION:
            review = f"{_REVIEWS}/transfers/{record.id}"
            return StuckRow(record, line, path, review, _("View review"))
        case _:
            resolve = f"{_REVIEWS}/resolutions/{record.id}"
            return StuckRow(record, line, path, resolve, _("Request resolution"))


def _tabs(query: ListQuery, cause: str, counted: StuckList) -> Sequence[CauseTab]:
    """Return a tab for everything, and one for each cause that has records or is chosen."""
    counts = Counter(each.cause for each in counted.stuck)
    more = "+" if counted.count == LIMIT_MAX else ""
    tabs = [
        CauseTab(query.with_filter("cause", ""), _("All"), f"{counts.total()}{more}", not cause)
    ]
    return tabs + [
        CauseTab(query.with_filter("cause", each), title, f"{counts[each]}{more}", each == cause)
        for each, title in CAUSE_NAMES.items()
        if counts[each] or each == cause
    ]
