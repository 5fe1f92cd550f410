"""What webhooks of identity providers announce: each application is queried.

Guarantees:
- a webhook decides nothing: a case that waits is made due, and its step queries the provider;
- an application for which no case waits is queried here, so that what contradicts an earlier answer
  is found, and shown to a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.customers.verification import store
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar.identity import ProviderIdentity

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 50
# A provider that does not answer now is queried again after this time.
_RETRY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class ApplicationAnnouncements:
    """Applications that webhooks have announced."""

    database: Database
    identity: ProviderIdentity
    clock: Clock

    async def run_once(self, offsets: Mapping[UUID, timedelta]) -> bool:
        """Query what webhooks have announced; return whether there may be more."""
        until = self.clock.now()
        found = await self.identity.announced(list(offsets), until, limit=BATCH_SIZE)
        for each in found:
            next_at: datetime | None = None
            at = self.clock.now(offsets[each.org_id])
            reference = str(each.where)
            try:
                is_waiting = await self.database.single(
                    lambda tx, each=each, reference=reference, at=at: store.hurry_application(
                        tx, each.org_id, each.case_id, reference, at
                    )
                )
                if not is_waiting:
                    await self.identity.recheck(each)
            except (Unavailable, Unclear) as error:
                next_at = until + _RETRY
                _log.debug("provider.unanswered", order=str(each.key), reason=str(error))
            await self.identity.end_recheck(each, until=until, next_at=next_at)
        return len(found) == BATCH_SIZE
