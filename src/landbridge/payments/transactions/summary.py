"""Counts and sums a bounded number of transfers by status.

Guarantee: a summary reads at most `NEWEST_MAX` transfers and `UNFINISHED_MAX` that are under way,
and has a flag for each that is False if not all were read.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from landbridge.ledger.listing import TransferListing, TransferListRow, TransferScope
from landbridge.payments.transactions.listing import listing_filter
from landbridge.payments.transactions.model import KINDS, UNFINISHED_MAX, TransactionFilters
from landbridge.platform.core.pagination import PageWindow

NEWEST_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class StatusTotal:
    """Number of transfers at a status that send an asset, and the sum in smallest units."""

    status: str
    asset: str
    count: int
    units: int


@dataclass(frozen=True, slots=True)
class TransactionSummary:
    """Totals by status and asset; `is_open_complete` if all transfers under way are counted."""

    totals: Sequence[StatusTotal]
    is_complete: bool
    is_open_complete: bool


@dataclass(frozen=True, slots=True)
class TransactionSummaries:
    """Summaries of the list of transfers, by its filters except for the statuses."""

    listing: TransferListing

    async def of(
        self, org_id: UUID, filters: TransactionFilters, window: PageWindow
    ) -> TransactionSummary:
        """Count the newest transfers within the window, and all that are under way."""
        kinds = [kind for kind in KINDS if filters.kinds is None or kind in filters.kinds]
        wanted = replace(listing_filter(filters), statuses=None)
        newest = await self.listing.page(
            org_id, kinds, filters.user_id, wanted, replace(window, limit=NEWEST_MAX)
        )
        found = {each.id: each for each in newest.rows}
        is_open_complete = newest.last is None
        if not is_open_complete and filters.metadata is None:
            under_way = await self.listing.unfinished(org_id, limit=UNFINISHED_MAX)
            is_open_complete = len(under_way) < UNFINISHED_MAX
            scope = TransferScope(kinds, filters.user_id, wanted, window)
            found |= {each.id: each for each in under_way if scope.includes(each)}
        return TransactionSummary(
            _totals(list(found.values())), newest.last is None, is_open_complete
        )


def _totals(lines: Sequence[TransferListRow]) -> Sequence[StatusTotal]:
    counts: defaultdict[tuple[str, str], int] = defaultdict(int)
    units: defaultdict[tuple[str, str], int] = defaultdict(int)
    for each in lines:
        counts[each.status, each.source_asset] += 1
        units[each.status, each.source_asset] += each.source_units
    return [
        StatusTotal(status, asset, count, units[status, asset])
        for (status, asset), count in sorted(counts.items())
    ]
