"""Payments of all kinds, and the page of each."""

from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.actor_names import ActorDirectory
from landbridge.dashboard.list_queries import PAGE_SIZE, read_list_query
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Renderer
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.transactions.list_filters import FILTERS, to_api_query
from landbridge.dashboard.transactions.payment import payment_values
from landbridge.payments.transactions.model import CURRENCIES, KINDS, STATUSES
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.internal_client import InternalClient

_NOTHING: dict[str, Any] = {"data": [], "nextCursor": None}


class TransactionPages(Controller):
    """`/dashboard/transactions`."""

    path = "/transactions"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """List transactions, newest first."""
        query = read_list_query(request, *FILTERS)
        found, filter_error = _NOTHING, None
        try:
            api_query = await to_api_query(
                query, interface, request.user.zone, request.user.language
            )
            found = await interface.get(
                "/v2/transactions", limit=PAGE_SIZE, expand="parties", **api_query
            )
        except FieldInvalid as error:
            filter_error = error.message
        is_last = len(found["data"]) < PAGE_SIZE and not query.filters
        return renderer.page(
            request,
            "transactions/list.html",
            list_query=query,
            filter_error=filter_error,
            transactions=found["data"],
            older=None if is_last else query.older(found.get("nextCursor")),
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
        interface: NamedDependency[InternalClient],
        actors: NamedDependency[ActorDirectory],
    ) -> Response[str]:
        """Show one transaction with all its details."""
        values = await payment_values(interface, transactionId)
        names = await actors.names(request.user.caller.org_id)
        return renderer.page(request, "transactions/payment.html", names=names.all, **values)
