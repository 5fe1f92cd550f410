"""Fields of structs and data classes."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

T = TypeVar("T")


def copy_fields(source: object, kind: Callable[..., T], /, **values: Any) -> T:
    """Build a struct or data class from the attributes of `source` that its fields are named after.

    `values` are the fields that differ, or that `source` has not.
    """
    return kind(**named_fields(source, kind, values), **values)


def named_fields(source: object, kind: Any, without: Collection[str]) -> dict[str, Any]:
    """Return the attributes of `source` that are named as the fields of `kind`, but for some."""
    names = getattr(kind, "__struct_fields__", None) or kind.__dataclass_fields__
    return {name: getattr(source, name) for name in names if name not in without}
