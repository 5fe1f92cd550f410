"""Export files: formats, contents and columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import TypeAlias
from zoneinfo import ZoneInfo


class ExportFormat(StrEnum):
    """Format of a file."""

    CSV = "csv"
    PARQUET = "parquet"

    @property
    def media_type(self) -> str:
        """Return the value of the `Content-Type` header."""
        match self:
            case ExportFormat.CSV:
                return "text/csv; header=present"
            case ExportFormat.PARQUET:
                return "application/vnd.apache.parquet"


class ExportContent(StrEnum):
    """Content of a metric's file."""

    RESULTS = "results"  # rows of the result
    TRANSACTIONS = "transactions"  # transactions behind the result


class ColumnKind(StrEnum):
    """Type of a column's values; any value may be None."""

    WORD = "word"  # text that Landbridge defines: ids, statuses, currencies
    TEXT = "text"  # text that third parties may have written
    DATE = "date"
    MOMENT = "moment"  # time, shown in the zone of the file
    AMOUNT = "amount"  # plain decimal number as text, with at most the decimals of its column
    COUNT = "count"  # whole number


# Most decimals of any coin or currency, and of report values that do not define their decimals.
AMOUNT_DECIMALS = 6

Value: TypeAlias = str | date | datetime | int | None
# The values of each column, in column order; all columns have the same length.
Batch: TypeAlias = Sequence[Sequence[Value]]


@dataclass(frozen=True, slots=True)
class Column:
    """Column, named as in the header line."""

    name: str
    kind: ColumnKind
    # Most decimals of an amount in this column.
    decimals: int = AMOUNT_DECIMALS


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """File metadata known before its rows: columns, zone of its times, and title."""

    columns: tuple[Column, ...]
    zone: ZoneInfo
    title: str

    def file_name(self, form: ExportFormat) -> str:
        """Return the file name for `Content-Disposition`: letters, digits, `-`, `_` and a dot."""
        plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in self.title)
        return f"{plain}.{form}"
