"""Members of dataclasses, to build one that has the members of another."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def members(
    of: "DataclassInstance", base: "type[DataclassInstance] | None" = None
) -> dict[str, Any]:
    """Return the members by name: all of them, or those of a base class."""
    return {each.name: getattr(of, each.name) for each in fields(base or of)}
