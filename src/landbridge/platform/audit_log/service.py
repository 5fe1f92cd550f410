"""Reader of the audit log.

Guarantees:
- It writes nothing, and nothing that it reads was ever changed: no statement updates or deletes in
  `changes`, except for snapshots, which it does not read.
- It returns after at most `scan_max` changes, however many there are; a page may then end
  early, with a cursor.
"""

from uuid import UUID

from landbridge.platform.audit_log import store
from landbridge.platform.audit_log.model import AuditLogFilters, AuditLogPage
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database

# Newest changes scanned for one page of a search.
SCAN_MAX = 10_000


class AuditLog:
    """Audit log of each organisation."""

    def __init__(self, database: Database, *, scan_max: int = SCAN_MAX) -> None:
        self._database = database
        self._scan_max = scan_max

    async def page(
        self, org_id: UUID, filters: AuditLogFilters, window: PageWindow
    ) -> AuditLogPage:
        """Return a page of entries, newest first.

        A page exceeds its limit if several changes have the time of its last entry.
        """
        scan_max = self._scan_max
        entries = await self._database.single(
            lambda tx: store.page(tx, org_id, filters, window, scan_max=scan_max)
        )
        if len(entries) >= window.limit:
            return AuditLogPage(entries, entries[-1].occurred_at)
        end = await self._database.single(
            lambda tx: store.end(tx, org_id, filters, window, scan_max=scan_max)
        )
        return AuditLogPage(entries, end)
