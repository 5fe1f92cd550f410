"""Mailbox of the sandbox: captures e-mails that production would send, for admins to read.

Guarantees:
- Only a sandbox has one. Links in e-mails grant access, so only admins read it.
- Reading an e-mail is recorded in the change log, without its content.
- E-mails stay sealed as in the outbox: after an erasure of their owner they can't be read and are
  not listed.
- Only the newest e-mails of each organisation are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.platform.mail import mailbox_store
from landbridge.platform.mail.mailbox_store import SealedCapturedEmail
from landbridge.platform.mail.sealed_email import SealedEmailContent, context_of

MAILBOX_SIZE_MAX: Final = 200
# Kind of these changes in the change log.
KIND: Final = "MAIL"


@dataclass(frozen=True, slots=True)
class CapturedEmail:
    """Captured e-mail; `at` is in real time, not in the organisation's."""

    id: UUID
    at: datetime
    email: SealedEmailContent


class Mailbox:
    """Mailboxes of all organisations of a sandbox."""

    def __init__(self, database: Database, vault: Vault, clock: Clock, *, is_open: bool) -> None:
        """`is_open` is True in a sandbox."""
        self._database = database
        self._vault = vault
        self._clock = clock
        self.is_open = is_open

    async def newest(self, caller: Caller) -> Sequence[CapturedEmail]:
        """Return captured e-mails, newest first; raises `RoleNotAllowed` for non-admins."""
        self._check(caller)

        async def work(tx: Tx) -> Sequence[CapturedEmail]:
            found = await mailbox_store.newest(tx, caller.org_id, limit=MAILBOX_SIZE_MAX)
            owners = {each.owner_id for each in found}
            keys = await self._vault.find_many(tx, caller.org_id, owners)
            return [_opened(each, keys[each.owner_id]) for each in found if each.owner_id in keys]

        return await self._database.transact(work)

    async def get(self, caller: Caller, mail_id: UUID) -> CapturedEmail:
        """Return one e-mail; raises `ResourceNotFound`, and `RoleNotAllowed` for non-admins."""
        self._check(caller)

        async def work(tx: Tx) -> CapturedEmail | None:
            found = await mailbox_store.find(tx, caller.org_id, mail_id)
            if found is None:
                return None
            key = await self._vault.find(tx, caller.org_id, found.owner_id)
            if key is None:
                return None
            await append_next_change(
                tx,
                org_id=caller.org_id,
                object_id=mail_id,
                kind=KIND,
                change_type="read",
                actor=caller.actor,
                at=self._clock.stamp(caller.clock_offset),
            )
            return _opened(found, key)

        limit = await self._database.transact(work)
        if limit is None:
            raise ResourceNotFound(f"there is no mail {mail_id}")
        return limit

    def _check(self, caller: Caller) -> None:
        if not self.is_open:
            raise ResourceNotFound("there is a mailbox in a sandbox only")
        check_admin(caller)


async def capture(tx: Tx, org_id: UUID, mail: SealedCapturedEmail) -> None:
    """Move an e-mail into the mailbox, in the transaction that removes it from the outbox."""
    await mailbox_store.add(tx, org_id, mail)
    await mailbox_store.trim(tx, org_id, limit=MAILBOX_SIZE_MAX)


def _opened(sealed: SealedCapturedEmail, key: DataKey) -> CapturedEmail:
    email = key.open(sealed.email, context=context_of(sealed.id), type=SealedEmailContent)
    return CapturedEmail(sealed.id, sealed.created_at, email)
