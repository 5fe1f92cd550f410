"""Endpoints that events were given up for: flagged, and their organisation's admin told."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

from landbridge.changes import service as changes
from landbridge.core.clock import Clock
from landbridge.db.pool import Database, Tx
from landbridge.mail.outbox import Letter, Outbox
from landbridge.privacy.service import Vault
from landbridge.webhooks import flag_store
from landbridge.webhooks.model import KIND, Endpoint

_ACTOR = "worker"
# One that is flagged again and again is told of once a day.
_TOLD_EVERY = timedelta(days=1)
# One at which some events get through and others don't keeps its flag meanwhile.
_QUIET = timedelta(hours=1)
# Of a reason, for the row and the mail.
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
class Flags:
    """Flags of all organisations; `admin` is the address that is told, None if nobody is."""

    database: Database
    vault: Vault
    clock: Clock
    outbox: Outbox
    admin: str | None
    base_url: str

    async def put_up(self, tx: Tx, endpoint: Endpoint, reason: str, at: datetime) -> int | None:
        """Flag an endpoint, once, and have its admin told, in the caller's transaction.

        `reason` is what the last attempt came to, in words of ours. Answers the endpoint's version,
        which counts a change; None if there is a flag already, or no endpoint.
        """
        reason = reason[:_REASON_LENGTH_MAX]
        version = await flag_store.put_up(tx, endpoint.org_id, endpoint.id, reason=reason, at=at)
        if version is None:
            await flag_store.note_given_up(tx, endpoint.org_id, endpoint.id, at=at)
            return None
        await self._tell(tx, endpoint, version, "flag", at)
        if self.admin is None or not self.outbox.can_send:
            return version
        if await flag_store.note_told(
            tx, endpoint.org_id, endpoint.id, at=at, last_until=at - _TOLD_EVERY
        ):
            await self._write(tx, endpoint, reason, self.admin)
        return version

    async def take_down(self, tx: Tx, endpoint: Endpoint, at: datetime) -> int | None:
        """Something got through again: the flag goes if nothing was given up for an hour.

        Answers the endpoint's version, which counts a change then; None if there is no flag, or
        it stays.
        """
        version = await flag_store.take_down(
            tx, endpoint.org_id, endpoint.id, at=at, last_until=at - _QUIET
        )
        if version is not None:
            await self._tell(tx, endpoint, version, "unflag", at)
        return version

    async def _tell(
        self, tx: Tx, endpoint: Endpoint, version: int, what: str, at: datetime
    ) -> None:
        await changes.tell(
            tx,
            org_id=endpoint.org_id,
            object_id=endpoint.id,
            seq=version,
            kind=KIND,
            what=what,
            actor=_ACTOR,
            at=at,
        )

    async def _write(self, tx: Tx, endpoint: Endpoint, reason: str, admin: str) -> None:
        # The path of an address may be a secret between the organisation and its receiver.
        text = _TEXT.format(
            endpoint_id=endpoint.id,
            host=urlsplit(endpoint.url).hostname,
            reason=reason,
            base_url=self.base_url,
        )
        owner_id: UUID = endpoint.org_id
        key = await self.vault.make(tx, endpoint.org_id, owner_id)
        letter = Letter(to=admin, subject=_SUBJECT, text=text)
        await self.outbox.put(tx, org_id=endpoint.org_id, owner_id=owner_id, key=key, letter=letter)
