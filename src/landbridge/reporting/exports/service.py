"""Results, and the transactions behind them, as files.

Guarantees:
- a file of transactions is made while it is sent, in constant memory, and no connection to the
  database is held while its reader takes its time;
- rows stand in one order: results as they are answered, transactions oldest first, then by id;
- times are those of the zone that was asked for, with their offset.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from landbridge.core.clock import Clock
from landbridge.core.pages import BEGINNING
from landbridge.db.pool import Database
from landbridge.reporting.exports import csv_lines, results, transactions
from landbridge.reporting.exports.behind import behind
from landbridge.reporting.exports.model import Batch, Content, Format, Heading
from landbridge.reporting.exports.parquet_groups import ParquetGroups
from landbridge.reporting.files import Outgoing
from landbridge.reporting.metrics.calculating import Calculator
from landbridge.reporting.metrics.params import LIMIT, ROWS_MAX
from landbridge.reporting.metrics.templates import TEMPLATES
from landbridge.reporting.rollups.model import Span
from landbridge.web.caller import Caller


class Download(NamedTuple):
    """A file that is being made: whoever takes its chunks must close them."""

    name: str
    chunks: AsyncGenerator[bytes]


@dataclass(frozen=True, slots=True)
class Exports:
    """Makes files, piece by piece."""

    database: Database
    clock: Clock
    calculator: Calculator
    outgoing: Outgoing

    async def result_file(
        self, caller: Caller, template: str, params: Mapping[str, Any], form: Format
    ) -> tuple[str, bytes]:
        """Name and content of a file of results.

        A file has as many rows as there may be at most, unless `limit` says less. Raises
        `FieldsInvalid`, as calculating does.
        """
        result = await self.calculator.calculate(caller, template, _unlimited(params))
        zone = result.question.span.zone
        title = _title(template, Content.RESULTS, result.question.span)
        heading = Heading(results.columns(result), ZoneInfo(zone), title)
        content = await asyncio.to_thread(_whole, heading, results.batch(result), form)
        return heading.file_name(form), content

    async def transaction_file(
        self, caller: Caller, template: str, params: Mapping[str, Any], form: Format
    ) -> Download:
        """The transactions that a result is made of, as a file that is made while it is read.

        Raises `FieldsInvalid`, as calculating does, and for templates that are not made of
        transactions; the chunks raise `Busy` at the first if too many are read at once. There is a
        chunk for each look at the records, however few of them are wanted; it may be empty.
        """
        question = await self.calculator.ask(caller, template, params)
        wanted = behind(TEMPLATES[template], question)
        title = _title(template, Content.TRANSACTIONS, question.span)
        heading = Heading(transactions.COLUMNS, ZoneInfo(question.span.zone), title)
        batches = transactions.batches(self.database, caller.org_id, wanted, question.span)
        make = _csv if form is Format.CSV else _parquet
        chunks = make(heading, _ahead(batches))
        return Download(heading.file_name(form), self.outgoing.bounded(caller.org_id, chunks))


def _unlimited(params: Mapping[str, Any]) -> Mapping[str, Any]:
    return params if params.get(LIMIT) is not None else {**params, LIMIT: ROWS_MAX}


def _title(template: str, content: Content, span: Span) -> str:
    """As in `gross-volume-results-2026-01-01-2026-02-01-Europe-Berlin`: first and last instant."""
    zone = ZoneInfo(span.zone)
    ends = (max(span.after, BEGINNING), max(span.before, BEGINNING))
    days = [each.astimezone(zone).date().isoformat() for each in ends]
    return "-".join([template.lower().replace("_", "-"), content, *days, span.zone])


def _whole(heading: Heading, batch: Batch, form: Format) -> bytes:
    match form:
        case Format.CSV:
            return csv_lines.header(heading) + csv_lines.lines(heading, batch)
        case Format.PARQUET:
            groups = ParquetGroups(heading)
            return groups.add(batch) + groups.end()


async def _ahead(batches: AsyncGenerator[Batch]) -> AsyncGenerator[Batch]:
    """The same; the next is read while something is made of the one before."""

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


async def _csv(heading: Heading, batches: AsyncGenerator[Batch]) -> AsyncGenerator[bytes]:
    header = csv_lines.header(heading)
    async with aclosing(batches):
        async for batch in batches:
            yield header + csv_lines.lines(heading, batch)
            header = b""
    if header:
        yield header


async def _parquet(heading: Heading, batches: AsyncGenerator[Batch]) -> AsyncGenerator[bytes]:
    """In a thread: Arrow takes its time, and lets others run meanwhile."""
    groups = await asyncio.to_thread(ParquetGroups, heading)
    async with aclosing(batches):
        async for batch in batches:
            yield await asyncio.to_thread(groups.add, batch)
    yield await asyncio.to_thread(groups.end)
