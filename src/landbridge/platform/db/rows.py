"""Rows as structs or data classes, by the names of their columns."""

from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from landbridge.platform.db.pool import Row

T = TypeVar("T")


def read_row(row: Row, kind: type[T], /, **values: Any) -> T:
    """Read a row as a struct or data class that has fields with the names of its columns.

    Texts become the enumerations that the fields have, and `numeric` without decimal places becomes
    an int: asyncpg reads units as `Decimal`. `values` replace columns, and add fields without a
    column. A column that is no field is ignored; a field without a column keeps its default, and
    raises without one.
    """
    columns = dict(row.items())
    columns.update(values)
    for name, value in columns.items():
        if type(value) is Decimal:
            exponent = value.as_tuple().exponent
            if isinstance(exponent, int) and exponent >= 0:  # 10000 arrives as 1E+4
                columns[name] = int(value)
    return msgspec.convert(columns, kind)


def read_optional_row(row: Row | None, kind: type[T]) -> T | None:
    """Read a row as `read_row` does; None without a row."""
    return None if row is None else read_row(row, kind)
