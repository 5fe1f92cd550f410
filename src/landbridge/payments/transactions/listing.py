"""List of transfers of all kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from uuid import UUID

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.ledger.listing import (
    TransferFilter,
    TransferListing,
    TransferListPage,
    TransferListRow,
)
from landbridge.payments.transactions.model import ALL_ASSETS, KINDS, TransactionFilters
from landbridge.payments.transactions.parties import PartyDirectory, TransactionParties
from landbridge.platform.core.money import UNITS_DIGITS_MAX
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database
from landbridge.platform.metadata import service as metadata_service

_UNITS_MAX = 10**UNITS_DIGITS_MAX


@dataclass(frozen=True, slots=True)
class TransactionPage:
    """Transfers, newest first, their users and metadata, and the next cursor."""

    lines: Sequence[TransferListRow]
    metadata: Mapping[UUID, dict[str, str]]
    users: Mapping[UUID, UserCard]
    next_cursor: datetime | None
    parties: TransactionParties | None = None


@dataclass(frozen=True, slots=True)
class Transactions:
    """Transfers of all kinds and organisations."""

    database: Database
    listing: TransferListing
    users: Users
    directory: PartyDirectory

    async def page(
        self,
        org_id: UUID,
        filters: TransactionFilters,
        window: PageWindow,
        *,
        with_parties: bool = False,
    ) -> TransactionPage:
        """List a page, newest first; a page that ends early, or is empty, may have a cursor."""
        kinds = [kind for kind in KINDS if filters.kinds is None or kind in filters.kinds]
        found = await self._find(org_id, kinds, filters, window)
        return await self._page(org_id, found, with_parties=with_parties)

    async def by_ids(self, org_id: UUID, ids: Sequence[UUID]) -> TransactionPage:
        """Return these transfers with their parties, newest first; unknown ids are left out."""
        lines = await self.listing.by_ids(org_id, ids)
        found = TransferListPage([each for each in lines if each.kind in KINDS], None)
        return await self._page(org_id, found, with_parties=True)

    async def _page(
        self, org_id: UUID, found: TransferListPage, *, with_parties: bool
    ) -> TransactionPage:
        """Add users, metadata and, with `with_parties`, parties."""
        ids = [each.id for each in found.lines]
        cards = await self.users.cards(org_id, list({each.user_id for each in found.lines}))
        metadata = await self.database.single(lambda tx: metadata_service.of(tx, org_id, ids))
        return TransactionPage(
            found.lines,
            metadata,
            cards,
            None if found.last is None else found.last.created_at,
            await self.directory.of(org_id, ids) if with_parties and ids else None,
        )

    async def _find(
        self,
        org_id: UUID,
        kinds: Sequence[str],
        filters: TransactionFilters,
        window: PageWindow,
    ) -> TransferListPage:
        if filters.ids is None:
            return await self.listing.page(
                org_id, kinds, filters.user_id, listing_filter(filters), window
            )
        lines = await self.listing.by_ids(org_id, filters.ids)
        return TransferListPage([each for each in lines if each.kind in kinds], None)


def listing_filter(filters: TransactionFilters) -> TransferFilter:
    """Return the filter of the ledger's list."""
    return TransferFilter(
        statuses=None if filters.statuses is None else sorted(filters.statuses),
        assets=None
        if filters.currency is None
        else [code for code, each in ALL_ASSETS.items() if each.currency == filters.currency],
        amounts=_amounts(filters.minimum, filters.maximum),
        metadata=filters.metadata,
    )


def _amounts(
    minimum: Decimal | None, maximum: Decimal | None
) -> Mapping[str, tuple[int, int]] | None:
    """Convert these bounds to units of each asset."""
    if minimum is None and maximum is None:
        return None
    return {
        code: (
            0 if minimum is None else _units(minimum, each.decimals, ROUND_CEILING),
            _UNITS_MAX if maximum is None else _units(maximum, each.decimals, ROUND_FLOOR),
        )
        for code, each in ALL_ASSETS.items()
    }


def _units(amount: Decimal, decimals: int, rounding: str) -> int:
    scaled = amount.scaleb(decimals).to_integral_value(rounding)
    return min(int(scaled), _UNITS_MAX)
