"""Rows as structs or data classes, by the names of their columns."""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

import msgspec

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Row

T = TypeVar("T")

# The columns of an insert, and its values.
_INSERT = re.compile(r"\(([^()]*)\)\s*values\s*\(([^()]*)\)")
_PARAMETER = re.compile(r"\$([0-9]+)")


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


def column_values(insert: str, source: object, /, **values: Any) -> list[Any]:
    """Return the arguments of an insert: the attributes of `source` that its columns are named as.

    `values` are those of columns that differ, or that `source` has not. Raises `InvariantBroken`
    for a value of no column.
    """
    columns = _columns(insert)
    if unknown := values.keys() - set(columns):
        raise InvariantBroken(f"no columns of the insert: {sorted(unknown)}")
    return [values[each] if each in values else getattr(source, each) for each in columns]


@cache
def _columns(insert: str) -> Sequence[str]:
    """Return the column that takes each parameter first, in the order of the parameters."""
    found = _INSERT.search(insert)
    if found is None:
        raise InvariantBroken(f"no insert of values: {insert}")
    columns, arguments = (part.split(",") for part in found.groups())
    by_number: dict[int, str] = {}
    for column, argument in zip(columns, arguments, strict=True):
        if parameter := _PARAMETER.match(argument.strip()):
            by_number.setdefault(int(parameter[1]), column.strip())
    return [by_number[number] for number in range(1, len(by_number) + 1)]
