"""Payloads of endpoints, for the test event: as they were retrieved right after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.developers.events.model import Event
from landbridge.developers.events.service import PayloadBuilder
from landbridge.developers.webhooks.model import KIND
from landbridge.developers.webhooks.schemas import WebhookReply
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.platform.encryption.snapshots import open_snapshots


@dataclass(frozen=True, slots=True)
class EndpointPayloads:
    """Payloads of endpoints of all organisations."""

    database: Database
    vault: Vault

    def families(self) -> Mapping[str, PayloadBuilder]:
        """Return the payload function of each family."""
        return {KIND: self.endpoints}

    async def endpoints(
        self, org_id: UUID, events: Sequence[Event]
    ) -> Sequence[WebhookReply | None]:
        """Return the endpoints of these events; None without the organisation's data key."""
        del org_id
        changes = [each.change for each in events]
        found = await self.database.single(
            lambda tx: open_snapshots(tx, self.vault, changes, WebhookReply)
        )
        return [found.get((each.object_id, each.seq)) for each in changes]
