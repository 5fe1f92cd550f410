"""Records of all kinds in one list, what all wallets hold together, and a record's journals.

Guarantees: a page looks at a bounded number of records, however rare what is wanted is; it then
ends early, and says where to go on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.core.pages import Position, Window
from landbridge.db.pool import Database
from landbridge.ledger import listing_store as store
from landbridge.ledger.listing_store import Entry, Line, Sieve, Sum

__all__ = ["Entry", "Line", "LinePage", "Listing", "Sieve", "Sum"]

# Looked at by one statement: few at first, as most searches find enough there.
LOOKS = (250, 750, 1_000)


@dataclass(frozen=True, slots=True)
class LinePage:
    """Records, newest first; `last` is where to go on, None at the end of the list."""

    lines: Sequence[Line]
    last: Position | None


class Listing:
    """Reads the books across kinds."""

    def __init__(self, database: Database, *, looks: Sequence[int] = LOOKS) -> None:
        self._database = database
        self._looks = looks

    async def page(
        self,
        org_id: UUID,
        kinds: Sequence[str],
        user_id: UUID | None,
        sieve: Sieve,
        window: Window,
    ) -> LinePage:
        """A page, newest first, behind `window.before`, which is a bound on creation times."""
        found: list[Line] = []
        position = window.position
        is_plain = sieve == Sieve()
        for look in (window.limit,) if is_plain else self._looks:
            left = window.limit - len(found)
            looked = await self._database.single(
                lambda tx, look=look, before=position, left=left: store.page(
                    tx,
                    org_id,
                    kinds,
                    user_id,
                    sieve,
                    after=window.since,
                    before=before,
                    look=look,
                    limit=left,
                )
            )
            found += looked.lines
            if len(found) >= window.limit:
                return LinePage(found, Position(found[-1].created_at, found[-1].id))
            if looked.count < look or looked.last is None:
                return LinePage(found, None)
            position = looked.last
        return LinePage(found, position)

    async def holdings(self, org_id: UUID) -> Sequence[Sum]:
        """What the wallets of an organisation hold together, by asset."""
        return await self._database.single(lambda tx: store.sums(tx, org_id))

    async def entries(self, org_id: UUID, transfer_id: UUID) -> Sequence[Entry]:
        """All journals of a record, in their order."""
        return await self._database.single(lambda tx: store.entries(tx, org_id, transfer_id))

    async def by_hash(self, org_id: UUID, text: str, *, limit: int) -> Sequence[Line]:
        """Records of which something was sent, or came, in this transaction of a chain."""
        return await self._database.single(lambda tx: store.by_hash(tx, org_id, text, limit))

    async def of_payment(self, org_id: UUID, payment_id: UUID) -> Sequence[Line]:
        """Return the records that belong to a payment, such as its disbursements."""
        return await self._database.single(lambda tx: store.of_payment(tx, org_id, payment_id))

    async def by_id(self, org_id: UUID, wanted: UUID) -> Sequence[Line]:
        """The record of this id, and the one that this request id made."""
        return await self._database.single(lambda tx: store.by_id(tx, org_id, wanted))
