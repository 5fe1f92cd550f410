"""Portraits of endpoints, for the test event: as they were retrieved right after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.db.pool import Database
from landbridge.events.model import Event
from landbridge.events.service import Portraits
from landbridge.privacy.pictures import develop
from landbridge.privacy.service import Vault
from landbridge.webhooks.model import KIND
from landbridge.webhooks.shapes import WebhookReply


@dataclass(frozen=True, slots=True)
class EndpointPortraits:
    """Portraits of endpoints of all organisations."""

    database: Database
    vault: Vault

    def families(self) -> Mapping[str, Portraits]:
        """Whose portraits these are."""
        return {KIND: self.endpoints}

    async def endpoints(
        self, org_id: UUID, events: Sequence[Event]
    ) -> Sequence[WebhookReply | None]:
        """The endpoints of these events; None once the organisation's data key is destroyed."""
        del org_id
        changes = [each.change for each in events]
        found = await self.database.single(
            lambda tx: develop(tx, self.vault, changes, WebhookReply)
        )
        return [found.get((each.object_id, each.seq)) for each in changes]
