"""Conversion of rows to structs or data classes, by column name."""

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

import msgspec

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.pool import Row, Tx

T = TypeVar("T")

# Matches the column list of an insert, and its list of values.
_INSERT = re.compile(r"\(([^()]*)\)\s*values\s*\(([^()]*)\)")
_PARAMETER = re.compile(r"\$([0-9]+)")
# A column that is set to a parameter, or compared with one.
_EQUAL = re.compile(r"(\w+) = \$([0-9]+)")
_UNNEST = re.compile(r"unnest\([^()]*\)\s*as \w+\s*\(([^()]*)\)")


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


def column_values(statement: str, source: object, /, **values: Any) -> list[Any]:
    """Return the arguments of an insert or update: the attributes of `source`, by its columns.

    `values` are those of columns that differ, or that `source` has not. Raises `InvariantBroken`
    for a value of no column, and for a parameter without one.
    """
    columns = _columns(statement)
    _check_values(values, columns)
    return [values[each] if each in values else getattr(source, each) for each in columns]


async def write_row(tx: Tx, statement: str, source: object, /, **values: Any) -> Any:
    """Run an insert or update with its `column_values`; return the first value that it returns.

    None without `returning`, and if nothing was written.
    """
    return await tx.fetchval(statement, *column_values(statement, source, **values))


def column_arrays(
    statement: str, rows: Sequence[object], /, **values: Sequence[Any]
) -> list[Sequence[Any]]:
    """Return the arguments of a statement's `unnest`: the attributes of `rows`, by its columns.

    `values` are the arrays of columns that differ. Raises `InvariantBroken` for those of no column.
    """
    columns = _array_columns(statement)
    _check_values(values, columns)
    return [
        values[name] if name in values else [getattr(each, name) for each in rows]
        for name in columns
    ]


def _check_values(values: Mapping[str, Any], columns: Collection[str]) -> None:
    if unknown := values.keys() - set(columns):
        raise InvariantBroken(f"no columns of the statement: {sorted(unknown)}")


@cache
def _columns(statement: str) -> Sequence[str]:
    """Return the column that takes each parameter first, in the order of the parameters."""
    by_number: dict[int, str] = {}
    if found := _INSERT.search(statement):
        columns, arguments = (part.split(",") for part in found.groups())
        for column, argument in zip(columns, arguments, strict=True):
            if parameter := _PARAMETER.match(argument.strip()):
                by_number.setdefault(int(parameter[1]), column.strip())
    for column, number in _EQUAL.findall(statement):
        by_number.setdefault(int(number), column)
    numbers = sorted({int(each) for each in _PARAMETER.findall(statement)})
    columns = [by_number.get(each, "") for each in numbers]
    if not columns or "" in columns or len({*columns}) < len(columns):
        raise InvariantBroken(f"no insert of values, or update, by column: {statement}")
    return columns


@cache
def _array_columns(statement: str) -> Sequence[str]:
    found = _UNNEST.search(statement)
    if found is None:
        raise InvariantBroken(f"no unnest with named columns: {statement}")
    return [each.strip() for each in found[1].split(",")]
