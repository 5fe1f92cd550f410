"""Links to members: creation, validation, single use.

Guarantees: a link is stored as a hash; a new one voids the previous one; it is consumed in the
transaction of its use; e-mails with a link are encrypted with the member's data key. The caller of
`make` or `warn` has locked the member: no data key is created for a removed member.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from landbridge.customers.team import emails, link_store
from landbridge.customers.team.errors import LinkInvalid
from landbridge.customers.team.link_store import MemberLinkOwner
from landbridge.customers.team.model import (
    INVITATION_LIFETIME,
    RESET_LIFETIME,
    MemberLinkPurpose,
    TeamMember,
    digest,
    new_secret,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.mail.outbox import Outbox

_LIFETIMES: Final = {
    MemberLinkPurpose.INVITATION: INVITATION_LIFETIME,
    MemberLinkPurpose.RESET: RESET_LIFETIME,
}
_PATHS: Final = {MemberLinkPurpose.INVITATION: "invitations", MemberLinkPurpose.RESET: "reset"}


@dataclass(frozen=True, slots=True)
class MemberLinks:
    """Links of all organisations; they expire in real time."""

    database: Database
    clock: Clock
    outbox: Outbox
    vault: Vault
    base_url: str

    @property
    def can_mail(self) -> bool:
        """Return whether links are sent by e-mail."""
        return self.outbox.can_send

    async def make(
        self, tx: Tx, person: TeamMember, purpose: MemberLinkPurpose, *, org_name: str
    ) -> tuple[str, datetime]:
        """Create a link, and e-mail it if e-mail is configured; return it and its expiry."""
        token, expires_at = new_secret(), self.clock.now() + _LIFETIMES[purpose]
        await link_store.put(
            tx,
            person.org_id,
            person.id,
            purpose,
            token_hash=digest(token),
            expires_at=expires_at,
        )
        url = f"{self.base_url}/dashboard/{_PATHS[purpose]}/{token}"
        if self.outbox.can_send:
            email = (
                emails.reset(person.email, name=person.name, url=url)
                if purpose is MemberLinkPurpose.RESET
                else emails.invitation(
                    person.email, name=person.name, org=org_name, url=url, until=expires_at
                )
            )
            key = await self.vault.make(tx, person.org_id, person.id)
            await self.outbox.put(
                tx, org_id=person.org_id, owner_id=person.id, key=key, email=email
            )
        return url, expires_at

    async def warn(self, tx: Tx, person: TeamMember, what: str) -> None:
        """Notify a member of a changed sign-in method, if e-mail is configured."""
        sentence = emails.CHANGES.get(what)
        if sentence is None or not self.outbox.can_send:
            return
        key = await self.vault.make(tx, person.org_id, person.id)
        email = emails.changed(
            person.email,
            name=person.name,
            sentence=sentence,
            at=self.clock.now(),
            url=f"{self.base_url}/dashboard/profile",
        )
        await self.outbox.put(tx, org_id=person.org_id, owner_id=person.id, key=key, email=email)

    async def find_owner(self, token: str, purpose: MemberLinkPurpose) -> MemberLinkOwner:
        """Return the member of this link; raise `LinkInvalid` unless it is valid."""
        now, hashed = self.clock.now(), digest(token)
        found = await self.database.single(lambda tx: link_store.find(tx, hashed, purpose, now))
        if found is None:
            raise LinkInvalid
        return found

    async def use(
        self, tx: Tx, found: MemberLinkOwner, token: str, purpose: MemberLinkPurpose
    ) -> None:
        """Consume a link; raise `LinkInvalid` if it was used concurrently."""
        if not await link_store.take(tx, found, purpose, digest(token), self.clock.now()):
            raise LinkInvalid
