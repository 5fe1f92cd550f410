"""Files: what may be in them, and what their columns are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import TypeAlias
from zoneinfo import ZoneInfo


class Format(StrEnum):
    """How a file is written."""

    CSV = "csv"
    PARQUET = "parquet"

    @property
    def media_type(self) -> str:
        """As in the header `Content-Type`."""
        match self:
            case Format.CSV:
                return "text/csv; header=present"
            case Format.PARQUET:
                return "application/vnd.apache.parquet"


class Content(StrEnum):
    """What is in a file of a metric."""

    RESULTS = "results"  # the rows of the result
    TRANSACTIONS = "transactions"  # the transactions that the result is made of


class Kind(StrEnum):
    """What the values of a column are; any may be None."""

    WORD = "word"  # text of our own spelling: ids, statuses, currencies
    TEXT = "text"  # text that others may have written
    DATE = "date"
    MOMENT = "moment"  # a time, shown in the zone of the file
    AMOUNT = "amount"  # a plain decimal number as text, of at most `AMOUNT_DECIMALS`
    COUNT = "count"  # a whole number


# Of every coin and currency, and of what reports make of them.
AMOUNT_DECIMALS = 6

Value: TypeAlias = str | date | datetime | int | None
# The values of each column, in the order of the columns; all have as many.
Batch: TypeAlias = Sequence[Sequence[Value]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name in the header."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Heading:
    """What is known of a file before its rows: columns, zone of its times, and what it is of."""

    columns: tuple[Column, ...]
    zone: ZoneInfo
    title: str

    def file_name(self, form: Format) -> str:
        """As in the header `Content-Disposition`: letters, digits, `-`, `_` and one point."""
        plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in self.title)
        return f"{plain}.{form}"
