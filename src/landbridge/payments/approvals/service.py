"""Approval service: requests, reads and expires approvals, and manages the approval policy.

Guarantees:
- An approval is pending exactly as long as its record: both are written in one transaction, and
  expire at the same time (`expires_at` is the record's due time).
- Every decision holds the lock of the approval's row, taken before the ledger's locks.
- Admins are emailed in the transaction of the request, the requester in the transaction of the
  expiry.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.team.approval_emails import ApprovalEmails
from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, DueCheck, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals import store
from landbridge.payments.approvals.digests import digest_of_creation
from landbridge.payments.approvals.emails import email_amount, email_destination, email_details
from landbridge.payments.approvals.model import (
    CARRY_LIFETIME,
    KIND,
    POLICY_KIND,
    THRESHOLD_MAX,
    Approval,
    ApprovalPolicy,
    ApprovalStatus,
    VoteChoice,
)
from landbridge.payments.approvals.votes import with_votes
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    FieldInvalid,
    InvariantBroken,
    ResourceConflict,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.grouped_lookup import GroupedLookup
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.platform.orgs.key_creators import former_deciders, key_creators


class Approvals:
    """Approvals of all organisations."""

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        vault: Vault,
        clock: Clock,
        mails: ApprovalEmails | None = None,
    ) -> None:
        """Create the service; without `mails` no e-mail is sent."""
        self._database = database
        self._ledger = ledger
        self._vault = vault
        self._clock = clock
        self._mails = mails
        self._lookup = GroupedLookup(database, self._read)

    async def draft(
        self,
        tx: Tx,
        caller: Caller,
        opening: CreateTransfer,
        *,
        lifetime: timedelta,
        needs_second: bool = False,
    ) -> Approval:
        """Return the approval that `request` would store, for a dry run."""
        expires_at = opening.at + lifetime
        if opening.due_at != expires_at:
            raise InvariantBroken(
                f"a {opening.kind} that awaits an approval must be due when the approval expires"
            )
        policy = await store.policy(tx, opening.org_id)
        return Approval(
            org_id=opening.org_id,
            id=derived_id(opening.id, "approval"),
            transfer_id=opening.id,
            transfer_kind=opening.kind,
            user_id=opening.user_id,
            status=ApprovalStatus.PENDING,
            digest=digest_of_creation(opening),
            threshold=policy.threshold,
            needs_second=policy.needs_second or needs_second,
            initiator_id=caller.id,
            is_from_dashboard=caller.member is not None,
            expires_at=expires_at,
            created_at=opening.at,
            updated_at=opening.at,
            version=1,
        )

    async def request(
        self,
        tx: Tx,
        caller: Caller,
        opening: CreateTransfer,
        *,
        lifetime: timedelta,
        needs_second: bool = False,
        destination: str = "",
    ) -> Approval:
        """Request the approval of a record, in the transaction that creates it.

        `lifetime` is a constant of the model; the record is due when it ends. With `needs_second`
        the caller can't approve it, even if the policy would allow that. `destination` describes
        the bank account that is paid, for the e-mail.
        """
        approval = await self.draft(
            tx, caller, opening, lifetime=lifetime, needs_second=needs_second
        )
        await store.add(tx, approval)
        facts = {
            "threshold": approval.threshold,
            "needsSecond": approval.needs_second,
            "initiatorId": str(approval.initiator_id),
            "expiresAt": approval.expires_at.isoformat(),
            "digest": approval.digest.hex(),
        }
        await record_change(tx, approval, "ask", actor=caller.actor, facts=facts)
        if self._mails is not None:
            details = email_details(approval, opening.source)
            await self._mails.waiting(tx, details, destination or email_destination(opening))
        return approval

    async def carriable(self, org_id: UUID, transfer_id: UUID, at: datetime) -> Approval | None:
        """Return the approval that another quote of this payment may keep; None if there is none.

        It was granted within the last day by people who may still decide, and the policy has not
        been changed since its request.
        """
        found = (await self.of(org_id, [transfer_id])).get(transfer_id)
        if found is None:
            return None

        async def read(tx: Tx) -> Approval | None:
            first = await store.get(tx, org_id, found.carried_from or found.id)
            return first if first is not None and await self._is_in_force(tx, first) else None

        first = await self._database.read(read)
        if first is None or first.status is not ApprovalStatus.APPROVED:
            return None
        return first if at < first.updated_at + CARRY_LIFETIME else None

    async def carry(
        self, tx: Tx, caller: Caller, opening: CreateTransfer, first: Approval
    ) -> Approval:
        """Store an approval granted before for a payment, in the transaction that creates it.

        The initiator of the first approval stays the initiator. Raises `ResourceConflict` if the
        policy was changed in the meantime, or if its voters may not decide any more.
        """
        if not await self._is_in_force(tx, first):
            raise ResourceConflict("the policy or an approver was changed concurrently; try again")
        approval = replace(
            first,
            id=derived_id(opening.id, "approval"),
            transfer_id=opening.id,
            digest=digest_of_creation(opening),
            expires_at=first.updated_at + CARRY_LIFETIME,
            created_at=opening.at,
            updated_at=opening.at,
            version=1,
            carried_from=first.id,
            votes=(),
        )
        await store.add(tx, approval)
        facts = {"carriedFrom": str(first.id), "digest": approval.digest.hex()}
        await record_change(tx, approval, "carry", actor=caller.actor, facts=facts)
        return approval

    async def of(self, org_id: UUID, transfer_ids: Collection[UUID]) -> Mapping[UUID, Approval]:
        """Return the existing approvals of these records, with votes."""
        return await self._lookup.find(org_id, transfer_ids)

    async def _read(
        self, tx: Tx, org_id: UUID, transfer_ids: Collection[UUID]
    ) -> Mapping[UUID, Approval]:
        stored = await store.of(tx, org_id, transfer_ids)
        found = await with_votes(tx, self._vault, self._clock, stored)
        return {each.transfer_id: each for each in found}

    async def _is_in_force(self, tx: Tx, approval: Approval) -> bool:
        """Return whether a granted approval may count for another quote.

        The policy must be unchanged since its request, and enough of its voters must still be
        allowed to decide.
        """
        org_id = approval.org_id
        if await store.is_policy_changed(tx, org_id, approval.created_at):
            return False
        votes = await store.votes(tx, org_id, [approval.id])
        approvers = {each.approver_id for each in votes if each.choice is VoteChoice.APPROVE}
        approvers -= await former_deciders(tx, org_id, approvers, self._clock)
        creators = await key_creators(tx, org_id, approvers)
        return len({creators.get(each, each) for each in approvers}) >= approval.threshold

    async def expire(
        self,
        record: Transfer,
        move: AdvanceTransfer,
        transitions: Transitions[Any],
        *,
        write_related: Callable[[Tx], Awaitable[None]] | None = None,
    ) -> bool:
        """Expire a due approval together with its record; False if it was decided.

        The transition succeeds only once the record is due, regardless of the `timing` of `move`.
        `write_related` writes rows of the flow in the same transaction, after the record.
        """
        move = replace(move, timing=DueCheck.OVERDUE, change_type="expire")

        async def work(tx: Tx) -> bool:
            approval = await store.lock_transfer(tx, record.org_id, record.id)
            if approval is None:
                raise InvariantBroken(f"record {record.id} awaits an approval that does not exist")
            if approval.status is not ApprovalStatus.PENDING:
                # True if an earlier attempt of this call, with an unconfirmed commit, expired it.
                return approval.status is ApprovalStatus.EXPIRED and approval.updated_at == move.at
            if not isinstance(await self._ledger.advance_in(tx, move, transitions), Transfer):
                return False
            if write_related is not None:
                await write_related(tx)
            await end_request(tx, approval, "expire", actor=move.actor, at=move.at)
            if self._mails is not None:
                email = email_details(approval, email_amount(record))
                await self._mails.ended(
                    tx, email, outcome=ApprovalStatus.EXPIRED, status=move.path[-1]
                )
            return True

        return await self._database.transact(work)

    async def withdraw_in(
        self, tx: Tx, org_id: UUID, transfer_id: UUID, *, actor: str, at: datetime
    ) -> None:
        """End the pending approval, if any, of a record that is being cancelled.

        Runs in the transaction of the cancel, before `advance_in`, because approvals are locked
        first. The contract has no status for this; EXPIRED is used because no decision is possible
        any more.
        """
        approval = await store.lock_transfer(tx, org_id, transfer_id)
        if approval is not None and approval.status is ApprovalStatus.PENDING:
            await end_request(tx, approval, "withdraw", actor=actor, at=at)

    async def policy(self, org_id: UUID) -> ApprovalPolicy:
        """Return the organisation's policy for future approvals."""
        return await self._database.read(lambda tx: store.policy(tx, org_id))

    async def set_policy(
        self, org_id: UUID, new_policy: ApprovalPolicy, *, actor: str, at: datetime
    ) -> ApprovalPolicy:
        """Set the policy for future approvals; pending ones keep theirs."""
        if not 1 <= new_policy.threshold <= THRESHOLD_MAX:
            raise FieldInvalid(f"threshold must be from 1 to {THRESHOLD_MAX}", field="threshold")

        async def work(tx: Tx) -> None:
            version = await store.set_policy(tx, org_id, new_policy, at)
            if version is not None:
                await append_change(
                    tx,
                    org_id=org_id,
                    object_id=derived_id(org_id, POLICY_KIND),
                    seq=version,
                    kind=POLICY_KIND,
                    change_type="set",
                    actor=actor,
                    at=at,
                    facts={
                        "threshold": new_policy.threshold,
                        "needsSecond": new_policy.needs_second,
                    },
                )

        await self._database.transact(work)
        return new_policy

    async def set_policy_for(
        self, caller: Caller, new_policy: ApprovalPolicy, *, at: datetime
    ) -> ApprovalPolicy:
        """Set the policy on request of a caller.

        Raises `RoleNotAllowed` except for signed-in admins: an API key that creates payments must
        not loosen the policy.
        """
        check_admin(caller)
        if caller.member is None:
            raise RoleNotAllowed("only a signed-in admin may do this")
        return await self.set_policy(caller.org_id, new_policy, actor=caller.actor, at=at)


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank the comments on an erased user's payments."""
    del at  # the approvals themselves do not change
    await store.erase(tx, org_id, user_id)


async def end_request(
    tx: Tx, approval: Approval, change_type: str, *, actor: str, at: datetime
) -> Approval:
    """End a locked, pending approval without a decision, and return it in its new state."""
    await store.settle(tx, approval, ApprovalStatus.EXPIRED, at)
    ended = replace(
        approval, status=ApprovalStatus.EXPIRED, updated_at=at, version=approval.version + 1
    )
    await record_change(tx, ended, change_type, actor=actor)
    return ended


async def record_change(
    tx: Tx,
    approval: Approval,
    change_type: str,
    *,
    actor: str,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Record the current state of an approval in the change log, without its texts."""
    await append_change(
        tx,
        org_id=approval.org_id,
        object_id=approval.id,
        seq=approval.version,
        kind=KIND,
        change_type=change_type,
        actor=actor,
        at=approval.updated_at,
        facts={
            "transferId": str(approval.transfer_id),
            "transferType": approval.transfer_kind,
            "status": approval.status,
            **(facts or {}),
        },
    )
