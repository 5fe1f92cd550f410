"""Payments of a user, of all types."""

from litestar import Controller, Response, get
from litestar.params import FromPath

from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.payment_lines import read_lines
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.users.page_context import user_context
from landbridge.payments.transactions.model import KINDS, STATUSES
from landbridge.payments.transactions.schemas import TransactionPageReply


class UserTransactionPages(Controller):
    """`/dashboard/users/{userId}/transactions`."""

    path = "/users/{user_id:str}/transactions"

    @get("/")
    async def page(self, request: PageRequest, user_id: FromPath[str]) -> Response[str]:
        """List payments, newest first."""
        values, query = (
            await user_context(request.interface, user_id),
            read_list_query(request, "type", "status"),
        )
        found, filter_error = await load_list(
            read_lines(
                request.interface,
                userId=user_id,
                limit=PAGE_SIZE,
                cursor=query.cursor,
                **query.filters,
            ),
            TransactionPageReply(count=0, data=[]),
        )
        return request.page(
            "users/transactions.html",
            **values,
            payments=found.data,
            older=query.older(found.next_cursor),
            newest=query.newest,
            list_query=query,
            kinds=sorted(KINDS),
            kind_names=KIND_NAMES,
            statuses=sorted(STATUSES),
            filter_error=filter_error,
        )
