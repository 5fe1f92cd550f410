"""Rows as dataclasses or structs, by the names of their columns."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec

from landbridge.platform.db.pool import Row

T = TypeVar("T")


def read_row(row: Row, type_: type[T], **values: Any) -> T:
    """Return a row as this type; enumerations are read from their texts.

    `values` are members that are not as their columns, or have none. Takes a third of the time of
    naming each column.
    """
    return msgspec.convert({**cast("Mapping[str, Any]", row), **values}, type_)
