"""Payments of all kinds, and the page of each."""

from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.books.model import CURRENCIES, KINDS, STATUSES
from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.queries import PAGE_SIZE, asked
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.transactions.list_filters import FILTERS, as_query
from landbridge.dashboard.transactions.payment import see
from landbridge.dashboard.visitors import PageRequest
from landbridge.web.inside import Interface

_NOTHING: dict[str, Any] = {"data": [], "nextCursor": None}


class TransactionPages(Controller):
    """`/dashboard/transactions`."""

    path = "/transactions"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """The list, newest first."""
        told = asked(request, *FILTERS)
        found, wrong = _NOTHING, None
        try:
            query = await as_query(told, interface, request.user.zone)
            found = await interface.get("/v2/transactions", limit=PAGE_SIZE, **query)
        except FieldInvalid as error:
            wrong = error.message
        is_last = len(found["data"]) < PAGE_SIZE and not told.filters
        return renderer.page(
            request,
            "transactions/list.html",
            asked=told,
            wrong=wrong,
            transactions=found["data"],
            older=None if is_last else told.older(found["nextCursor"]),
            kind_names=KIND_NAMES,
            kinds=list(KINDS),
            statuses=STATUSES,
            currencies=CURRENCIES,
        )

    @get("/{transactionId:str}")
    async def show(
        self,
        request: PageRequest,
        transactionId: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Response[str]:
        """One payment, with everything that is known of it."""
        seen = await see(interface, transactionId)
        names = await askers.names(request.user.caller.org_id)
        return renderer.page(request, "transactions/payment.html", names=names.all, **seen)
