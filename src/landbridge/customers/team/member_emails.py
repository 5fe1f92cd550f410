"""E-mails to members of the team, queued in the transaction that they report."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.team import notification_store
from landbridge.customers.team.notification_store import Recipient
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent


@dataclass(frozen=True, slots=True)
class MemberEmails:
    """Puts e-mails to members into the outbox, under the data keys of the members."""

    outbox: Outbox
    vault: Vault

    @property
    def can_send(self) -> bool:
        """Return whether this installation sends e-mails."""
        return self.outbox.can_send

    async def recipients(
        self, tx: Tx, org_id: UUID, member_ids: Collection[UUID]
    ) -> Sequence[Recipient]:
        """Return those of these members who have joined and were not removed.

        Locked until the transaction ends, so that no data key is created for a removed member.
        """
        return await notification_store.members(tx, org_id, member_ids)

    async def put(self, tx: Tx, org_id: UUID, to: Recipient, *, subject: str, text: str) -> None:
        """Queue an e-mail to a locked member."""
        key = await self.vault.make(tx, org_id, to.id)
        email = SealedEmailContent(to=to.email, subject=subject, text=text)
        await self.outbox.put(tx, org_id=org_id, owner_id=to.id, key=key, email=email)
