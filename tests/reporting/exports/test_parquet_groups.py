from datetime import UTC, date, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow.parquet

from landbridge.reporting.exports.model import Column, ColumnKind, ExportHeader
from landbridge.reporting.exports.parquet_groups import GROUP_ROWS, ParquetGroups
from tests.reporting.exports.downloads import parquet_table

HEADING = ExportHeader(
    tuple(Column(kind, kind) for kind in ColumnKind), ZoneInfo("America/Sao_Paulo"), "all-kinds"
)
AT = datetime(2026, 3, 29, 0, 59, 59, 1, tzinfo=UTC)
ROW: list[Any] = ["COMPLETED", "=1+1", date(2026, 3, 29), AT, "0.000001", 7]


def test_columns_have_their_types_and_values_are_exact() -> None:
    largest = "9" * 32 + "." + "9" * 6
    groups = ParquetGroups(HEADING)
    values = [[each, None] for each in ROW]
    values[4] = ["0.000001", "-" + largest]
    table = parquet_table(groups.add(values) + groups.end())
    assert [str(each) for each in table.schema.types] == [
        *("string", "string", "date32[day]", "timestamp[us, tz=America/Sao_Paulo]"),
        *("decimal128(38, 6)", "int64"),
    ]
    assert table.schema.metadata[b"timeZone"] == b"America/Sao_Paulo"
    first, second = table.to_pylist()
    assert list(first.values()) == [
        *("COMPLETED", "=1+1", date(2026, 3, 29), AT, Decimal("0.000001"), 7)
    ]
    assert second["amount"] == Decimal(f"-{largest}")


def test_groups_are_sent_while_the_file_is_written() -> None:
    groups = ParquetGroups(HEADING)
    half = [[each] * (GROUP_ROWS // 2) for each in ROW]
    results = [groups.add(half), groups.add(half), groups.add(half)]
    # At most the magic bytes of a Parquet file.
    assert len(results[0]) <= 4
    assert len(results[1]) > 100
    content = b"".join([*results, groups.end()])
    untyped: Any = pyarrow.parquet
    metadata = untyped.ParquetFile(BytesIO(content)).metadata
    assert (metadata.num_row_groups, metadata.num_rows) == (2, GROUP_ROWS * 3 // 2)


def test_long_texts_are_not_held_until_the_group_has_all_rows() -> None:
    groups = ParquetGroups(HEADING)
    values: list[list[Any]] = [[each] * 2_000 for each in ROW]
    values[1] = [f"{number:08000}" for number in range(2_000)]
    assert len(groups.add(values)) > 100


def test_a_file_without_rows_has_its_columns() -> None:
    groups = ParquetGroups(HEADING)
    table = parquet_table(groups.add([[] for _ in ColumnKind]) + groups.end())
    assert (table.num_rows, table.column_names) == (0, [str(kind) for kind in ColumnKind])
