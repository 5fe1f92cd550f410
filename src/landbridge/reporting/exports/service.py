"""Results, and the transactions behind them, as files.

Guarantees:
- A file of transactions is generated while it is sent, in constant memory. No database connection
  is held while the client reads.
- Rows have a fixed order: results as in the API response, transactions oldest first, then by id.
- Times are in the requested zone, with their offset.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.core.pagination import BEGINNING
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller
from landbridge.reporting.exports import csv_lines, transactions
from landbridge.reporting.exports.model import (
    AMOUNT_DECIMALS,
    Batch,
    Column,
    ColumnKind,
    ExportContent,
    ExportFormat,
    ExportHeader,
    Value,
)
from landbridge.reporting.exports.parquet_groups import ParquetGroups
from landbridge.reporting.exports.underlying_records import record_filter
from landbridge.reporting.file_downloads import FileDownloads
from landbridge.reporting.metrics.calculator import Calculator
from landbridge.reporting.metrics.model import Match, MetricResult, MetricTemplate
from landbridge.reporting.metrics.params import LIMIT, ROWS_MAX
from landbridge.reporting.rollups.model import Span

_PERIOD = Column("periodStart", ColumnKind.DATE)


def result_columns(result: MetricResult) -> tuple[Column, ...]:
    """Return the columns of a result, named as the members of a row; rows have no effect."""
    return (
        _PERIOD,
        *(Column(each, ColumnKind.TEXT) for each in result.query.breakdowns),
        *_fields(result.template),
    )


def result_batch(result: MetricResult) -> Batch:
    """Return the rows of a result as lists of column values."""
    kinds = {each.name: each.kind for each in _fields(result.template)}
    return [
        [row.period for row in result.rows],
        *([row.dims[name] for row in result.rows] for name in result.query.breakdowns),
        *([_value(row.values[name], kind) for row in result.rows] for name, kind in kinds.items()),
    ]


def _fields(template: MetricTemplate) -> list[Column]:
    """Return the template's value fields and their types."""
    empty = template.values({})
    decimals = max(AMOUNT_DECIMALS, template.digits)
    return [
        Column(each, ColumnKind.COUNT)
        if isinstance(empty[each], int)
        else Column(each, ColumnKind.AMOUNT, decimals)
        for each in template.fields
    ]


def _value(value: int | Decimal | None, kind: ColumnKind) -> Value:
    if value is None or (kind is ColumnKind.COUNT and isinstance(value, int)):
        return value
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


class ExportDownload(NamedTuple):
    """File that is being generated; the consumer of its chunks must close them."""

    name: str
    chunks: AsyncGenerator[bytes]


@dataclass(frozen=True, slots=True)
class Exports:
    """Generates files chunk by chunk."""

    database: Database
    clock: Clock
    calculator: Calculator
    outgoing: FileDownloads

    async def result_file(
        self,
        caller: Caller,
        template: str | MetricTemplate,
        params: Mapping[str, Any],
        form: ExportFormat,
    ) -> tuple[str, bytes]:
        """Return name and content of a results file.

        A file may have the maximum number of rows unless `limit` is lower. Raises `FieldsInvalid`
        as `Calculator.calculate` does.
        """
        check_extra(form)
        result = await self.calculator.calculate(caller, template, _unlimited(params))
        zone = result.query.span.zone
        title = _title(result.template.name, ExportContent.RESULTS, result.query.span)
        header = ExportHeader(result_columns(result), ZoneInfo(zone), title)
        content = await asyncio.to_thread(_whole, header, result_batch(result), form)
        return header.file_name(form), content

    async def transaction_file(
        self,
        caller: Caller,
        template: str | MetricTemplate,
        params: Mapping[str, Any],
        form: ExportFormat,
    ) -> ExportDownload:
        """Return the transactions behind a result as a file generated while it is read.

        Raises `FieldsInvalid` as `Calculator.calculate` does, and for templates without
        transactions. Reading the first chunk raises `Busy` if too many files are being read. Each
        read of records yields one chunk, which may be empty.
        """
        check_extra(form)
        found = await self.calculator.find(caller.org_id, template)
        query = await self.calculator.parse(caller, found, params)
        records = record_filter(found, query)
        title = _title(found.name, ExportContent.TRANSACTIONS, query.span)
        header = ExportHeader(transactions.COLUMNS, ZoneInfo(query.span.zone), title)
        filters = {**found.defaults, **query.filters}
        batches = transactions.batches(
            database=self.database,
            org_id=caller.org_id,
            record_filter=records,
            span=query.span,
            match=found.match and partial(_matching, found.match, caller.org_id, filters),
        )
        make = _csv if form is ExportFormat.CSV else _parquet
        chunks = make(header, _ahead(batches))
        return ExportDownload(header.file_name(form), self.outgoing.bounded(caller.org_id, chunks))


def check_extra(form: ExportFormat) -> None:
    """Raise `FieldInvalid` if this installation cannot write the format."""
    if form is ExportFormat.PARQUET and (reason := missing(Extra.PARQUET)):
        raise FieldInvalid(f"format: parquet {reason}, or request csv", field="format")


async def _matching(
    match: Match,
    org_id: UUID,
    filters: Mapping[str, tuple[str, ...]],
    tx: Tx,
    ids: Sequence[UUID],
) -> frozenset[UUID]:
    return await match(tx, org_id, ids, filters)


def _unlimited(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return params if params.get(LIMIT) is not None else {**params, LIMIT: ROWS_MAX}


def _title(template: str, content: ExportContent, span: Span) -> str:
    """Return a title such as `gross-volume-results-2026-01-01-2026-02-01-Europe-Berlin`."""
    zone = ZoneInfo(span.zone)
    ends = (max(span.after, BEGINNING), max(span.before, BEGINNING))
    days = [each.astimezone(zone).date().isoformat() for each in ends]
    return "-".join([template.lower().replace("_", "-"), content, *days, span.zone])


def _whole(header: ExportHeader, batch: Batch, form: ExportFormat) -> bytes:
    match form:
        case ExportFormat.CSV:
            return csv_lines.header(header) + csv_lines.lines(header, batch)
        case ExportFormat.PARQUET:
            groups = ParquetGroups(header)
            return groups.add(batch) + groups.end()


async def _ahead(batches: AsyncGenerator[Batch]) -> AsyncGenerator[Batch]:
    """Yield the same batches, reading the next one while the previous one is encoded."""

    async def read() -> Batch | None:
        return await anext(batches, None)

    async with aclosing(batches):
        reading = asyncio.create_task(read())
        try:
            while (batch := await reading) is not None:
                reading = asyncio.create_task(read())
                yield batch
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _csv(header: ExportHeader, batches: AsyncGenerator[Batch]) -> AsyncGenerator[bytes]:
    """Yield CSV, encoded in a thread because a batch may have thousands of records."""
    first_line = csv_lines.header(header)
    async with aclosing(batches):
        async for batch in batches:
            yield first_line + await asyncio.to_thread(csv_lines.lines, header, batch)
            first_line = b""
    if first_line:
        yield first_line


async def _parquet(header: ExportHeader, batches: AsyncGenerator[Batch]) -> AsyncGenerator[bytes]:
    """Yield Parquet, encoded in a thread because Arrow releases the interpreter lock."""
    groups = await asyncio.to_thread(ParquetGroups, header)
    async with aclosing(batches):
        async for batch in batches:
            yield await asyncio.to_thread(groups.add, batch)
    yield await asyncio.to_thread(groups.end)
