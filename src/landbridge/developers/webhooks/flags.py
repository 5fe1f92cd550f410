"""Flags of endpoints with exhausted deliveries, and notifications of the organisation's admin."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

from landbridge.developers.webhooks import store
from landbridge.developers.webhooks.model import KIND, Endpoint
from landbridge.platform.changes import service as changes
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent

_ACTOR = "worker"
# An endpoint that is flagged repeatedly causes one notification a day.
_NOTIFY_EVERY = timedelta(days=1)
# An endpoint that still fails some events keeps its flag for this long.
_QUIET = timedelta(hours=1)
# Maximum length of a reason, for the row and the email.
_REASON_LENGTH_MAX = 200
_SUBJECT = "Webhook events could not be delivered"
_TEXT = """Hello,

for 24 hours, events could not be delivered to a webhook endpoint, and the first were given up:

Endpoint: {endpoint_id}
Host: {host}
Last attempt: {reason}

Later events are still sent to it. Once it answers with 2xx again, have what was given up sent
again (POST {base_url}/v2/webhooks/{endpoint_id}/resend), or pause the endpoint if nobody needs it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointFlags:
    """Flags of all organisations; `admin` is the notified address, None for no notifications."""

    database: Database
    vault: Vault
    clock: Clock
    outbox: Outbox
    admin: str | None
    base_url: str

    async def set_flag(self, tx: Tx, endpoint: Endpoint, reason: str, at: datetime) -> int | None:
        """Flag an endpoint once and notify its admin, in the caller's transaction.

        `reason` describes the last attempt in our words. Returns the endpoint's version, which
        counts a change; None if it is already flagged, or does not exist.
        """
        reason = reason[:_REASON_LENGTH_MAX]
        version = await store.set_flag(tx, endpoint.org_id, endpoint.id, reason=reason, at=at)
        if version is None:
            await store.record_exhausted(tx, endpoint.org_id, endpoint.id, at=at)
            return None
        await self._notify_admin(tx, endpoint, version, "flag", at)
        if self.admin is None or not self.outbox.can_send:
            return version
        if await store.record_notification(
            tx, endpoint.org_id, endpoint.id, at=at, last_until=at - _NOTIFY_EVERY
        ):
            await self._write(tx, endpoint, reason, self.admin)
        return version

    async def clear_flag(self, tx: Tx, endpoint: Endpoint, at: datetime) -> int | None:
        """Clear the flag after a success if no delivery was exhausted for an hour.

        Returns the endpoint's new version; None if there is no flag, or it stays.
        """
        version = await store.clear_flag(
            tx, endpoint.org_id, endpoint.id, at=at, last_until=at - _QUIET
        )
        if version is not None:
            await self._notify_admin(tx, endpoint, version, "unflag", at)
        return version

    async def _notify_admin(
        self, tx: Tx, endpoint: Endpoint, version: int, change_type: str, at: datetime
    ) -> None:
        await changes.append_change(
            tx,
            org_id=endpoint.org_id,
            object_id=endpoint.id,
            seq=version,
            kind=KIND,
            change_type=change_type,
            actor=_ACTOR,
            at=at,
        )

    async def _write(self, tx: Tx, endpoint: Endpoint, reason: str, admin: str) -> None:
        # The path of a URL may be a secret between the organisation and its receiver.
        text = _TEXT.format(
            endpoint_id=endpoint.id,
            host=urlsplit(endpoint.url).hostname,
            reason=reason,
            base_url=self.base_url,
        )
        owner_id: UUID = endpoint.org_id
        key = await self.vault.make(tx, endpoint.org_id, owner_id)
        email = SealedEmailContent(to=admin, subject=_SUBJECT, text=text)
        await self.outbox.put(tx, org_id=endpoint.org_id, owner_id=owner_id, key=key, email=email)
