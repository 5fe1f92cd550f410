"""The sandbox's mailbox: mails that production would have sent, to be read by admins.

Guarantees:
- only a sandbox has one; links in mails open doors, so nobody but admins reads it;
- who reads one is told in the change log, without what is in it;
- letters stay sealed as they were in the outbox: erased with their owner, a mail can't be read any
  more and is not listed;
- of each organisation the newest are kept, and no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from landbridge.changes.service import tell_next
from landbridge.core.clock import Clock
from landbridge.core.errors import ResourceNotFound
from landbridge.db.pool import Database, Tx
from landbridge.mail import mailbox_store
from landbridge.mail.letter import Letter, context_of
from landbridge.mail.mailbox_store import SealedKept
from landbridge.privacy.service import DataKey, Vault
from landbridge.web.caller import Caller, check_admin

KEPT: Final = 200
# As the change log names it.
KIND: Final = "MAIL"


@dataclass(frozen=True, slots=True)
class Kept:
    """A mail in the mailbox; `at` is real time."""

    id: UUID
    at: datetime
    letter: Letter


class Mailbox:
    """Mailboxes of all organisations of a sandbox."""

    def __init__(self, database: Database, vault: Vault, clock: Clock, *, is_open: bool) -> None:
        """Take the services; `is_open` says whether this is a sandbox."""
        self._database = database
        self._vault = vault
        self._clock = clock
        self.is_open = is_open

    async def newest(self, caller: Caller) -> Sequence[Kept]:
        """What arrived, the newest first; admins only."""
        self._check(caller)

        async def work(tx: Tx) -> Sequence[Kept]:
            found = await mailbox_store.newest(tx, caller.org_id, limit=KEPT)
            owners = {each.owner_id for each in found}
            keys = await self._vault.find_many(tx, caller.org_id, owners)
            return [_opened(each, keys[each.owner_id]) for each in found if each.owner_id in keys]

        return await self._database.transact(work)

    async def get(self, caller: Caller, mail_id: UUID) -> Kept:
        """One mail; raises `ResourceNotFound`. Admins only."""
        self._check(caller)

        async def work(tx: Tx) -> Kept | None:
            found = await mailbox_store.find(tx, caller.org_id, mail_id)
            if found is None:
                return None
            key = await self._vault.find(tx, caller.org_id, found.owner_id)
            if key is None:
                return None
            await tell_next(
                tx,
                org_id=caller.org_id,
                object_id=mail_id,
                kind=KIND,
                what="read",
                actor=caller.actor,
                at=self._clock.stamp(caller.clock_offset),
            )
            return _opened(found, key)

        kept = await self._database.transact(work)
        if kept is None:
            raise ResourceNotFound(f"there is no mail {mail_id}")
        return kept

    def _check(self, caller: Caller) -> None:
        if not self.is_open:
            raise ResourceNotFound("there is a mailbox in a sandbox only")
        check_admin(caller)


async def keep(tx: Tx, org_id: UUID, mail: SealedKept) -> None:
    """Put a mail into the mailbox, in the transaction in which it leaves the outbox."""
    await mailbox_store.add(tx, org_id, mail)
    await mailbox_store.trim(tx, org_id, kept=KEPT)


def _opened(sealed: SealedKept, key: DataKey) -> Kept:
    letter = key.open(sealed.letter, context=context_of(sealed.id), type=Letter)
    return Kept(sealed.id, sealed.created_at, letter)
