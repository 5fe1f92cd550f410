"""Fields of structs and data classes."""

from collections.abc import Callable, Collection
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def copy_fields(source: object, kind: Callable[..., T], /, **values: Any) -> T:
    """Build a struct or data class from the attributes of `source` that match its fields by name.

    `values` are the fields that differ from `source`, or that `source` does not have.
    """
    return kind(**named_fields(source, kind, values), **values)


def named_fields(source: object, kind: Any, without: Collection[str]) -> dict[str, Any]:
    """Return the attributes of `source` that match fields of `kind` by name, except `without`."""
    names = getattr(kind, "__struct_fields__", None) or kind.__dataclass_fields__
    return {name: getattr(source, name) for name in names if name not in without}


def field_values(
    of: "DataclassInstance", base: "type[DataclassInstance] | None" = None
) -> dict[str, Any]:
    """Return the fields of a data class by name: all, or only those declared by a base class."""
    return {each.name: getattr(of, each.name) for each in fields(base or of)}
