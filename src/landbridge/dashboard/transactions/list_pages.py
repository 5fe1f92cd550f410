"""Payments of all kinds, the page of each, and saved views of the list."""

import asyncio
from typing import Final
from urllib.parse import parse_qsl, urlencode

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.list_queries import PAGE_SIZE, ListQuery, load_list, read_list_query
from landbridge.dashboard.local_paths import requested_path
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.dashboard.payment_lines import currency_name, read_lines
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.transactions.list_filters import FILTERS, list_periods, to_api_query
from landbridge.dashboard.transactions.list_views import (
    CHIP_NAMES,
    describe_view,
    filter_chips,
    list_views,
    sort_links,
    view_totals,
)
from landbridge.dashboard.transactions.payment import payment_values
from landbridge.dashboard.transactions.payment_sections import PaymentSection, section_of
from landbridge.dashboard.user_lookup import find_user_id
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.transactions.model import CURRENCIES, KINDS, STATUSES
from landbridge.payments.transactions.saved_views import (
    VIEW_NAME_LENGTH_MAX,
    SavedView,
    SavedViews,
    may_change,
)
from landbridge.payments.transactions.schemas import TransactionPageReply, TransactionSummaryReply
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.path_params import known_id
from landbridge.providers.rates.valuation import Valuation

_NOTHING = TransactionPageReply(count=0, data=[])
_NO_TOTALS = TransactionSummaryReply(totals=[], is_complete=True, is_open_complete=True)
# The summary is of all tabs and pages.
_NOT_SUMMED: Final = {"status": None, "cursor": None, "sort": None}
# Each section has an address, so that links to it last.
_SECTION_PATHS: Final = [f"/{{transactionId:str}}/{each}".rstrip("/") for each in PaymentSection]
# Inputs by the API's parameters.
_INPUTS: Final = {
    "userId": "user",
    "createdAfter": "from",
    "createdBefore": "until",
    "minAmount": "minimum",
    "maxAmount": "maximum",
}


class TransactionPages(Controller):
    """`/dashboard/transactions`."""

    path = "/transactions"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        saved_views: NamedDependency[SavedViews],
        valuation: NamedDependency[Valuation],
    ) -> Response[str]:
        """List transactions, newest first or in the order of `sort`."""
        query = read_list_query(request, *FILTERS)
        (found, summary), filter_error = await load_list(
            _load(request, query), (_NOTHING, _NO_TOTALS), inputs=_INPUTS
        )
        is_last = len(found.data) < PAGE_SIZE and not query.filters
        return request.page(
            "transactions/list.html",
            list_query=query,
            filter_error=filter_error,
            transactions=found.data,
            views=list_views(query, summary),
            saved_views=[
                (view_path(each), each, is_current(each, query))
                for each in await saved_views.of(request.user.caller)
            ],
            save_path=f"{query.path}/views/new?{urlencode(query.filters)}",
            totals=view_totals(query, summary),
            usd_rates=await valuation.rates(CURRENCIES, request.now().date()),
            sorting=sort_links(query),
            periods=list_periods(query, request.now().astimezone(request.user.zone).date()),
            chips=filter_chips(query, request.user.language),
            chip_names=CHIP_NAMES,
            older=None if is_last else query.older(found.next_cursor),
            kind_names=KIND_NAMES,
            kinds=list(KINDS),
            statuses=STATUSES,
            currencies=CURRENCIES,
            currency_names={each: currency_name(each) for each in CURRENCIES},
        )

    @get(_SECTION_PATHS)
    async def show(
        self,
        request: PageRequest,
        transactionId: FromPath[str],
        *,
        valuation: NamedDependency[Valuation],
    ) -> Response[str]:
        """Show one transaction: what decides about it, and the section of the address."""
        section = section_of(requested_path(request))
        values = await payment_values(request.interface, transactionId, section)
        values["usd_rates"] = await valuation.rates(CURRENCIES, request.now().date())
        names = await request.actor_names()
        return request.page("transactions/payment.html", names=names.all, **values)

    @post("/{transactionId:str}/notes")
    async def add_note(self, request: PageRequest, transactionId: FromPath[str]) -> Page:
        """Add a note to a transaction."""
        form = await read_form(request)
        transaction_id = known_id(transactionId, "transaction", TransactionNotFound)
        text = form.text("text")
        try:
            await request.interface.post(f"/v2/transactions/{transaction_id}/notes", {"text": text})
        except Refused as problem:
            names = await request.actor_names()
            values = await payment_values(request.interface, transactionId, PaymentSection.NOTES)
            values["note_text"] = text
            return request.with_problem(
                "transactions/payment.html", problem, names=names.all, **values
            )
        return redirect(f"/dashboard/transactions/{transaction_id}/notes", notice=_("Note added"))


