"""Download of the filtered transaction list as CSV or Parquet."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

from litestar import Controller, Response, get
from litestar.response import Stream

from landbridge.dashboard.list_queries import read_list_query
from landbridge.dashboard.page_request import PageRequest
from landbridge.dashboard.payment_lines import read_lines, recipient_of
from landbridge.dashboard.rendering import headers
from landbridge.dashboard.transactions.list_filters import FILTERS, to_api_query
from landbridge.payments.transactions.schemas import TransactionReply
from landbridge.platform.core.errors import Busy, FieldInvalid, Refused
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.metadata.model import as_text
from landbridge.reporting.exports import csv_lines
from landbridge.reporting.exports.model import Column, ColumnKind, ExportFormat, ExportHeader, Value
from landbridge.reporting.exports.parquet_groups import ParquetGroups
from landbridge.reporting.exports.service import check_extra

ApiQuery: TypeAlias = Mapping[str, str | list[str] | None]

_PAGE_SIZE: Final = 100
ROWS_MAX: Final = 10_000
# Of a Parquet file, which is held in memory: long metadata make a row large.
BYTES_MAX: Final = 16_000_000
_TOO_MANY: Final = (
    f"A Parquet file has at most {ROWS_MAX} payments. Choose a shorter period, or export CSV."
)
_TOO_LARGE: Final = (
    "These payments are too much for a Parquet file. Choose a shorter period, or export CSV."
)
_COLUMNS: Final = (
    *(Column(name, ColumnKind.WORD) for name in ("id", "type", "status")),
    *(Column("createdAt", ColumnKind.MOMENT), Column("userId", ColumnKind.WORD)),
    Column("userName", ColumnKind.TEXT),
    *(Column("sent", ColumnKind.AMOUNT), Column("sentCurrency", ColumnKind.WORD)),
    *(Column("sentChain", ColumnKind.WORD), Column("received", ColumnKind.AMOUNT)),
    *(Column(name, ColumnKind.WORD) for name in ("receivedCurrency", "receivedChain")),
    *(Column("fee", ColumnKind.AMOUNT), Column("feeCurrency", ColumnKind.WORD)),
    *(Column("recipientName", ColumnKind.TEXT), Column("bank", ColumnKind.TEXT)),
    *(Column(name, ColumnKind.TEXT) for name in ("accountNumber", "address", "metadata")),
    Column("failedReason", ColumnKind.TEXT),
)


class TransactionExportPages(Controller):
    """`/dashboard/transactions/csv` and `/dashboard/transactions/parquet`."""

    path = "/transactions"

    @get("/csv")
    async def download(self, request: PageRequest) -> Stream:
        """Stream the payments of the list's filters, newest first, at most `ROWS_MAX`.

        Raises `FieldInvalid` for an invalid filter.
        """
        api_query, zone = await _requested(request), request.user.zone
        return Stream(
            _lines(request.interface, api_query, zone),
            media_type="text/csv",
            headers={
                **headers(),
                "Content-Disposition": 'attachment; filename="transactions.csv"',
            },
        )

    @get("/parquet")
    async def parquet(self, request: PageRequest) -> Response[bytes]:
        """Return the same payments as Parquet.

        Raises `FieldInvalid` for an invalid filter, and for more than `ROWS_MAX` payments or
        `BYTES_MAX`: unlike CSV, the file has no line that could say that others are missing.
        """
        check_extra(ExportFormat.PARQUET)
        api_query, zone = await _requested(request), request.user.zone
        groups = await asyncio.to_thread(ParquetGroups, _header(zone))
        parts: list[bytes] = []
        count = size = 0
        async with aclosing(_pages(request.interface, api_query)) as pages:
            async for rows in pages:
                count += len(rows)
                if count > ROWS_MAX:
                    raise FieldInvalid(_TOO_MANY, field="from")
                parts.append(await asyncio.to_thread(groups.add, list(zip(*rows, strict=True))))
                size += len(parts[-1])
                if size > BYTES_MAX:
                    raise FieldInvalid(_TOO_LARGE, field="from")
        parts.append(await asyncio.to_thread(groups.end))
        return Response(
            b"".join(parts),
            media_type=ExportFormat.PARQUET.media_type,
            headers={
                **headers(),
                "Content-Disposition": 'attachment; filename="transactions.parquet"',
            },
        )


async def _requested(request: PageRequest) -> ApiQuery:
    query, visitor = read_list_query(request, *FILTERS), request.user
    found = await to_api_query(query, request.interface, visitor.zone, visitor.language)
    return found | {"cursor": None}


def _header(zone: ZoneInfo) -> ExportHeader:
    return ExportHeader(_COLUMNS, zone, "transactions")


async def _pages(
    interface: InternalClient, api_query: ApiQuery
) -> AsyncGenerator[Sequence[Sequence[Value]]]:
    """Yield the rows of each page of the list, newest first."""
    cursor: str | None = None
    while True:
        query = {**api_query, "cursor": cursor}
        page = await read_lines(interface, limit=_PAGE_SIZE, **query)
        yield [_cells(each) for each in page.data]
        if not page.next_cursor:
            return
        cursor = page.next_cursor


async def _lines(
    interface: InternalClient, api_query: ApiQuery, zone: ZoneInfo
) -> AsyncGenerator[bytes]:
    header, count = _header(zone), 0
    yield csv_lines.header(header)
    async with aclosing(_pages(interface, api_query)) as pages:
        while True:
            try:
                rows = await anext(pages, None)
            except (Refused, Busy) as error:
                yield csv_lines.incomplete(f"Older payments are missing: {error}")
                return
            if rows is None:
                return
            if count >= ROWS_MAX:
                yield csv_lines.incomplete(
                    f"Older payments are missing: A file has at most {ROWS_MAX} payments."
                )
                return
            count += len(rows)
            yield csv_lines.lines(header, list(zip(*rows, strict=True)))


def _cells(line: TransactionReply) -> Sequence[Value]:
    source, destination, to = line.source, line.destination, recipient_of(line)
    return (
        *(str(line.id), line.type, line.status),
        *(datetime.fromisoformat(line.created_at), str(line.user_id), line.user_name),
        *(source.amount, source.currency, source.chain),
        *(destination.amount, destination.currency, destination.chain),
        *((line.fee.amount, line.fee.currency) if line.fee else (None, None)),
        *(to.user_name, to.bank_name, to.account_number, to.address),
        *(as_text(line.metadata or {}), line.failed_reason or None),
    )
