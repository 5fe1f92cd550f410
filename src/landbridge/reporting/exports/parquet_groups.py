"""Rows as Parquet, in row groups, so that a file can be streamed while it is written.

A text is written as string, a time as timestamp in microseconds with its zone, an amount as
decimal128(38, 6) or with the decimals of its column, and a whole number as int64. The schema's
metadata contain the zone and the title.
"""

import importlib
from typing import Any

from landbridge.reporting.exports.model import Batch, Column, ColumnKind, ExportHeader

# Most rows per group. Large groups make a file fast to read, but one group is held in memory, so a
# group of long texts has fewer rows.
GROUP_ROWS = 20_000
GROUP_BYTES = 16_000_000
_DIGITS = 38


class ParquetGroups:
    """Writer of one file; blocks for some milliseconds per group."""

    def __init__(self, header: ExportHeader) -> None:
        # Imported only here: Arrow takes 0.1 s and many megabytes, and CSV does not need it.
        self._arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
        self._columns = header.columns
        self._types = [self._type(each, header) for each in header.columns]
        fields = [
            (column.name, kind) for column, kind in zip(header.columns, self._types, strict=True)
        ]
        metadata = {"timeZone": header.zone.key, "title": header.title}
        self._schema = self._arrow.schema(fields, metadata=metadata)
        self._sink = _Sink()
        self._writer = parquet.ParquetWriter(self._sink, self._schema, compression="zstd")
        self._waiting: list[Any] = []
        self._waiting_count = self._waiting_bytes = 0

    def add(self, batch: Batch) -> bytes:
        """Add rows, and return the bytes that are ready, which are often empty."""
        if batch and batch[0]:
            self._waiting.append(self._record_batch(batch))
            self._waiting_count += len(batch[0])
            self._waiting_bytes += self._waiting[-1].nbytes
        if self._waiting_count >= GROUP_ROWS or self._waiting_bytes >= GROUP_BYTES:
            self._write()
        return self._sink.take()

    def end(self) -> bytes:
        """Return the rest of the file."""
        if self._waiting:
            self._write()
        self._writer.close()
        return self._sink.take()

    def _write(self) -> None:
        table = self._arrow.Table.from_batches(self._waiting, self._schema)
        self._waiting, self._waiting_count, self._waiting_bytes = [], 0, 0
        self._writer.write_table(table, row_group_size=table.num_rows)

    def _record_batch(self, batch: Batch) -> Any:
        arrays = [
            self._array(column, kind, values)
            for column, kind, values in zip(self._columns, self._types, batch, strict=True)
        ]
        return self._arrow.record_batch(arrays, schema=self._schema)

    def _array(self, column: Column, kind: Any, values: Any) -> Any:
        if column.kind is ColumnKind.AMOUNT:
            # Amounts are converted from text, so that they never become floats.
            return self._arrow.array(values, self._arrow.string()).cast(kind)
        return self._arrow.array(values, kind)

    def _type(self, column: Column, header: ExportHeader) -> Any:
        match column.kind:
            case ColumnKind.WORD | ColumnKind.TEXT:
                return self._arrow.string()
            case ColumnKind.DATE:
                return self._arrow.date32()
            case ColumnKind.MOMENT:
                return self._arrow.timestamp("us", tz=header.zone.key)
            case ColumnKind.AMOUNT:
                return self._arrow.decimal128(_DIGITS, column.decimals)
            case ColumnKind.COUNT:
                return self._arrow.int64()


class _Sink:
    """Write-only file from which written bytes are taken out between writes."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: Any) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def take(self) -> bytes:
        content, self._parts = b"".join(self._parts), []
        return content

    def flush(self) -> None:
        """Do nothing: writes are not buffered."""

    def close(self) -> None:
        """Do nothing: no resource is held."""
