"""E-mails to members, among them those about payments that wait for an admin.

Source: contract, dashboard 3.

Guarantees:
- an e-mail is queued in the transaction that it reports, so it is sent if and only if that
  transaction commits;
- members who must not decide get no request: no one gets an e-mail about their own request;
- a removed member gets no e-mail, and no new data key: recipients are locked until the e-mail is
  queued;
- an e-mail names no user: it has amount, kind, initiator, deadline and the page to open. For the
  destination it has the address, or bank, country and the last digits of the account number; for
  fees on top the amounts and addresses.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from landbridge.customers.team import notification_store
from landbridge.customers.team.notification_store import Recipient
from landbridge.platform.core.money import Money
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

        They are locked until the transaction ends: no data key is created for a removed member.
        """
        return await notification_store.members(tx, org_id, member_ids)

    async def put(self, tx: Tx, org_id: UUID, to: Recipient, *, subject: str, text: str) -> None:
        """Queue an e-mail to a locked member."""
        key = await self.vault.make(tx, org_id, to.id)
        email = SealedEmailContent(to=to.email, subject=subject, text=text)
        await self.outbox.put(tx, org_id=org_id, owner_id=to.id, key=key, email=email)


# Labels of payment kinds; a kind without a label is shown by its API name.
_KINDS: Final[Mapping[str, str]] = {
    "WALLET.TRANSFER": "wallet transfer",
    "WALLET.TRANSFER.BATCH": "batch",
    "WALLET.BRIDGE": "bridge",
    "OFFRAMP": "offramp",
    "RESOLUTION": "resolution of a stuck payment",
}

_WAITS = """Hello {name},

{who} requested a payment that needs approval by an admin:

    {kind}, {amount}
{destination}    expires on {until}

Review the payment: {link}

You receive this e-mail because you are an admin. Change your e-mail settings in your profile:
{profile}
"""

_ENDED = """Hello {name},

the payment you requested {outcome}:

    {kind}, {amount}

Its status is now {status}. View the decision: {link}
{acceptance}
Change your e-mail settings in your profile:
{profile}
"""

_OUTCOMES: Final[Mapping[str, str]] = {
    "APPROVED": "was approved",
    "REJECTED": "was rejected",
    "EXPIRED": "expired without a decision",
}
_SUBJECTS: Final[Mapping[str, str]] = {
    "APPROVED": "Approved",
    "REJECTED": "Rejected",
    "EXPIRED": "Expired",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalNotice:
    """Payment that waits, or waited, for an admin, as shown in e-mails.

    `initiator_id` is that of a member if `is_from_dashboard`, otherwise that of an API key.
    """

    org_id: UUID
    approval_id: UUID
    transfer_id: UUID
    kind: str
    amount: Money
    initiator_id: UUID
    is_from_dashboard: bool
    expires_at: datetime


class ApprovalEmails:
    """Puts e-mails about approvals into the outbox."""

    def __init__(self, members: MemberEmails, *, base_url: str) -> None:
        self._members = members
        self._base_url = base_url

    async def waiting(self, tx: Tx, notice: ApprovalNotice, destination: str) -> None:
        """Notify the admins who may decide; call it in the transaction that requests the payment.

        `destination` describes where the money goes, without names; "" if nothing is paid.
        """
        if not self._members.can_send:
            return
        to = await notification_store.lock_other_admins(tx, notice.org_id, notice.initiator_id)
        if not to:
            return
        requester = "An API key"
        if notice.is_from_dashboard:
            requester = (
                await notification_store.name(tx, notice.org_id, notice.initiator_id) or "A member"
            )
        until = _deadline(notice.expires_at)
        subject = f"Awaiting approval: {_kind(notice)}, {_amount(notice)}"
        line = f"    to {destination}\n" if destination else ""
        await self._put(
            tx, notice, to, subject, _WAITS, who=requester, until=until, destination=line
        )

    async def ended(
        self,
        tx: Tx,
        notice: ApprovalNotice,
        *,
        outcome: str,
        status: str,
        accept_by: datetime | None = None,
    ) -> None:
        """Notify the initiator; call it in the transaction of the decision or expiry.

        `outcome` is the approval's status, `status` that of the payment. `accept_by` is the
        deadline of the quote that the payment has after an approval.
        """
        if not (self._members.can_send and notice.is_from_dashboard):
            return
        to = await notification_store.initiator(tx, notice.org_id, notice.initiator_id)
        if to is None:
            return
        subject = f"{_SUBJECTS[outcome]}: {_kind(notice)}, {_amount(notice)}"
        acceptance = ""
        if accept_by is not None:
            link = f"{self._base_url}/dashboard/transactions/{notice.transfer_id}"
            acceptance = f"\nAccept its quote before {_deadline(accept_by)}: {link}\n"
        params = {"outcome": _OUTCOMES[outcome], "status": status, "acceptance": acceptance}
        await self._put(tx, notice, [to], subject, _ENDED, **params)

    async def _put(
        self,
        tx: Tx,
        notice: ApprovalNotice,
        to: Sequence[Recipient],
        subject: str,
        text: str,
        **params: str,
    ) -> None:
        for each in to:
            body = text.format(
                name=each.name,
                kind=_kind(notice),
                amount=_amount(notice),
                link=f"{self._base_url}/dashboard/approvals/{notice.approval_id}",
                profile=f"{self._base_url}/dashboard/profile",
                **params,
            )
            await self._members.put(tx, notice.org_id, each, subject=subject, text=body)


def _deadline(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC")


def _kind(notice: ApprovalNotice) -> str:
    return _KINDS.get(notice.kind, notice.kind)


def _amount(notice: ApprovalNotice) -> str:
    asset = notice.amount.asset
    chain_suffix = f" on {asset.chain.title()}" if asset.chain else ""
    return f"{notice.amount} {asset.currency.upper()}{chain_suffix}"
