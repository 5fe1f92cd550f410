"""Outbox: e-mails are queued in the transaction they belong to, and sent by the worker.

Guarantees:
- An e-mail is queued if and only if its transaction committed. It is removed only when it was
  accepted by a server, was refused for good, or could not be delivered for a day. A crash at any
  time loses none, and may send one twice, under the same id.
- Recipient and text are sealed under the data key of the person concerned; after an erasure the
  e-mail is not sent any more.
- A sandbox sends nothing: the e-mail moves to the mailbox in one transaction, still sealed.
- Due times are in real time, not in an organisation's time, because mail servers and people are.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Rejected, Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.mail import mailbox, outbox_store
from landbridge.platform.mail.mailbox_store import SealedCapturedEmail
from landbridge.platform.mail.outbox_store import SealedOutboundEmail
from landbridge.platform.mail.port import MailTransport, OutboundEmail
from landbridge.platform.mail.sealed_email import SealedEmailContent, context_of

__all__ = ["Outbox", "SealedEmailContent"]

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 20
# Longer than a server takes to respond, so that no other worker sends the same e-mail.
_FIRST_PAUSE = timedelta(minutes=2)
_PAUSE_MAX = timedelta(hours=1)
_GIVE_UP_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Outbox:
    """Outbox of all organisations; without `mail`, this installation sends no e-mails.

    With `captures`, e-mails go to the sandbox's mailbox.
    """

    database: Database
    vault: Vault
    clock: Clock
    mail: MailTransport | None
    captures: bool = False

    @property
    def can_send(self) -> bool:
        """Return whether queued e-mails will be sent."""
        return self.mail is not None

    async def put(
        self, tx: Tx, *, org_id: UUID, owner_id: UUID, key: DataKey, email: SealedEmailContent
    ) -> None:
        """Queue an e-mail in this transaction; does nothing if this installation sends none.

        `owner_id` is the owner of the data key `key`. Raises `FieldInvalid` for an invalid
        recipient or subject.
        """
        if self.mail is None:
            return
        at, mail_id = self.clock.now(), new_id()
        _message(mail_id, email, at)
        sealed = key.seal(email, context=context_of(mail_id))
        await outbox_store.add(
            tx, SealedOutboundEmail(org_id, mail_id, owner_id, sealed, at, attempts=0), due_at=at
        )

    async def run_once(self, org_ids: Collection[UUID]) -> bool:
        """Send a batch of due e-mails of these organisations; return whether more may be due."""
        if self.mail is None:
            return False
        now = self.clock.now()
        due = await self.database.single(
            lambda tx: outbox_store.due(tx, org_ids, now, limit=BATCH_SIZE)
        )
        for each in due:
            await self._send(each, self.mail)
        return len(due) == BATCH_SIZE

    async def _send(self, sealed: SealedOutboundEmail, mail: MailTransport) -> None:
        """Claim an e-mail, send it, and delete it; the claim of a crashed worker expires."""
        now = self.clock.stamp()
        until = now + min(_FIRST_PAUSE * 2 ** min(sealed.attempts, 10), _PAUSE_MAX)

        async def claim(tx: Tx) -> tuple[bool, DataKey | None]:
            is_ours = await outbox_store.claim(tx, sealed, until)
            return is_ours, await self.vault.find(tx, sealed.org_id, sealed.owner_id)

        is_ours, key = await self.database.transact(claim)
        if not is_ours:
            return
        if key is not None:
            try:
                email = key.open(
                    sealed.email, context=context_of(sealed.id), type=SealedEmailContent
                )
                await mail.send(_message(sealed.id, email, sealed.created_at))
            except Rejected as error:
                _log.error("mail.rejected", id=str(sealed.id), reason=str(error))
            except Exception as error:  # noqa: BLE001  one mail must not stop the others
                # The message of an unexpected error may contain the recipient, so only its type is
                # kept.
                reason = str(error) if isinstance(error, Unavailable) else type(error).__name__
                if now < sealed.created_at + _GIVE_UP_AFTER:
                    _log.warning("mail.not_sent", id=str(sealed.id), reason=reason)
                    return
                _log.error("mail.given_up", id=str(sealed.id), reason=reason)
        is_captured = self.captures and key is not None
        await self.database.transact(lambda tx: self._remove(tx, sealed, is_captured=is_captured))

    async def _remove(self, tx: Tx, sealed: SealedOutboundEmail, *, is_captured: bool) -> None:
        """Delete a handled e-mail from the outbox; in a sandbox, move it to the mailbox."""
        if await outbox_store.remove(tx, sealed.org_id, sealed.id) and is_captured:
            captured = SealedCapturedEmail(
                sealed.id, sealed.owner_id, sealed.email, sealed.created_at
            )
            await mailbox.capture(tx, sealed.org_id, captured)


def _message(mail_id: UUID, email: SealedEmailContent, at: datetime) -> OutboundEmail:
    return OutboundEmail(id=mail_id, to=email.to, subject=email.subject, text=email.text, at=at)
