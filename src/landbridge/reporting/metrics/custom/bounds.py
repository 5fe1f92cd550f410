"""Limits of a read of records: number of records, number of groups, and time.

A read beyond a limit is refused with a message that says what to narrow. Together with the limit on
costly requests per organisation (`platform/http/concurrency.py`), they keep a heavy template from
slowing down other callers.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.retry import OUT_OF_TIME
from landbridge.reporting.metrics.custom import record_store
from landbridge.reporting.metrics.model import MetricSources

T = TypeVar("T")

# Most records read for a measure. Reading 200,000 took 1.2 to 2.2 s on two cores.
RECORDS_MAX: Final = 150_000
# Most groups of records per operand, which are rows of the statement.
GROUPS_MAX: Final = 50_000
# Timeout for all operands of a measure together; `RECORDS_MAX` records take 0.9 to 1.7 s.
TIMEOUT_MS: Final = 2_000
_NARROWER = "shorten the range, name fewer transactionTypes, or use fewer breakdowns"


async def in_time(
    sources: MetricSources, read: Callable[[Tx], Awaitable[T]], *, parts: int = 1
) -> T:
    """Read one of `parts` operands in a transaction; raises `FieldsInvalid` after its timeout."""
    most_ms = TIMEOUT_MS // parts

    async def work(tx: Tx) -> T:
        try:
            async with tx.transaction():
                await record_store.limit_time(tx, most_ms=most_ms)
                return await read(tx)
        except OUT_OF_TIME as error:
            raise FieldsInvalid(
                {
                    "createdAfter": "createdAfter begins a range that takes longer than"
                    f" {most_ms / 1000:g} seconds to read: {_NARROWER}"
                }
            ) from error

    return await sources.database.read_on_replica(work)


def check_records(count: int, *, of: str, most: int) -> None:
    """Raise `FieldsInvalid` if a range has too many records to read."""
    if count > most:
        hint = ", or name fewer transactionTypes" if of == "transactions" else ""
        raise FieldsInvalid(
            {
                "createdAfter": f"createdAfter begins a range of {count:,} {of}; this template"
                f" reads them one by one, at most {most:,}: shorten the range{hint}"
            }
        )


def check_groups(count: int) -> None:
    """Raise `FieldsInvalid` if a range has too many groups of records."""
    if count > GROUPS_MAX:
        raise FieldsInvalid(
            {
                "createdAfter": "createdAfter begins a range of more than"
                f" {GROUPS_MAX:,} groups of transactions: {_NARROWER}"
            }
        )
