"""Links to members: made, looked at, used once.

Guarantees: a link is stored as a hash; a new one voids the one before; it is used up in the
transaction of what it is used for; mails with one are sealed under the member's data key. Whoever
makes one, or warns, has locked the member: no data key is made for somebody who was removed.
"""

from datetime import datetime
from typing import Final

from landbridge.core.clock import Clock
from landbridge.db.pool import Database, Tx
from landbridge.mail.outbox import Outbox
from landbridge.members import letters, link_store
from landbridge.members.errors import LinkInvalid
from landbridge.members.link_store import Found
from landbridge.members.model import (
    INVITATION_LIFETIME,
    RESET_LIFETIME,
    Person,
    Purpose,
    digest,
    new_secret,
)
from landbridge.privacy.service import Vault

_LIFETIMES: Final = {Purpose.INVITATION: INVITATION_LIFETIME, Purpose.RESET: RESET_LIFETIME}
_PATHS: Final = {Purpose.INVITATION: "invitations", Purpose.RESET: "reset"}


class MemberLinks:
    """Links of all organisations; they live by real time."""

    def __init__(
        self, database: Database, clock: Clock, outbox: Outbox, vault: Vault, *, base_url: str
    ) -> None:
        self._database = database
        self._clock = clock
        self._outbox = outbox
        self._vault = vault
        self._base_url = base_url

    @property
    def can_mail(self) -> bool:
        """Whether links leave by mail."""
        return self._outbox.can_send

    async def make(
        self, tx: Tx, person: Person, purpose: Purpose, *, org_name: str
    ) -> tuple[str, datetime]:
        """A link and when it ends; it is mailed where mails are sent."""
        token, expires_at = new_secret(), self._clock.now() + _LIFETIMES[purpose]
        await link_store.put(
            tx,
            person.org_id,
            person.id,
            purpose,
            token_hash=digest(token),
            expires_at=expires_at,
        )
        url = f"{self._base_url}/dashboard/{_PATHS[purpose]}/{token}"
        if self._outbox.can_send:
            letter = (
                letters.reset(person.email, name=person.name, url=url)
                if purpose is Purpose.RESET
                else letters.invitation(
                    person.email, name=person.name, org=org_name, url=url, until=expires_at
                )
            )
            key = await self._vault.make(tx, person.org_id, person.id)
            await self._outbox.put(
                tx, org_id=person.org_id, owner_id=person.id, key=key, letter=letter
            )
        return url, expires_at

    async def warn(self, tx: Tx, person: Person, what: str) -> None:
        """Mail somebody what was changed about how they sign in, where mails are sent."""
        sentence = letters.CHANGES.get(what)
        if sentence is None or not self._outbox.can_send:
            return
        key = await self._vault.make(tx, person.org_id, person.id)
        letter = letters.changed(
            person.email,
            name=person.name,
            sentence=sentence,
            at=self._clock.now(),
            url=f"{self._base_url}/dashboard/profile",
        )
        await self._outbox.put(tx, org_id=person.org_id, owner_id=person.id, key=key, letter=letter)

    async def look(self, token: str, purpose: Purpose) -> Found:
        """Whose link this is; raises `LinkInvalid` unless it is good."""
        now, hashed = self._clock.now(), digest(token)
        found = await self._database.single(lambda tx: link_store.find(tx, hashed, purpose, now))
        if found is None:
            raise LinkInvalid
        return found

    async def use(self, tx: Tx, found: Found, token: str, purpose: Purpose) -> None:
        """Use a link up; raises `LinkInvalid` if somebody has meanwhile."""
        if not await link_store.take(tx, found, purpose, digest(token), self._clock.now()):
            raise LinkInvalid
