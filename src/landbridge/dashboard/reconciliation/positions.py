"""Positions worth showing: assets that were never used would fill the page."""

from collections.abc import Iterable, Mapping
from typing import Any


def used_positions(positions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the positions with an amount on either side."""
    return [each for each in positions if {each["ledgerAmount"], each["outsideAmount"]} != {"0"}]
