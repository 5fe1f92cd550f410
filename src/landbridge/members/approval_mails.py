"""Mails about payments that wait for an admin. Source: contract, dashboard 3.

Guarantees:
- a mail is put in the transaction that it tells of, so it is sent if and only if that happened;
- who must not decide is not asked to: nobody is mailed about what they asked for themselves;
- who was removed gets no mail, and no new data key: recipients are held until the mail is put;
- nothing about users is in a mail: how much, what kind, who asked, until when, and where to look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.mail.outbox import Letter, Outbox
from landbridge.members import mail_store
from landbridge.members.mail_store import Recipient
from landbridge.privacy.service import Vault

# What people call a kind of payment; one that is not here is called as the interface does.
_KINDS: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": "wallet transfer",
    "WALLET.TRANSFER.BATCH": "batch",
    "WALLET.BRIDGE": "bridge",
    "OFFRAMP": "offramp",
}

_WAITS = """Hello {name},

{who} asked for a payment that waits for an admin:

    {kind}, {amount}
    to be decided on before {until}

Look at it and decide: {link}

You get this mail because you are an admin. Your profile says whether you want such mails:
{profile}
"""

_ENDED = """Hello {name},

the payment that you asked for {outcome}:

    {kind}, {amount}

It is now {status}. See who decided, and what they said: {link}

Your profile says whether you want such mails:
{profile}
"""

_OUTCOMES: Final[Mapping[str, str]] = {
    "APPROVED": "was approved",
    "REJECTED": "was rejected",
    "EXPIRED": "has expired, because nobody decided on it in time",
}
_SUBJECTS: Final[Mapping[str, str]] = {
    "APPROVED": "Approved",
    "REJECTED": "Rejected",
    "EXPIRED": "Expired",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A payment that waits, or waited, for an admin, as mails tell of it.

    `initiator_id` is a member, or an API key unless `is_from_dashboard`.
    """

    org_id: UUID
    approval_id: UUID
    kind: str
    amount: Money
    initiator_id: UUID
    is_from_dashboard: bool
    expires_at: datetime


class ApprovalMails:
    """Puts mails about approvals into the outbox."""

    def __init__(self, outbox: Outbox, vault: Vault, *, base_url: str) -> None:
        self._outbox = outbox
        self._vault = vault
        self._base_url = base_url

    async def waiting(self, tx: Tx, asked: Asked) -> None:
        """Tell the admins who may decide; in the transaction in which the payment is asked for."""
        if not self._outbox.can_send:
            return
        to = await mail_store.admins_but(tx, asked.org_id, asked.initiator_id)
        if not to:
            return
        who = "An API key"
        if asked.is_from_dashboard:
            who = await mail_store.name(tx, asked.org_id, asked.initiator_id) or "A member"
        until = asked.expires_at.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC")
        subject = f"Waiting for approval: {_kind(asked)}, {_amount(asked)}"
        await self._put(tx, asked, to, subject, _WAITS, who=who, until=until)

    async def ended(self, tx: Tx, asked: Asked, *, outcome: str, status: str) -> None:
        """Tell the member who asked; in the transaction in which it was decided, or lapsed.

        `outcome` is the approval's status, `status` that of the payment.
        """
        if not (self._outbox.can_send and asked.is_from_dashboard):
            return
        to = await mail_store.initiator(tx, asked.org_id, asked.initiator_id)
        if to is None:
            return
        subject = f"{_SUBJECTS[outcome]}: {_kind(asked)}, {_amount(asked)}"
        await self._put(tx, asked, [to], subject, _ENDED, outcome=_OUTCOMES[outcome], status=status)

    async def _put(
        self,
        tx: Tx,
        asked: Asked,
        to: Sequence[Recipient],
        subject: str,
        text: str,
        **words: str,
    ) -> None:
        for each in to:
            key = await self._vault.make(tx, asked.org_id, each.id)
            body = text.format(
                name=each.name,
                kind=_kind(asked),
                amount=_amount(asked),
                link=f"{self._base_url}/dashboard/approvals/{asked.approval_id}",
                profile=f"{self._base_url}/dashboard/profile",
                **words,
            )
            letter = Letter(to=each.email, subject=subject, text=body)
            await self._outbox.put(
                tx, org_id=asked.org_id, owner_id=each.id, key=key, letter=letter
            )


def _kind(asked: Asked) -> str:
    return _KINDS.get(asked.kind, asked.kind)


def _amount(asked: Asked) -> str:
    asset = asked.amount.asset
    where = f" on {asset.chain}" if asset.chain else ""
    return f"{asked.amount} {asset.currency}{where}"
