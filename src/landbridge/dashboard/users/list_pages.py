"""All users, with a search as one types."""

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.finding import Found, find_users
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.queries import asked
from landbridge.dashboard.visitors import PageRequest
from landbridge.web.inside import Interface


class UserListPages(Controller):
    """`/dashboard/users`."""

    path = "/users"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """Newest first; of those that the text means and that are of the type."""
        query = asked(request, "q", "type")
        wrong, found = "", Found([], None)
        try:
            found = await find_users(
                interface, query.text("q"), type_=query.text("type"), cursor=query.cursor
            )
        except FieldInvalid as error:
            wrong = error.message
        return renderer.page(
            request,
            "users/list.html",
            users=found.users,
            older=query.older(found.next_cursor),
            newest=query.newest,
            text=query.text("q"),
            type=query.text("type"),
            wrong=wrong,
        )
