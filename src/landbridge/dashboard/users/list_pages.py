"""List of all users, with live search."""

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.dashboard.list_queries import load_list, read_list_query
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import Renderer
from landbridge.dashboard.user_lookup import UserSearchPage, find_users
from landbridge.platform.http.internal_client import InternalClient


class UserListPages(Controller):
    """`/dashboard/users`."""

    path = "/users"

    @get("/")
    async def show(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[InternalClient],
    ) -> Response[str]:
        """List users that match the search text and the type, newest first."""
        query = read_list_query(request, "q", "type")
        found, filter_error = await load_list(
            find_users(interface, query.text("q"), type_=query.text("type"), cursor=query.cursor),
            UserSearchPage([], None),
            inputs={"name": "q", "email": "q", "firstName": "q", "lastName": "q"},
        )
        return renderer.page(
            request,
            "users/list.html",
            users=found.users,
            older=query.older(found.next_cursor),
            newest=query.newest,
            text=query.text("q"),
            type=query.text("type"),
            filter_error=filter_error,
        )