async def _load(
    request: PageRequest, query: ListQuery
) -> tuple[TransactionPageReply, TransactionSummaryReply]:
    """Return the payments of a page and their totals; raise `FieldInvalid`."""
    api_query = await to_api_query(
        query, request.interface, request.user.zone, request.user.language
    )
    return await asyncio.gather(
        read_lines(request.interface, limit=PAGE_SIZE, **api_query),
        request.interface.read(
            TransactionSummaryReply, "/v2/transactions/summary", **(api_query | _NOT_SUMMED)
        ),
    )


_LIST = "/dashboard/transactions"
_TEMPLATE = "transactions/view.html"


class SavedViewPages(Controller):
    """`/dashboard/transactions/views`."""

    path = "/transactions/views"

    @get("/new")
    async def new(self, request: PageRequest) -> Response[str]:
        """Show the form that saves the filters and the order of the query string."""
        return request.page(_TEMPLATE, **_values(request, read_list_query(request, *FILTERS)))

    @post("/new")
    async def save(self, request: PageRequest, saved_views: NamedDependency[SavedViews]) -> Page:
        """Save a view, with a user as an id: a name or an e-mail is personal data."""
        query, form = read_list_query(request, *FILTERS), await read_form(request)
        name, is_shared = form.text("name"), form.is_ticked("shared")
        try:
            user_id = await find_user_id(request.interface, query.text("user"))
            filters = dict(query.filters) | ({"user": user_id} if user_id else {})
            view = await saved_views.save(
                request.user.caller, name, urlencode(filters), is_shared=is_shared
            )
        except Refused as problem:
            values = _values(request, query) | {"name": name, "is_shared": is_shared}
            return request.with_problem(_TEMPLATE, problem, **values)
        return redirect(view_path(view), notice=_("View saved"))

    @get("/{viewId:str}")
    async def show(
        self, request: PageRequest, viewId: FromPath[str], saved_views: NamedDependency[SavedViews]
    ) -> Response[str]:
        """Show a view, with forms for members who may change it."""
        view = await saved_views.get(request.user.caller, as_uuid(viewId))
        return request.page(_TEMPLATE, **_values_of(request, view))

    @post("/{viewId:str}")
    async def rename(
        self, request: PageRequest, viewId: FromPath[str], saved_views: NamedDependency[SavedViews]
    ) -> Page:
        """Rename a view."""
        name, view_id = (await read_form(request)).text("name"), as_uuid(viewId)
        view = await saved_views.get(request.user.caller, view_id)
        try:
            await saved_views.rename(request.user.caller, view_id, name)
        except Refused as problem:
            values = _values_of(request, view) | {"name": name}
            return request.with_problem(_TEMPLATE, problem, **values)
        return redirect(view_path(view), notice=_("View renamed"))

    @post("/{viewId:str}/delete")
    async def delete(
        self,
        request: PageRequest,
        viewId: FromPath[str],
        saved_views: NamedDependency[SavedViews],
    ) -> Page:
        """Delete a view."""
        await saved_views.delete(request.user.caller, as_uuid(viewId))
        return redirect(_LIST, notice=_("View deleted"))


def view_path(view: SavedView) -> str:
    """Return the URL of the list with the filters and the order of a view."""
    return f"{_LIST}?{view.query}"


def is_current(view: SavedView, query: ListQuery) -> bool:
    """Return whether the list has the filters and the order of a view."""
    return dict(parse_qsl(view.query)) == query.filters


def _values(request: PageRequest, query: ListQuery) -> dict[str, object]:
    return {
        "view": None,
        "settings": describe_view(query, request.user.language),
        "action": f"{_LIST}/views/new?{urlencode(query.filters)}",
        "name": "",
        "is_shared": False,
        "may_change": True,
        "name_length_max": VIEW_NAME_LENGTH_MAX,
    }


def _values_of(request: PageRequest, view: SavedView) -> dict[str, object]:
    query = ListQuery(_LIST, dict(parse_qsl(view.query)), None)
    return _values(request, query) | {
        "view": view,
        "action": f"{_LIST}/views/{view.id}",
        "name": view.name,
        "is_shared": view.is_shared,
        "may_change": may_change(request.user.caller, view),
    }
