"""The audit log: who did what, with names; also as a file."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.audit_log.model import ActorType
from landbridge.core.errors import Busy, Refused
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.pages import Renderer, headers
from landbridge.dashboard.queries import asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.reporting.exports.csv_lines import text_cell
from landbridge.web.inside import Interface
from landbridge.web.reply import encode

_LOG = "/v2/audit-log"
_FILTERS = ("actorType", "actorId", "kind", "objectId", "createdAfter", "createdBefore")
_PAGE_SIZE, _FILE_PAGE_SIZE, _FILE_ENTRIES_MAX = 50, 100, 100_000
_UNPROCESSABLE = 422
_NONE: Mapping[str, Any] = {"entries": [], "nextCursor": None}
_HEAD = "at,actor_type,actor_id,actor_name,kind,what,object_id,status_before,status_after,facts\r\n"
_TRANSFERS = (
    "WALLET.SWAP",
    "WALLET.TRANSFER",
    "WALLET.BRIDGE",
    "OFFRAMP",
    "ONRAMP",
    "DISBURSEMENT",
)
# Pages of things, by the kinds whose object's id is in the address.
_PAGES = {
    "USER": "users",
    "WEBHOOK": "webhooks",
    "APPROVAL": "approvals",
}
_LISTS = {
    "API_KEY": "keys",
    "LIMITS": "settings/limits",
    "PRICE": "settings/fees",
    "FEE": "settings/fees",
    "APPROVAL.POLICY": "settings/approvals",
    "REPORT.ZONE": "settings/time-zone",
    "ORG": "settings",
    "RESOLUTION": "reviews/resolutions",
    "CLOCK": "sandbox",
    "SANDBOX.PACE": "sandbox",
}


class AuditLogPages(Controller):
    """`/dashboard/audit-log`."""

    path = "/audit-log"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Response[str]:
        """Newest first, narrowed by the address."""
        told = asked(request, *_FILTERS)
        (found, wrong), names = await asyncio.gather(
            listed(
                interface.get(_LOG, **told.filters, limit=_PAGE_SIZE, cursor=told.cursor), _NONE
            ),
            askers.names(request.user.caller.org_id),
        )
        return renderer.page(
            request,
            "organisation/audit_log.html",
            status=_UNPROCESSABLE if wrong else 200,
            entries=[(each, object_page(each)) for each in found["entries"]],
            names=names.all,
            types=[(each.value, each.value) for each in ActorType],
            asked=told,
            older=told.older(found["nextCursor"]),
            wrong=wrong,
        )

    @get("/csv")
    async def download(
        self,
        request: PageRequest,
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Stream:
        """All that fits the filters, page by page, at most a hundred thousand."""
        told = asked(request, *_FILTERS)
        first = await interface.get(_LOG, **told.filters, limit=_FILE_PAGE_SIZE)
        names = await askers.names(request.user.caller.org_id)
        return Stream(
            _lines(interface, told.filters, first, names.all),
            media_type="text/csv; charset=utf-8",
            headers={
                **headers(),
                "Content-Disposition": 'attachment; filename="audit-log.csv"',
            },
        )


def object_page(entry: Mapping[str, Any]) -> str | None:
    """The address of the page of what an entry is about; None where there is none."""
    kind, object_id = entry["kind"], entry["objectId"]
    if kind in _LISTS:
        return f"/dashboard/{_LISTS[kind]}"
    if kind in _PAGES:
        return f"/dashboard/{_PAGES[kind]}/{object_id}"
    return f"/dashboard/transactions/{object_id}" if kind in _TRANSFERS else None


async def _lines(
    interface: Interface,
    filters: Mapping[str, str],
    page: Mapping[str, Any],
    names: Mapping[str, str],
) -> AsyncGenerator[str]:
    yield _HEAD
    count = 0
    while True:
        yield "".join(_line(each, names) for each in page["entries"])
        count += len(page["entries"])
        cursor = page["nextCursor"]
        if cursor is None:
            return
        if count >= _FILE_ENTRIES_MAX:
            yield _end(f"There are older entries: a file has at most {_FILE_ENTRIES_MAX}.")
            return
        try:
            page = await interface.get(_LOG, **filters, limit=_FILE_PAGE_SIZE, cursor=cursor)
        except Refused as error:
            yield _end(f"There are older entries: {error.message}")
            return
        except Busy:
            yield _end("There are older entries: the service was busy. Try again in a moment.")
            return


def _end(sentence: str) -> str:
    """The last line of a file that is not whole."""
    return text_cell(f"INCOMPLETE. {sentence}") + "\r\n"


def _line(entry: Mapping[str, Any], names: Mapping[str, str]) -> str:
    actor = entry["actor"]
    cells = (
        *(entry["at"], actor["type"], actor["id"], names.get(actor["id"] or "")),
        *(entry["kind"], entry["what"], entry["objectId"]),
        *(entry["statusBefore"], entry["statusAfter"]),
        encode(entry["facts"]).decode() if entry["facts"] else "",
    )
    return ",".join(text_cell(each or "") for each in cells) + "\r\n"
