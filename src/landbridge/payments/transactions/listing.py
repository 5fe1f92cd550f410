"""List of transfers of all kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from uuid import UUID

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.ledger.listing import (
    AmountOrder,
    TransferFilter,
    TransferListing,
    TransferListPage,
    TransferListRow,
    TransferScope,
)
from landbridge.payments.transactions.model import (
    ALL_ASSETS,
    CURRENCIES,
    KINDS,
    UNFINISHED_MAX,
    UNFINISHED_STATUSES,
    TransactionFilters,
    TransactionSort,
)
from landbridge.payments.transactions.parties import PartyDirectory, TransactionParties
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.core.money import RATE_DECIMALS, UNITS_DIGITS_MAX, Asset
from landbridge.platform.core.pagination import PagePosition, PageWindow
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.platform.metadata import service as metadata_service
from landbridge.providers.rates.valuation import UsdRates, Valuation

_UNITS_MAX = 10**UNITS_DIGITS_MAX


@dataclass(frozen=True, slots=True)
class TransactionPage:
    """Page of transfers, with their users and metadata, and the position of the next page."""

    lines: Sequence[TransferListRow]
    metadata: Mapping[UUID, dict[str, str]]
    users: Mapping[UUID, UserCard]
    last: PagePosition | None
    parties: TransactionParties | None = None


@dataclass(frozen=True, slots=True)
class Transactions:
    """Lists transfers of all kinds and organisations."""

    database: Database
    listing: TransferListing
    users: Users
    directory: PartyDirectory
    valuation: Valuation
    clock: Clock

    async def page(
        self,
        org_id: UUID,
        filters: TransactionFilters,
        window: PageWindow,
        *,
        with_parties: bool = False,
    ) -> TransactionPage:
        """List a page, newest first; even a short or empty page may have a next one."""
        found = await self._find(org_id, _kinds(filters), filters, window)
        return await self._page(org_id, found, with_parties=with_parties)

    async def sorted_page(
        self,
        caller: Caller,
        filters: TransactionFilters,
        window: PageWindow,
        *,
        sort: TransactionSort,
        cursor: str | None,
        with_parties: bool = False,
    ) -> TransactionPage:
        """List a page in another order than newest first.

        `cursor` is the id of the transfer after which the page begins; None for the first page.
        Amounts are compared at today's rates; an amount without a rate is the smallest. Raises
        `FieldInvalid` for a filter of metadata, and for a transfer that is not in the list.
        """
        if filters.metadata is not None or filters.ids is not None:
            name = "metadata" if filters.ids is None else "id"
            raise FieldInvalid(f"sort can't be combined with {name}", field="sort")
        wanted = listing_filter(filters)
        order = None
        if sort is not TransactionSort.OLDEST:
            order = AmountOrder(
                weights=await self._weights(caller),
                is_largest_first=sort is TransactionSort.LARGEST,
                amounts=wanted.amounts,
            )
        org_id = caller.org_id
        found = await self.listing.sorted_page(
            org_id,
            TransferScope(_kinds(filters), filters.user_id, wanted, window),
            order=order,
            after=None if cursor is None else await self._row(org_id, cursor),
        )
        return await self._page(org_id, found, with_parties=with_parties)

    async def _weights(self, caller: Caller) -> Mapping[str, int]:
        """Return today's value of a smallest unit of each asset, in 10**-36 dollars."""
        today = self.clock.now(caller.clock_offset).date()
        rates = await self.valuation.rates(CURRENCIES, today)
        return {code: _weight(each, rates) for code, each in ALL_ASSETS.items()}

    async def _row(self, org_id: UUID, cursor: str) -> TransferListRow:
        id_ = as_uuid(cursor)
        found = () if id_ is None else await self.listing.by_ids(org_id, [id_])
        if found and found[0].source_asset in ALL_ASSETS:
            return found[0]
        raise FieldInvalid("cursor is no nextCursor of a list with this sort", field="cursor")

    async def by_ids(self, org_id: UUID, ids: Sequence[UUID]) -> TransactionPage:
        """Return these transfers with their parties, newest first; unknown ids are left out."""
        lines = await self.listing.by_ids(org_id, ids)
        found = TransferListPage([each for each in lines if each.kind in KINDS], None)
        return await self._page(org_id, found, with_parties=True)

    async def _page(
        self, org_id: UUID, found: TransferListPage, *, with_parties: bool
    ) -> TransactionPage:
        """Add users, metadata and, with `with_parties`, parties."""
        ids = [each.id for each in found.rows]
        cards = await self.users.cards(org_id, list({each.user_id for each in found.rows}))
        metadata = await self.database.single(
            lambda tx: metadata_service.find_by_objects(tx, org_id, ids)
        )
        return TransactionPage(
            found.rows,
            metadata,
            cards,
            found.last,
            await self.directory.of(org_id, ids) if with_parties and ids else None,
        )

    async def _find(
        self,
        org_id: UUID,
        kinds: Sequence[str],
        filters: TransactionFilters,
        window: PageWindow,
    ) -> TransferListPage:
        if filters.ids is not None:
            lines = await self.listing.by_ids(org_id, filters.ids)
            return TransferListPage([each for each in lines if each.kind in kinds], None)
        wanted = listing_filter(filters)
        # Transfers under way are few, and a separate read finds them without reading all others.
        if (
            filters.statuses is not None
            and filters.metadata is None
            and UNFINISHED_STATUSES.issuperset(filters.statuses)
        ):
            scope = TransferScope(kinds, filters.user_id, wanted, window)
            found = await self.listing.unfinished_page(org_id, scope, limit=UNFINISHED_MAX)
            if found is not None:
                return found
        return await self.listing.page(org_id, kinds, filters.user_id, wanted, window)


def _kinds(filters: TransactionFilters) -> Sequence[str]:
    return [kind for kind in KINDS if filters.kinds is None or kind in filters.kinds]


def _weight(asset: Asset, rates: UsdRates) -> int:
    """Return the value of a smallest unit in 10**-36 dollars; 1 without a rate."""
    rate = rates.per_unit(asset.currency)
    return 1 if rate is None else int(rate.scaleb(2 * RATE_DECIMALS - asset.decimals))


def listing_filter(filters: TransactionFilters) -> TransferFilter:
    """Convert the filters to the filter of the ledger's list."""
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
    """Convert the bounds of an amount to smallest units of each asset; None without bounds."""
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
