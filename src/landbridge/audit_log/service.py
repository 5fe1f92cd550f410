"""The verb of the audit log: read who did what.

Guarantees:
- it writes nothing, and nothing that it reads was ever changed: no statement of the code updates or
  deletes in `changes`, but for pictures, which it does not read;
- it answers after at most `looked_at_max` changes, however many there are; a page may then end
  early, with a place to go on.
"""

from uuid import UUID

from landbridge.audit_log import store
from landbridge.audit_log.model import Filters, Page
from landbridge.core.pages import Window
from landbridge.db.pool import Database

# Of the newest changes, for one page of a search.
LOOKED_AT_MAX = 10_000


class AuditLog:
    """Who did what in each organisation."""

    def __init__(self, database: Database, *, looked_at_max: int = LOOKED_AT_MAX) -> None:
        self._database = database
        self._looked_at_max = looked_at_max

    async def page(self, org_id: UUID, filters: Filters, window: Window) -> Page:
        """Entries, newest first; changes of one moment are never parted, so it may be some more."""
        most = self._looked_at_max
        entries = await self._database.single(
            lambda tx: store.page(tx, org_id, filters, window, looked_at_max=most)
        )
        if len(entries) >= window.limit:
            return Page(entries, entries[-1].at)
        end = await self._database.single(
            lambda tx: store.end(tx, org_id, filters, window, looked_at_max=most)
        )
        return Page(entries, end)
