"""The payments of a user, of all kinds."""

from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.books.model import KINDS, STATUSES
from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.queries import PAGE_SIZE, asked
from landbridge.dashboard.users.whose import whose
from landbridge.dashboard.visitors import PageRequest
from landbridge.web.inside import Interface


class UserTransactionPages(Controller):
    """`/dashboard/users/{userId}/transactions`."""

    path = "/users/{user_id:str}/transactions"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        user_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Newest first."""
        values, query = await whose(interface, user_id), asked(request, "type", "status")
        found: dict[str, Any] = {"data": [], "nextCursor": None}
        wrong = ""
        try:
            found = await interface.get(
                "/v2/transactions",
                userId=user_id,
                limit=PAGE_SIZE,
                cursor=query.cursor,
                **query.filters,
            )
        except FieldInvalid as error:
            wrong = error.message
        return renderer.page(
            request,
            "users/transactions.html",
            **values,
            payments=found["data"],
            older=query.older(found["nextCursor"]),
            newest=query.newest,
            told=query,
            kinds=sorted(KINDS),
            statuses=sorted(STATUSES),
            wrong=wrong,
        )
