"""Mails that are to be sent: put in the transaction that they tell of, sent by the worker.

Guarantees:
- a mail is there if and only if its transaction was committed, and leaves only when it was handed
  over, was refused for good, or could not be handed over for a day. A crash at any moment loses
  none, and may send one twice, under the same id;
- recipient and text are sealed under the data key of whom they are about; erased with it, a mail
  is not sent any more;
- a sandbox hands nothing over: the transaction that takes a mail out puts it into the mailbox,
  under the same seal;
- real time decides, not an organisation's: mail servers and people live in it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Rejected, Unavailable
from landbridge.core.ids import new_id
from landbridge.db.pool import Database, Tx
from landbridge.mail import mailbox, outbox_store
from landbridge.mail.letter import Letter, context_of
from landbridge.mail.mailbox_store import SealedKept
from landbridge.mail.outbox_store import SealedMail
from landbridge.mail.port import Mail, Message
from landbridge.privacy.service import DataKey, Vault

__all__ = ["Letter", "Outbox"]

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 20
# Longer than a server takes to answer, so that nobody else sends it meanwhile.
_FIRST_PAUSE = timedelta(minutes=2)
_PAUSE_MAX = timedelta(hours=1)
_PATIENCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Outbox:
    """Mails of all organisations; without `mail` this installation sends none.

    With `keeps` what was handed over goes to the sandbox's mailbox.
    """

    database: Database
    vault: Vault
    clock: Clock
    mail: Mail | None
    keeps: bool = False

    @property
    def can_send(self) -> bool:
        """Whether what is put will go out."""
        return self.mail is not None

    async def put(
        self, tx: Tx, *, org_id: UUID, owner_id: UUID, key: DataKey, letter: Letter
    ) -> None:
        """Have a mail sent once this transaction is committed; nothing where none is sent.

        `owner_id` is whose data key `key` is. Raises `FieldInvalid` as `Message` does.
        """
        if self.mail is None:
            return
        at, mail_id = self.clock.now(), new_id()
        _message(mail_id, letter, at)
        sealed = key.seal(letter, context=context_of(mail_id))
        await outbox_store.add(
            tx, SealedMail(org_id, mail_id, owner_id, sealed, at, attempts=0), due_at=at
        )

    async def run_once(self, org_ids: Collection[UUID]) -> bool:
        """Send what is due of these organisations, one batch; whether there may be more."""
        if self.mail is None:
            return False
        now = self.clock.now()
        due = await self.database.single(
            lambda tx: outbox_store.due(tx, org_ids, now, limit=BATCH_SIZE)
        )
        for each in due:
            await self._send(each, self.mail)
        return len(due) == BATCH_SIZE

    async def _send(self, sealed: SealedMail, mail: Mail) -> None:
        """Claim, hand over, forget; a claim that nobody follows up ends by itself."""
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
                letter = key.open(sealed.letter, context=context_of(sealed.id), type=Letter)
                await mail.send(_message(sealed.id, letter, sealed.created_at))
            except Rejected as error:
                _log.error("mail.rejected", id=str(sealed.id), reason=str(error))
            except Exception as error:  # noqa: BLE001  one mail must not stop the others
                # What nobody thought of may say to whom it was.
                reason = str(error) if isinstance(error, Unavailable) else type(error).__name__
                if now < sealed.created_at + _PATIENCE:
                    _log.warning("mail.not_sent", id=str(sealed.id), reason=reason)
                    return
                _log.error("mail.given_up", id=str(sealed.id), reason=reason)
        is_kept = self.keeps and key is not None
        await self.database.transact(lambda tx: self._take_out(tx, sealed, is_kept=is_kept))

    async def _take_out(self, tx: Tx, sealed: SealedMail, *, is_kept: bool) -> None:
        """It waits no more; in a sandbox it can be read from now on."""
        if await outbox_store.remove(tx, sealed.org_id, sealed.id) and is_kept:
            kept = SealedKept(sealed.id, sealed.owner_id, sealed.letter, sealed.created_at)
            await mailbox.keep(tx, sealed.org_id, kept)


def _message(mail_id: UUID, letter: Letter, at: datetime) -> Message:
    return Message(id=mail_id, to=letter.to, subject=letter.subject, text=letter.text, at=at)
