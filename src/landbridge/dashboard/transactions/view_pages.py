"""Saved views of the transaction list: save, rename, delete."""

from urllib.parse import parse_qsl, urlencode

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.forms import read_form
from landbridge.dashboard.list_queries import ListQuery, read_list_query
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.dashboard.transactions.list_filters import FILTERS
from landbridge.dashboard.transactions.list_views import describe_view
from landbridge.dashboard.user_lookup import find_user_id
from landbridge.payments.transactions.saved_views import (
    VIEW_NAME_LENGTH_MAX,
    SavedView,
    SavedViews,
    may_change,
)
from landbridge.platform.core.errors import Refused
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.formats.translations import later as _

_LIST = "/dashboard/transactions"
_TEMPLATE = "transactions/view.html"


class SavedViewPages(Controller):
    """`/dashboard/transactions/views`."""

    path = "/transactions/views"

    @get("/new")
    async def new(self, request: PageRequest) -> Response[str]:
        """Show the form that saves the filters and the order of the query string."""
        values = _values(request, read_list_query(request, *FILTERS))
        return request.page(_TEMPLATE, **values)

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
