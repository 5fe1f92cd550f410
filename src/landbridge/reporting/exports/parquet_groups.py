"""Rows as Parquet, in groups, so that a file can go out while it is being made.

Text is a string, a time a timestamp in microseconds with its zone, an amount a decimal128(38, 6),
a whole number an int64. The schema's metadata say the zone and what the file is of.
"""

import importlib
from typing import Any

from landbridge.reporting.exports.model import (
    AMOUNT_DECIMALS,
    Batch,
    Column,
    Heading,
    Kind,
)

# Rows of a group: few groups make a file quick to read, and one is all that lies in memory.
GROUP_ROWS = 20_000
_DIGITS = 38


class ParquetGroups:
    """Makes one file; blocks for some milliseconds with each group."""

    def __init__(self, heading: Heading) -> None:
        # Arrow takes a tenth of a second and many megabytes, which whoever wants CSV never pays.
        self._arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
        self._columns = heading.columns
        self._types = [self._type(each, heading) for each in heading.columns]
        fields = [
            (column.name, kind) for column, kind in zip(heading.columns, self._types, strict=True)
        ]
        about = {"timeZone": heading.zone.key, "title": heading.title}
        self._schema = self._arrow.schema(fields, metadata=about)
        self._sink = _Sink()
        self._writer = parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._waiting: list[Any] = []
        self._waiting_count = 0

    def add(self, batch: Batch) -> bytes:
        """What may go out after these rows; often nothing yet."""
        if batch and batch[0]:
            self._waiting.append(self._record_batch(batch))
            self._waiting_count += len(batch[0])
        if self._waiting_count >= GROUP_ROWS:
            self._write()
        return self._sink.take()

    def end(self) -> bytes:
        """The rest of the file."""
        if self._waiting:
            self._write()
        self._writer.close()
        return self._sink.take()

    def _write(self) -> None:
        table = self._arrow.Table.from_batches(self._waiting, self._schema)
        self._waiting, self._waiting_count = [], 0
        self._writer.write_table(table, row_group_size=table.num_rows)

    def _record_batch(self, batch: Batch) -> Any:
        arrays = [
            self._array(column, kind, values)
            for column, kind, values in zip(self._columns, self._types, batch, strict=True)
        ]
        return self._arrow.record_batch(arrays, schema=self._schema)

    def _array(self, column: Column, kind: Any, values: Any) -> Any:
        if column.kind is Kind.AMOUNT:
            # From text, so that no number is anything else in between.
            return self._arrow.array(values, self._arrow.string()).cast(kind)
        return self._arrow.array(values, kind)

    def _type(self, column: Column, heading: Heading) -> Any:
        match column.kind:
            case Kind.WORD | Kind.TEXT:
                return self._arrow.string()
            case Kind.DATE:
                return self._arrow.date32()
            case Kind.MOMENT:
                return self._arrow.timestamp("us", tz=heading.zone.key)
            case Kind.AMOUNT:
                return self._arrow.decimal128(_DIGITS, AMOUNT_DECIMALS)
            case Kind.COUNT:
                return self._arrow.int64()


class _Sink:
    """A file that is only written to, and emptied in between."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def take(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is held."""
