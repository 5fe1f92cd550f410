"""Positions worth showing: assets that were never used would fill the page."""

from collections.abc import Iterable
from typing import TypeVar

from landbridge.reporting.reconciliation.close_schemas import ClosePositionReply
from landbridge.reporting.reconciliation.schemas import PositionReply

P = TypeVar("P", PositionReply, ClosePositionReply)


def used_positions(positions: Iterable[P]) -> list[P]:
    """Return the positions with an amount on either side."""
    return [each for each in positions if {each.ledger_amount, each.outside_amount} != {"0"}]
