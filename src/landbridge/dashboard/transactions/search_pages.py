"""Search, as a page and for the command palette."""

import re
from collections.abc import Mapping
from typing import Final

from litestar import Controller, Response, get

from landbridge.dashboard.list_queries import load_list
from landbridge.dashboard.number_formats import parse_number
from landbridge.dashboard.page_request import PageRequest
from landbridge.payments.transactions.balance_schemas import SearchReply, SearchResultReply
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.formats.translations import later as _

_TYPE_NAMES: Mapping[str, str] = {
    "user": _("User"),
    "wallet": _("Wallet"),
    "externalWallet": _("External address"),
    "bankAccount": _("Bank account"),
}
# An amount as people write it, with a sign or a code of its currency. Blanks match in one place
# only: a text of many blanks would otherwise take seconds, while all other requests wait.
_AMOUNT: Final = re.compile(r"[$€]?\s*(?P<number>[0-9][0-9.,'\u2019\s]*)(?P<unit>[A-Za-z]{3,6})?")


class SearchPages(Controller):
    """`/dashboard/search`."""

    path = "/search"

    @get("/")
    async def search(self, request: PageRequest) -> Response[str]:
        """Show the results; with `part` only the options of the palette."""
        text = request.query_params.get("q", "").strip()
        results: list[SearchResultReply] = []
        filter_error = None
        if text:
            found, filter_error = await load_list(
                request.interface.read(
                    SearchReply, "/v2/search", q=_api_text(text, request.user.language)
                ),
                SearchReply(count=0, results=[]),
            )
            results = found.results
        is_part = "part" in request.query_params
        return request.page(
            "transactions/options.html" if is_part else "transactions/search.html",
            text=text,
            payments=[each.transaction for each in results if each.transaction],
            others=[(each, _path(each)) for each in results if not each.transaction],
            filter_error=filter_error,
            type_names=_TYPE_NAMES,
        )


def _path(result: SearchResultReply) -> str:
    """Return the page of a result."""
    match result.type:
        case "user":
            return f"/dashboard/users/{result.id}"
        case "bankAccount":
            return f"/dashboard/users/{result.user_id}/accounts/{result.id}"
        case _:
            return f"/dashboard/users/{result.user_id}/wallets"


def _api_text(text: str, language: str) -> str:
    """Return an amount in the reader's format as the API spells it; other texts unchanged."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return text
    try:
        number = parse_number(match["number"], language, field="q")
    except FieldInvalid:
        return text
    return f"{number} {match['unit']}" if match["unit"] else number
