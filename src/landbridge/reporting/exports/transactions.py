"""The transactions behind a metric, batch by batch: constant memory, however many there are.

Between two batches no connection is held and no snapshot kept: each shows its records as they are
when it is read. Records that are created in the range while it is read are told if their turn has
not passed.
"""

from collections.abc import AsyncGenerator
from datetime import timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.chains.tokens import ASSETS
from landbridge.core.pages import BEGINNING
from landbridge.db.pool import Database
from landbridge.rails.currencies import AT_BANK, FIAT_ASSETS
from landbridge.reporting.exports import transaction_store as store
from landbridge.reporting.exports.behind import counted_as
from landbridge.reporting.exports.model import Batch, Column, Kind
from landbridge.reporting.exports.transaction_store import AssetColumns, Key, Stretch, Wanted
from landbridge.reporting.rollups.model import Span

# As the columns of the statement `_NEXT`, then how the contract's templates count the record.
COLUMNS = (
    Column("id", Kind.WORD),
    Column("transferType", Kind.WORD),
    Column("status", Kind.WORD),
    Column("userId", Kind.WORD),
    Column("requestId", Kind.WORD),
    Column("createdAt", Kind.MOMENT),
    Column("updatedAt", Kind.MOMENT),
    Column("sourceCurrency", Kind.WORD),
    Column("sourceChain", Kind.WORD),
    Column("sourceAmount", Kind.AMOUNT),
    Column("destinationCurrency", Kind.WORD),
    Column("destinationChain", Kind.WORD),
    Column("destinationAmount", Kind.AMOUNT),
    Column("amountUsd", Kind.AMOUNT),
    Column("failedReason", Kind.TEXT),
    Column("transactionType", Kind.WORD),
    Column("transactionStatus", Kind.WORD),
)
_KIND, _STATUS, _COUNTED = 1, 2, 2

# Records that are looked at with one statement: some milliseconds of it, and of us.
BATCH_ROWS = 2_000
# A batch looks ahead for so long at first, then for as long as promises to fill it.
_WIDTH = timedelta(hours=1)
_WIDTH_MIN = timedelta(seconds=1)
_GROWTH_MAX = 8
# Below every id.
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
    database: Database, org_id: UUID, wanted: Wanted, span: Span
) -> AsyncGenerator[Batch]:
    """The records that are wanted, oldest first, then by id; the columns are `COLUMNS`.

    A batch is empty if a look at the records found none.
    """
    place, width = Key(max(span.after, BEGINNING), _NO_ID), _WIDTH
    while place.created_at < span.before:
        until = place.created_at + min(width, span.before - place.created_at)
        at = Stretch(behind=place, until=until, limit=BATCH_ROWS)
        found = await database.single(
            lambda tx, at=at: store.look(tx, org_id, wanted, _ASSETS, at=at)
        )
        behind, place = place, found.end or Key(until, _NO_ID)
        width = _next_width(place.created_at - behind.created_at, found.looked_at)
        if not found.rows:
            # Whoever reads learns that it goes on, and may stop it.
            yield []
            continue
        columns = list(zip(*found.rows, strict=True))[: len(COLUMNS) - _COUNTED]
        counted = map(counted_as, columns[_KIND], columns[_STATUS])
        yield [*columns, *zip(*counted, strict=True)]


def _next_width(seen: timedelta, count: int) -> timedelta:
    """How far to look ahead, by how many records the last stretch of time had."""
    growth = min(BATCH_ROWS * 4 // (5 * count), _GROWTH_MAX) if count else _GROWTH_MAX
    return max(seen * growth if growth else seen * 4 / 5, _WIDTH_MIN)
