"""Lists of records of all kinds, wallet totals, and the journals of a record.

Guarantee: a page scans a bounded number of records, however rare the matches are. It then ends
early with a position to continue from.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.ledger import listing_store as store
from landbridge.ledger import sorted_listing_store as sorted_store
from landbridge.ledger.listing_store import (
    AssetTotal,
    JournalEntry,
    TransferFilter,
    TransferListRow,
)
from landbridge.ledger.sorted_listing_store import AmountOrder
from landbridge.platform.core.pagination import END, PagePosition, PageWindow
from landbridge.platform.db.pool import Database, Tx

__all__ = [
    "AmountOrder",
    "AssetTotal",
    "JournalEntry",
    "TransferFilter",
    "TransferListPage",
    "TransferListRow",
    "TransferListing",
    "TransferScope",
]

# Records that each statement scans in turn: few at first, because most searches find enough there.
SCAN_SIZES = (250, 750, 1_000)


@dataclass(frozen=True, slots=True)
class TransferListPage:
    """Page of records; `last` is the position to continue from, None at the end."""

    rows: Sequence[TransferListRow]
    last: PagePosition | None


@dataclass(frozen=True, slots=True)
class TransferScope:
    """Records of these kinds, of one user or (for None) of all, that match filters and a window."""

    kinds: Sequence[str]
    user_id: UUID | None
    filters: TransferFilter
    window: PageWindow

    def includes(self, row: TransferListRow) -> bool:
        """Return whether a row is in the scope; the metadata filter is not checked."""
        filters, before = self.filters, self.window.before
        bounds = None if filters.amounts is None else filters.amounts.get(row.source_asset, (1, 0))
        return (
            row.kind in self.kinds
            and self.user_id in {None, row.user_id}
            and self.window.since <= row.created_at
            and (before is None or row.created_at < before)
            and (filters.statuses is None or row.status in filters.statuses)
            and (
                filters.assets is None
                or row.source_asset in filters.assets
                or row.destination_asset in filters.assets
            )
            and (bounds is None or bounds[0] <= row.source_units <= bounds[1])
        )


class TransferListing:
    """Reads transfer records across kinds."""

    def __init__(self, database: Database, *, scan_sizes: Sequence[int] = SCAN_SIZES) -> None:
        self._database = database
        self._scan_sizes = scan_sizes

    async def page(
        self,
        org_id: UUID,
        kinds: Sequence[str],
        user_id: UUID | None,
        filters: TransferFilter,
        window: PageWindow,
    ) -> TransferListPage:
        """Return a page, newest first; `window.before` is a bound on creation times."""
        found: list[TransferListRow] = []
        position = window.position
        is_plain = filters == TransferFilter()
        for scan_limit in (window.limit,) if is_plain else self._scan_sizes:
            remaining = window.limit - len(found)
            scan = await self._database.read_on_replica(
                lambda tx, scan_limit=scan_limit, before=position, remaining=remaining: store.page(
                    tx,
                    org_id,
                    kinds,
                    user_id,
                    filters,
                    after=window.since,
                    before=before,
                    scan_limit=scan_limit,
                    limit=remaining,
                )
            )
            found += scan.lines
            if len(found) >= window.limit:
                return TransferListPage(found, PagePosition(found[-1].created_at, found[-1].id))
            if scan.count < scan_limit or scan.last is None:
                return TransferListPage(found, None)
            position = scan.last
        return TransferListPage(found, position)

    async def sorted_page(
        self,
        org_id: UUID,
        scope: TransferScope,
        *,
        order: AmountOrder | None,
        after: TransferListRow | None,
    ) -> TransferListPage:
        """Return the page after a record, or the first page, in the order of `order`.

        None orders oldest first. Metadata is not filtered.
        """
        found: list[TransferListRow] = []
        last = after
        for limit in (2 * scope.window.limit, *self._scan_sizes[:-1]):
            rows = await self._database.read_on_replica(
                lambda tx, last=last, limit=limit: _scan(
                    tx, org_id, scope, order, last=last, limit=limit
                )
            )
            found += [each for each in rows if scope.includes(each)]
            if len(found) > scope.window.limit:
                del found[scope.window.limit :]
                last = found[-1]
                break
            if len(rows) < limit:
                return TransferListPage(found, None)
            last = rows[-1]
        return TransferListPage(
            found, None if last is None else PagePosition(last.created_at, last.id)
        )

    async def unfinished(self, org_id: UUID, *, limit: int) -> Sequence[TransferListRow]:
        """Return records that have not ended; the one that is due last comes first."""
        return await self._database.read_on_replica(lambda tx: store.unfinished(tx, org_id, limit))

    async def unfinished_page(
        self, org_id: UUID, scope: TransferScope, *, limit: int
    ) -> TransferListPage | None:
        """Return the page of a scope from the records under way, newest first.

        None if there are too many. The scope must not list ended records. Metadata is not filtered.
        """
        rows = await self.unfinished(org_id, limit=limit)
        if len(rows) == limit:
            return None
        matching = sorted(
            (each for each in rows if scope.includes(each)),
            key=lambda each: (each.created_at, each.id),
            reverse=True,
        )
        found = matching[: scope.window.limit]
        if len(found) == len(matching):
            return TransferListPage(found, None)
        return TransferListPage(found, PagePosition(found[-1].created_at, found[-1].id))

    async def holdings(self, org_id: UUID) -> Sequence[AssetTotal]:
        """Return the total balance of an organisation's wallets, by asset."""
        return await self._database.read_on_replica(lambda tx: store.sums(tx, org_id))

    async def entries(self, org_id: UUID, transfer_id: UUID) -> Sequence[JournalEntry]:
        """Return all journal entries of a record, in order."""
        return await self._database.single(lambda tx: store.entries(tx, org_id, transfer_id))

    async def owed_units(
        self, org_id: UUID, asset: str, statuses: Sequence[tuple[str, str]]
    ) -> int:
        """Return the units of an asset that unfinished records at these (kind, status) deliver."""
        return await self._database.single(
            lambda tx: store.sum_destinations(tx, org_id, asset, statuses)
        )

    async def by_ids(self, org_id: UUID, ids: Collection[UUID]) -> Sequence[TransferListRow]:
        """Return the records with these ids, newest first."""
        return await self._database.single(lambda tx: store.by_ids(tx, org_id, ids))

    async def of_payment(self, org_id: UUID, payment_id: UUID) -> Sequence[TransferListRow]:
        """Return the records that belong to a payment, such as its disbursements."""
        return await self._database.single(lambda tx: store.of_payment(tx, org_id, payment_id))

    async def by_id(self, org_id: UUID, id_: UUID) -> Sequence[TransferListRow]:
        """Return the record with this id, and the record with this request id."""
        return await self._database.single(lambda tx: store.by_id(tx, org_id, id_))


async def _scan(
    tx: Tx,
    org_id: UUID,
    scope: TransferScope,
    order: AmountOrder | None,
    *,
    last: TransferListRow | None,
    limit: int,
) -> Sequence[TransferListRow]:
    if order is not None:
        return await sorted_store.by_amount(tx, org_id, order, last=last, limit=limit)
    return await sorted_store.oldest(
        tx,
        org_id,
        scope.kinds,
        scope.user_id,
        # No record has the nil id, so records at the earliest time itself are included.
        after=PagePosition(scope.window.since, UUID(int=0))
        if last is None
        else PagePosition(last.created_at, last.id),
        before=scope.window.before or END,
        limit=limit,
    )
