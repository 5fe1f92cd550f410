"""Audit log with actor names, as a page and as a CSV file."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get
from litestar.response import Stream

from landbridge.dashboard.list_queries import load_list, read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.rendering import headers
from landbridge.platform.audit_log.api import AuditLogEntryReply, AuditLogReply
from landbridge.platform.core.errors import Busy, Refused
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import encode
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Column, ColumnKind, ExportHeader

_LOG = "/v2/audit-log"
_FILTERS = ("actorType", "actorId", "kind", "objectId", "createdAfter", "createdBefore")
_PAGE_SIZE, _FILE_PAGE_SIZE, _FILE_ENTRIES_MAX = 50, 100, 100_000
_NONE = AuditLogReply(count=0, entries=[])
_COLUMNS = (
    *("at", "actor_type", "actor_id", "actor_name", "kind", "what", "object_id"),
    *("status_before", "status_after", "facts"),
)
_HEADING = ExportHeader(
    tuple(Column(each, ColumnKind.TEXT) for each in _COLUMNS), ZoneInfo("UTC"), "audit-log"
)
_TRANSFERS = (
    "WALLET.SWAP",
    "WALLET.TRANSFER",
    "WALLET.BRIDGE",
    "OFFRAMP",
    "ONRAMP",
    "DISBURSEMENT",
)
# Pages by kind of entry, for kinds whose object ID is part of the address.
_PAGES = {
    "USER": "users",
    "WEBHOOK": "webhooks",
    "APPROVAL": "approvals",
}
_LISTS = {
    "API_KEY": "keys",
    "LIMITS": "settings/limits",
    "ADDRESS_POLICY": "settings/addresses",
    "PRICE": "settings/fees",
    "FEE": "settings/fees",
    "APPROVAL.POLICY": "settings/approvals",
    "REPORT.ZONE": "settings/time-zone",
    "ORG": "settings",
    "RESOLUTION": "reviews/resolutions",
    "CHAIN.ACCOUNT": "chains",
    "CLOCK": "sandbox",
    "SANDBOX.LATENCY": "sandbox",
}


class AuditLogPages(Controller):
    """`/dashboard/audit-log`."""

    path = "/audit-log"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """List entries that match the filters, newest first."""
        list_query = read_list_query(request, *_FILTERS)
        (found, filter_error), names = await asyncio.gather(
            load_list(
                request.interface.read(
                    AuditLogReply,
                    _LOG,
                    **list_query.filters,
                    limit=_PAGE_SIZE,
                    cursor=list_query.cursor,
                ),
                _NONE,
            ),
            request.actor_names(),
        )
        return request.page(
            "organisation/audit_log.html",
            entries=[(each, object_page(each)) for each in found.entries],
            names=names.all,
            list_query=list_query,
            older=list_query.older(found.next_cursor),
            filter_error=filter_error,
        )

    @get("/csv")
    async def download(self, request: PageRequest) -> Stream:
        """Stream entries that match the filters as CSV, page by page, at most 100,000."""
        list_query = read_list_query(request, *_FILTERS)
        first = await request.interface.read(
            AuditLogReply, _LOG, **list_query.filters, limit=_FILE_PAGE_SIZE
        )
        names = await request.actor_names()
        return Stream(
            _lines(request.interface, list_query.filters, first, names.all),
            media_type="text/csv",
            headers={
                **headers(),
                "Content-Disposition": 'attachment; filename="audit-log.csv"',
            },
        )


def object_page(entry: AuditLogEntryReply) -> str | None:
    """Return the address of the page about the entry's object, or None if it has none."""
    kind, object_id, facts = entry.kind, entry.object_id, entry.facts
    if kind == "NUMBER":
        return f"/dashboard/users/{facts['userId']}/compliance"
    if kind == "PAYEE":
        return f"/dashboard/users/{facts['userId']}/accounts/{facts['accountId']}"
    if kind in _LISTS:
        return f"/dashboard/{_LISTS[kind]}"
    if kind in _PAGES:
        return f"/dashboard/{_PAGES[kind]}/{object_id}"
    return f"/dashboard/transactions/{object_id}" if kind in _TRANSFERS else None


async def _lines(
    interface: InternalClient,
    filters: Mapping[str, str],
    page: AuditLogReply,
    names: Mapping[str, str],
) -> AsyncGenerator[bytes]:
    yield csv_lines.header(_HEADING)
    count = 0
    while True:
        rows = [_cells(each, names) for each in page.entries]
        yield csv_lines.lines(_HEADING, list(zip(*rows, strict=True)))
        count += len(page.entries)
        if not page.next_cursor:
            return
        if count >= _FILE_ENTRIES_MAX:
            yield csv_lines.incomplete(
                f"Older entries are missing: a file has at most {_FILE_ENTRIES_MAX}."
            )
            return
        try:
            page = await interface.read(
                AuditLogReply, _LOG, **filters, limit=_FILE_PAGE_SIZE, cursor=page.next_cursor
            )
        except Refused as error:
            yield csv_lines.incomplete(f"Older entries are missing: {error.message}")
            return
        except Busy:
            yield csv_lines.incomplete(
                "Older entries are missing: the service was busy. Try again in a moment."
            )
            return


def _cells(entry: AuditLogEntryReply, names: Mapping[str, str]) -> Sequence[str | None]:
    actor = entry.actor
    return (
        *(entry.at, actor.type, actor.id, names.get(actor.id or "")),
        *(entry.kind, entry.what, entry.object_id),
        *(entry.status_before, entry.status_after),
        encode(entry.facts).decode() if entry.facts else None,
    )
