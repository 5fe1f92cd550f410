"""Rows as structs: the columns of a statement are the fields of the struct."""

from typing import Any, TypeVar

import msgspec

from landbridge.platform.db.pool import Row

T = TypeVar("T")


def read_row(row: Row, kind: type[T], /, **values: Any) -> T:
    """Read a row as a struct or data class whose fields have the names of its columns.

    `values` replace columns, and add fields without a column. Units are `numeric`, which is read as
    `Decimal`: pass them as integers. A column that is no field is ignored; a field without a column
    keeps its default, and raises without one.
    """
    fields = dict(row.items())
    fields.update(values)
    return msgspec.convert(fields, kind)


def read_optional_row(row: Row | None, kind: type[T]) -> T | None:
    """Read a row as `read_row` does; None without a row."""
    return None if row is None else read_row(row, kind)
