"""Download of the filtered transaction list as CSV."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.response import Stream

from landbridge.dashboard.list_queries import read_list_query
from landbridge.dashboard.page_visitor import PageRequest
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.transactions.list_filters import FILTERS, to_api_query
from landbridge.platform.core.errors import Busy, Refused
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Column, ColumnKind, ExportHeader

_PAGE_SIZE: Final = 100
ROWS_MAX: Final = 10_000
_COLUMNS: Final = (
    *(Column(name, ColumnKind.WORD) for name in ("id", "type", "status")),
    *(Column("createdAt", ColumnKind.MOMENT), Column("userId", ColumnKind.WORD)),
    Column("userName", ColumnKind.TEXT),
    *(Column("sent", ColumnKind.AMOUNT), Column("sentCurrency", ColumnKind.WORD)),
    *(Column("sentChain", ColumnKind.WORD), Column("received", ColumnKind.AMOUNT)),
    *(Column(name, ColumnKind.WORD) for name in ("receivedCurrency", "receivedChain")),
    *(Column("fee", ColumnKind.AMOUNT), Column("feeCurrency", ColumnKind.WORD)),
    *(Column("recipientName", ColumnKind.TEXT), Column("bank", ColumnKind.TEXT)),
    *(Column(name, ColumnKind.TEXT) for name in ("accountNumber", "address")),
)


class TransactionExportPages(Controller):
    """`/dashboard/transactions/csv`."""

    path = "/transactions/csv"

    @get("/")
    async def download(
        self, request: PageRequest, interface: NamedDependency[InternalClient]
    ) -> Stream:
        """Stream the payments of the list's filters, newest first, at most `ROWS_MAX`.

        Raises `FieldInvalid` for an invalid filter.
        """
        query, visitor = read_list_query(request, *FILTERS), request.user
        api_query = await to_api_query(query, interface, visitor.zone, visitor.language)
        return Stream(
            _lines(interface, api_query | {"cursor": None}, visitor.zone),
            media_type="text/csv",
            headers={
                **headers(),
                "Content-Disposition": 'attachment; filename="transactions.csv"',
            },
        )


async def _lines(
    interface: InternalClient, api_query: Mapping[str, Any], zone: Any
) -> AsyncGenerator[bytes]:
    header = ExportHeader(_COLUMNS, zone, "transactions")
    yield csv_lines.header(header)
    count, cursor = 0, None
    while True:
        query = {**api_query, "cursor": cursor}
        try:
            page = await interface.get(
                "/v2/transactions", limit=_PAGE_SIZE, expand="parties", **query
            )
        except (Refused, Busy) as error:
            yield csv_lines.incomplete(f"Older payments are missing: {error}")
            return
        rows = [_cells(each) for each in page["data"]]
        yield csv_lines.lines(header, list(zip(*rows, strict=True)))
        count, cursor = count + len(rows), page.get("nextCursor")
        if cursor is None:
            return
        if count >= ROWS_MAX:
            yield csv_lines.incomplete(
                f"Older payments are missing: A file has at most {ROWS_MAX} payments."
            )
            return


def _cells(line: Mapping[str, Any]) -> Sequence[str | datetime | None]:
    source, destination, to = line["source"], line["destination"], line["recipient"]
    fee: Mapping[str, Any] = line["fee"] or {}
    return (
        *(line["id"], line["type"], line["status"]),
        *(datetime.fromisoformat(line["createdAt"]), line["userId"], line["userName"]),
        *(source["amount"], source["currency"], source["chain"]),
        *(destination["amount"], destination["currency"], destination["chain"]),
        *(fee.get("amount"), fee.get("currency")),
        *(to["userName"], to["bankName"], to["accountNumber"], to["address"]),
    )
