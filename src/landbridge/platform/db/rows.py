"""Conversion of rows to structs or data classes, by column name."""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

import msgspec

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Row

T = TypeVar("T")

# Matches the column list of an insert, and its list of values.
_INSERT = re.compile(r"\(([^()]*)\)\s*values\s*\(([^()]*)\)")
_PARAMETER = re.compile(r"\$([0-9]+)")


def read_row(row: Row, kind: type[T], /, **values: Any) -> T:
    """Convert a row to a struct or data class with fields named like its columns.

    Texts become the enumerations of their fields. `numeric` without decimal places becomes an int,
    because asyncpg reads units as `Decimal`. `values` replace columns, and add fields that have no
    column. A column without a field is ignored. A field without a column keeps its default, and
    raises if it has none.
    """
    columns = dict(row.items())
    columns.update(values)
    for name, value in columns.items():
        if type(value) is Decimal:
            exponent = value.as_tuple().exponent
            if isinstance(exponent, int) and exponent >= 0:  # asyncpg reads 10000 as 1E+4
                columns[name] = int(value)
    return msgspec.convert(columns, kind)


def read_optional_row(row: Row | None, kind: type[T]) -> T | None:
    """Convert a row as `read_row` does; None if `row` is None."""
    return None if row is None else read_row(row, kind)


def column_values(insert: str, source: object, /, **values: Any) -> list[Any]:
    """Return the arguments of an insert: the attributes of `source` named like its columns.

    `values` are columns that differ from `source`, or that it does not have. Raises
    `InvariantBroken` for a value that matches no column.
    """
    columns = _columns(insert)
    if unknown := values.keys() - set(columns):
        raise InvariantBroken(f"no columns of the insert: {sorted(unknown)}")
    return [values[each] if each in values else getattr(source, each) for each in columns]


@cache
def _columns(insert: str) -> Sequence[str]:
    """Return the names of an insert's columns in the order of its parameters ($1, $2, ...)."""
    found = _INSERT.search(insert)
    if found is None:
        raise InvariantBroken(f"no insert of values: {insert}")
    columns, arguments = (part.split(",") for part in found.groups())
    by_number: dict[int, str] = {}
    for column, argument in zip(columns, arguments, strict=True):
        if parameter := _PARAMETER.match(argument.strip()):
            by_number.setdefault(int(parameter[1]), column.strip())
    return [by_number[number] for number in range(1, len(by_number) + 1)]
