"""Bounds of a read of records: their number, the number of groups, and the time.

A read beyond a bound is refused with a sentence that says what to narrow. With the limit of costly
requests per organisation (`platform/http/concurrency.py`) a heavy template slows no other caller.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from landbridge.platform.core.errors import FieldsInvalid
from landbridge.platform.db.pool import Tx
from landbridge.platform.db.retry import OUT_OF_TIME
from landbridge.reporting.metrics.custom import record_store
from landbridge.reporting.metrics.model import MetricSources

T = TypeVar("T")

# Records per measure. Reading 200,000 took 1.2 to 2.2 s on two cores.
RECORDS_MAX: Final = 150_000
# Groups of records per number: rows of the statement.
GROUPS_MAX: Final = 50_000
# For all numbers of a measure together; by the figure above, `RECORDS_MAX` take 0.9 to 1.7 s.
TIMEOUT_MS: Final = 2_000
_NARROWER = "shorten the range, name fewer transactionTypes, or use fewer breakdowns"


async def in_time(
    sources: MetricSources, read: Callable[[Tx], Awaitable[T]], *, parts: int = 1
) -> T:
    """Read one of so many numbers in a transaction; raises `FieldsInvalid` if it takes too long."""
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
