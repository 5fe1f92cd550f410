"""Stores a difference for each movement that the ledger or the chain lacks, before a comparison.

Anybody can pay an organisation's address in thousands of transactions that the ledger never books,
and a long database transaction delays all events. So each page is stored in its own transaction.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.records import RecordedBlock
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation import store
from landbridge.reporting.reconciliation.findings import add_findings
from landbridge.reporting.reconciliation.model import assets_of, find_difference
from landbridge.reporting.reconciliation.unread import has_unread_adjustment

# Matches that one transaction stores, in about a tenth of a second.
PAGE_MATCHES = 500
_START = ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmatchedMovements:
    """Matches with unequal sides of one run, which has read the chain to `block`.

    `patience` is how long one side may be early.
    """

    org_id: UUID
    chain: Chain
    block: RecordedBlock
    patience: timedelta
    now: datetime

    async def store(self, database: Database) -> None:
        """Store a difference for each match, unless another worker has read further.

        Matches that are unequal at the first comparison are covered only by the balance.
        """
        after: tuple[str, str] | None = _START
        while after is not None:
            after = await database.transact(lambda tx, after=after: self._store_page(tx, after))

    async def _store_page(self, tx: Tx, after: tuple[str, str]) -> tuple[str, str] | None:
        """Store a page; return where the next one begins, None after the last one."""
        org_id, chain = self.org_id, self.chain
        source = await store.lock_source(tx, org_id, chain)
        if source is None or source.block_number != self.block.number:
            return None
        if source.last_good_at is None:
            return None
        if await has_unread_adjustment(tx, org_id, chain, [each.code for each in assets_of(chain)]):
            return None
        matches = await store.open_matches(tx, org_id, chain, after=after, limit=PAGE_MATCHES)
        found = [find_difference(each, self.patience, self.now) for each in matches]
        await add_findings(tx, org_id, chain, [each for each in found if each], self.now)
        if len(matches) < PAGE_MATCHES:
            return None
        return matches[-1].reference, matches[-1].asset
