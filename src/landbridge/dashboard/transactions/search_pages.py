"""The search, as a page and for the palette."""

from collections.abc import Mapping
from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.pages import Renderer
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.web.inside import Interface

_TYPE_NAMES: Mapping[str, str] = {
    "user": _("User"),
    "wallet": _("Wallet"),
    "externalWallet": _("Address outside"),
    "transaction": _("Transaction"),
}


class SearchPages(Controller):
    """`/dashboard/search`."""

    path = "/search"

    @get("/")
    async def search(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """What is found; with `part` the options of the palette alone."""
        text = request.query_params.get("q", "").strip()
        results: list[dict[str, Any]] = []
        wrong = None
        if text:
            try:
                results = (await interface.get("/v2/search", q=text))["results"]
            except FieldInvalid as error:
                wrong = error.message
        is_part = "part" in request.query_params
        return renderer.page(
            request,
            "transactions/options.html" if is_part else "transactions/search.html",
            text=text,
            results=[(each, _path(each)) for each in results],
            wrong=wrong,
            type_names=_TYPE_NAMES,
        )


def _path(result: Mapping[str, Any]) -> str:
    """The page of what was found."""
    match result["type"]:
        case "user":
            return f"/dashboard/users/{result['id']}"
        case "transaction":
            return f"/dashboard/transactions/{result['id']}"
        case _:
            return f"/dashboard/users/{result['userId']}/wallets"
