"""Transactions behind a metric, batch by batch, in constant memory.

No connection or snapshot is held between two batches: each batch has its records as they are when
it is read. A record that is created in the range during the read is included unless its position in
the order was read already.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.platform.core.pagination import BEGINNING
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.metadata.model import as_text, decoded
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.rails.currencies import AT_BANK, FIAT_ASSETS
from landbridge.reporting.exports import transaction_store as store
from landbridge.reporting.exports.model import Batch, Column, ColumnKind
from landbridge.reporting.exports.transaction_store import (
    AssetColumns,
    RecordFilter,
    RecordKey,
    RecordRange,
)
from landbridge.reporting.exports.underlying_records import counted_as
from landbridge.reporting.rollups.model import Span

# Columns of the statement `_NEXT`; before the last one, the record's type and status as the
# contract's templates name them.
COLUMNS = (
    Column("id", ColumnKind.WORD),
    Column("transferType", ColumnKind.WORD),
    Column("status", ColumnKind.WORD),
    Column("userId", ColumnKind.WORD),
    Column("requestId", ColumnKind.WORD),
    Column("createdAt", ColumnKind.MOMENT),
    Column("updatedAt", ColumnKind.MOMENT),
    Column("sourceCurrency", ColumnKind.WORD),
    Column("sourceChain", ColumnKind.WORD),
    Column("sourceAmount", ColumnKind.AMOUNT),
    Column("destinationCurrency", ColumnKind.WORD),
    Column("destinationChain", ColumnKind.WORD),
    Column("destinationAmount", ColumnKind.AMOUNT),
    Column("amountUsd", ColumnKind.AMOUNT),
    Column("failedReason", ColumnKind.TEXT),
    Column("transactionType", ColumnKind.WORD),
    Column("transactionStatus", ColumnKind.WORD),
    Column("metadata", ColumnKind.TEXT),
)
_KIND, _STATUS, _COUNTED = 1, 2, 2

# Records scanned by one statement, which takes some milliseconds.
BATCH_ROWS = 2_000
# First width of a batch's time range; later widths are estimated so that they fill a batch.
_WIDTH = timedelta(hours=1)
_WIDTH_MIN = timedelta(seconds=1)
_GROWTH_MAX = 8
# Smallest id, which no record has.
_NO_ID = UUID(int=0)


def _assets() -> AssetColumns:
    every = [*ASSETS.values(), *FIAT_ASSETS.values()]
    return AssetColumns(
        codes=[each.code for each in every],
        currencies=[each.currency for each in every],
        chains=[None if each.chain == AT_BANK else each.chain for each in every],
        units=[Decimal(1).scaleb(-each.decimals) for each in every],
    )


_ASSETS = _assets()


async def batches(
    database: Database,
    org_id: UUID,
    record_filter: RecordFilter,
    span: Span,
    *,
    match: Callable[[Tx, Sequence[UUID]], Awaitable[frozenset[UUID]]] | None = None,
) -> AsyncGenerator[Batch]:
    """Yield matching records, oldest first, then by id; the columns are `COLUMNS`.

    A batch is empty if a scan found no match. `match` selects among the records that the filter
    has found.
    """
    position, width = RecordKey(max(span.after, BEGINNING), _NO_ID), _WIDTH
    while position.created_at < span.before:
        until = position.created_at + min(width, span.before - position.created_at)
        at = RecordRange(after=position, until=until, limit=BATCH_ROWS)
        found = await database.read_on_replica(
            lambda tx, at=at: store.scan(tx, org_id, record_filter, _ASSETS, at=at)
        )
        previous, position = position, found.end or RecordKey(until, _NO_ID)
        width = _next_width(position.created_at - previous.created_at, found.scanned_count)
        rows = found.rows
        if match is not None and rows:
            ids = [UUID(str(row[0])) for row in rows]
            matching = await database.read_on_replica(lambda tx, ids=ids: match(tx, ids))
            rows = [row for row, id_ in zip(rows, ids, strict=True) if id_ in matching]
        if not rows:
            # An empty batch lets the consumer stop the scan.
            yield []
            continue
        columns = list(zip(*rows, strict=True))[: len(COLUMNS) - _COUNTED]
        counted = map(counted_as, columns[_KIND], columns[_STATUS])
        metadata = [as_text(decoded(each)) for each in columns[-1]]
        yield [*columns[:-1], *zip(*counted, strict=True), metadata]


def _next_width(width: timedelta, count: int) -> timedelta:
    """Return the width of the next time range, from the density of the previous one."""
    growth = min(BATCH_ROWS * 4 // (5 * count), _GROWTH_MAX) if count else _GROWTH_MAX
    return max(width * growth if growth else width * 4 / 5, _WIDTH_MIN)
