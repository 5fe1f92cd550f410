"""Rows as the types that stores return."""

from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from landbridge.platform.db.pool import Row

T = TypeVar("T")


def convert_row(row: Row, to: type[T], **others: Any) -> T:
    """Return a row as a dataclass or struct: its fields are the columns of the same names.

    Texts become the enumerations that the fields have, and `numeric` without decimal places becomes
    an int. `others` are the fields that have no such column.
    """
    values: dict[str, Any] = {**row}
    for name, value in values.items():
        if type(value) is Decimal:
            exponent = value.as_tuple().exponent
            if isinstance(exponent, int) and exponent >= 0:  # 10000 arrives as 1E+4
                values[name] = int(value)
    return msgspec.convert(values | others, to)
