"""Casts votes, and executes the decisions that they cause.

Guarantees:
- A payment is decided once: by the vote that reaches the threshold, by the first vote against it,
  or by expiry. All three lock the approval's row and advance the record in the same transaction.
- A vote counts only if its voter may still decide at the time of the deciding vote: votes of
  members who were removed or demoted, and of keys that were revoked or have expired, do not count.
- A decision applies only to the requested payment: each vote compares the record with the digest.
- A vote without effect (after a concurrent decision, or in a review) writes nothing.
- The requester is emailed about the outcome in the transaction that decides.
- The flow computes the transition of an approved record, with its quote, before the transaction. It
  is valid for one version of the record: after a concurrent change it is computed again.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from uuid import UUID

import structlog

from landbridge.customers.team.approval_emails import ApprovalEmails
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, DueCheck, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals import store
from landbridge.payments.approvals.digests import digest_of_record
from landbridge.payments.approvals.emails import email_amount, email_details
from landbridge.payments.approvals.model import (
    COMMENT_LENGTH_MAX,
    OPEN_QUOTE,
    WHY_WITHDRAWN,
    Approval,
    ApprovalStatus,
    Vote,
    VoteChoice,
)
from landbridge.payments.approvals.rules import (
    check_approver,
    check_voter,
    status_refusal,
    vote_refusal,
    withdrawal_refusal,
)
from landbridge.payments.approvals.service import end_request, record_change
from landbridge.payments.approvals.votes import add_vote, with_votes
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    InvariantBroken,
    ProfileFrozen,
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.orgs.key_creators import former_deciders, key_creators

_log = structlog.stdlib.get_logger()


class Decider(Protocol):
    """Builds the transitions of decided payments of one flow, from PENDING_APPROVAL.

    The `change_type` and `timing` of a transition are replaced: it is recorded as `approve` or
    `reject`, and succeeds only before the record is due. No method may write anything, because a
    transition is computed again after a concurrent change.
    """

    @property
    def transitions(self) -> Transitions[Any]:
        """The flow's transition table."""
        ...

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition of an approved record, with its postings; called in no transaction.

        It leads to CREATED, or to OPEN_QUOTE with a quote made now. If no quote can be made (no
        price, amount too small), it leads to QUOTE_FAILED, which releases the hold. Raises
        `Refused` or `Busy` if no decision is possible now: then no vote is cast.
        """
        ...

    def refused(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition of a rejected record: REJECTED, its hold is released.

        The person's reason is free text, so it is stored with the vote and not as a fact.
        """
        ...

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition of an approved record if the wallet holds less than it needs.

        The approval still counts. The transition normally leads to QUOTE_FAILED, which releases the
        hold. A flow that needs no further funds for an approval raises `InvariantBroken`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Voting:
    """Approvals as approvers see and decide them; `deciders` has the flows by kind of record."""

    database: Database
    ledger: Ledger
    vault: Vault
    clock: Clock
    deciders: Mapping[str, Decider]
    # None if no e-mail is sent.
    mails: ApprovalEmails | None = None

    async def approve(self, caller: Caller, approval_id: UUID, comment: str | None) -> Approval:
        """Vote for a payment; the deciding vote advances its record.

        Raises `RoleNotAllowed` if the caller may not decide, or requested the payment;
        `ProfileFrozen`, `ResourceNotFound`, and the errors of the flow's `approved`. Raises
        `ResourceConflict` if the payment is decided, expired, in review, or changed since the
        request, or if this approver has voted.
        """
        return await self._vote(caller, approval_id, VoteChoice.APPROVE, _text("comment", comment))

    async def reject(self, caller: Caller, approval_id: UUID, reason: str | None) -> Approval:
        """Vote against a payment; it is rejected and its hold released. Raises as `approve`."""
        return await self._vote(caller, approval_id, VoteChoice.REJECT, _text("reason", reason))

    async def get(self, caller: Caller, approval_id: UUID) -> Approval:
        """Get an approval with its votes; raises `ResourceNotFound`."""
        return await self._get(caller.org_id, approval_id)

    async def page(self, caller: Caller, *, limit: int, offset: int) -> list[Approval]:
        """List pending approvals with their votes, newest first; raises `RoleNotAllowed`."""
        check_approver(caller)

        async def read(tx: Tx) -> list[Approval]:
            found = await store.pending(tx, caller.org_id, limit=limit, offset=offset)
            return await with_votes(tx, self.vault, self.clock, found)

        return await self.database.read(read)

    async def listed(
        self,
        caller: Caller,
        statuses: Collection[ApprovalStatus],
        window: PageWindow,
        *,
        initiator_id: UUID | None = None,
    ) -> list[Approval]:
        """List approvals of these statuses with their votes, newest first, for every role.

        With `initiator_id`, list only requests of this API key or member.
        """

        async def read(tx: Tx) -> list[Approval]:
            found = await store.listed(
                tx, caller.org_id, statuses, window, initiator_id=initiator_id
            )
            return await with_votes(tx, self.vault, self.clock, found)

        return await self.database.read(read)

    @optimistic_retry("the payment was changed concurrently; try again")
    async def withdraw(self, caller: Caller, transfer_id: UUID) -> Approval | None:
        """Withdraw a member's own payment that awaits approval; its hold is released.

        The payment is rejected, and its approval ends as EXPIRED: the contract has no status for
        this. Raises `RoleNotAllowed` for another member's request, `ProfileFrozen`,
        `ResourceNotFound` for a payment without an approval, and `ResourceConflict` if it is
        decided, expired or in review.
        """
        check_editor(caller)
        if caller.is_org_frozen:
            raise ProfileFrozen
        at = self.clock.stamp(caller.clock_offset)
        found = await self.database.read(lambda tx: store.of(tx, caller.org_id, [transfer_id]))
        if not found:
            raise ResourceNotFound(f"payment {transfer_id} has no approval")
        (approval,) = found
        if refusal := withdrawal_refusal(approval, caller, at):
            raise refusal
        record = await self._record(approval)
        if record is None:
            return None  # decided between the two reads
        decider = self._decider(record)
        rejected = decider.refused(record, actor=caller.actor, at=at)
        move = replace(
            rejected,
            timing=DueCheck.IN_TIME,
            change_type="withdraw",
            facts={**rejected.facts, "failed_reason": WHY_WITHDRAWN},
        )

        async def work(tx: Tx) -> Approval | None:
            locked = await store.lock(tx, approval.org_id, approval.id)
            if locked is None:
                raise InvariantBroken(f"approval {approval.id} is gone")
            if locked.status is ApprovalStatus.EXPIRED and locked.updated_at == at:
                return locked  # runs again after an unconfirmed commit
            if locked.status is not ApprovalStatus.PENDING:
                return None
            moved = await self.ledger.advance_in(tx, move, decider.transitions)
            if not isinstance(moved, Transfer):
                return None
            return await end_request(tx, locked, "withdraw", actor=caller.actor, at=at)

        return await self.database.transact(work)

    @optimistic_retry("the payment was changed concurrently; try again")
    async def _vote(
        self, caller: Caller, approval_id: UUID, choice: VoteChoice, comment: str | None
    ) -> Approval | None:
        check_voter(caller)
        at = self.clock.stamp(caller.clock_offset)
        vote = Vote(caller.id, choice, comment, at)
        approval = await self._get(caller.org_id, approval_id)
        await self.database.single(
            partial(self._check_vote, approval=approval, caller=caller, vote=vote)
        )
        record = await self._record(approval)
        if record is None:
            return None  # decided between the two reads
        result = await self._cast(caller, vote, approval, record)
        if result is CommitOutcome.INSUFFICIENT:
            move = self._decider(record).insufficient(record, actor=caller.actor, at=at)
            result = await self._cast_with(caller, vote, approval, record, move)
        if isinstance(result, Approval):
            return result
        if result is CommitOutcome.INSUFFICIENT:
            raise InvariantBroken(f"ending a {record.kind} needs more than its wallet holds")
        return None

    async def _cast(
        self, caller: Caller, vote: Vote, approval: Approval, record: Transfer
    ) -> Approval | CommitOutcome:
        """Cast a vote, with the transition of the record if the vote decides.

        Return the approval, or the outcome that prevented it.
        """
        move: AdvanceTransfer | None = None
        decider = self._decider(record)
        if vote.choice is VoteChoice.REJECT:
            move = decider.refused(record, actor=caller.actor, at=vote.occurred_at)
        elif _is_last(approval):
            move = await decider.approved(record, actor=caller.actor, at=vote.occurred_at)
        return await self._cast_with(caller, vote, approval, record, move)

    async def _cast_with(
        self,
        caller: Caller,
        vote: Vote,
        approval: Approval,
        record: Transfer,
        move: AdvanceTransfer | None,
    ) -> Approval | CommitOutcome:
        """Return the approval with this vote, or the outcome that prevented it."""

        async def work(tx: Tx) -> Approval | CommitOutcome:
            locked = await store.lock(tx, approval.org_id, approval.id)
            if locked is None:
                raise InvariantBroken(f"approval {approval.id} is gone")
            (found,) = await with_votes(tx, self.vault, self.clock, [locked])
            before = found.vote_of(caller.id)
            written = {found.updated_at, *([] if before is None else [before.occurred_at])}
            if vote.occurred_at in written:
                return found  # runs again after an unconfirmed commit
            await self._check_vote(tx, approval=found, caller=caller, vote=vote)
            decides = vote.choice is VoteChoice.REJECT or _is_last(found)
            if decides != (move is not None):
                # Since the vote was prepared, another vote was cast, so that this one decides, or a
                # voter may not decide any more, so that this one does not decide.
                return CommitOutcome.STALE
            if move is None:
                return await self._write(tx, found, vote, actor=caller.actor, decides=False)
            table = self._decider(record).transitions
            moved = await self.ledger.advance_in(tx, _as_decided(move, vote), table)
            if not isinstance(moved, Transfer):
                return moved
            after = await self._write(tx, found, vote, actor=caller.actor, decides=True)
            if self.mails is not None:
                email = email_details(after, email_amount(record))
                await self.mails.ended(
                    tx,
                    email,
                    outcome=after.status,
                    status=moved.status,
                    accept_by=moved.due_at if moved.status == OPEN_QUOTE else None,
                )
            return after

        return await self.database.transact(work)

    async def _write(
        self, tx: Tx, approval: Approval, vote: Vote, *, actor: str, decides: bool
    ) -> Approval:
        """Store a vote under the lock of its approval, and the approval's new state."""
        status = ApprovalStatus.PENDING
        if decides:
            status = (
                ApprovalStatus.APPROVED
                if vote.choice is VoteChoice.APPROVE
                else ApprovalStatus.REJECTED
            )
        is_new = approval.vote_of(vote.approver_id) is None
        after = replace(
            approval,
            status=status,
            votes=(*approval.votes, vote) if is_new else approval.votes,
            updated_at=vote.occurred_at,
            version=approval.version + 1,
        )
        if is_new:
            await add_vote(tx, self.vault, after, vote)
        await store.settle(tx, after, status, vote.occurred_at)
        change_type = vote.choice.lower() if decides else "vote"
        facts = {"approverId": str(vote.approver_id), "vote": vote.choice}
        await record_change(tx, after, change_type, actor=actor, facts=facts)
        return after

    async def _check_vote(self, tx: Tx, *, approval: Approval, caller: Caller, vote: Vote) -> None:
        people = {caller.id, approval.initiator_id, *(each.approver_id for each in approval.votes)}
        found = await key_creators(tx, approval.org_id, people)
        if await former_deciders(tx, approval.org_id, [caller.id], self.clock):
            raise RoleNotAllowed("you may decide on payments no longer")
        if refusal := vote_refusal(approval, caller, vote, found):
            raise refusal

    async def _record(self, approval: Approval) -> Transfer | None:
        """Return the payment if it awaits votes; None if it was decided concurrently.

        Raises `ResourceConflict` if it awaits something else, or differs from the request.
        """
        record = await self.ledger.find(approval.org_id, approval.transfer_id)
        if record is None:
            raise InvariantBroken(f"approval {approval.id} has no record")
        if refusal := status_refusal(record.status):
            again = await self._get(approval.org_id, approval.id)
            if again.version != approval.version:
                return None
            raise refusal
        if digest_of_record(record) != approval.digest:
            _log.error("approvals.tampered", approval=str(approval.id), id=str(record.id))
            raise ResourceConflict("the payment differs from the request; nothing was decided")
        return record

    async def _get(self, org_id: UUID, approval_id: UUID) -> Approval:
        async def read(tx: Tx) -> list[Approval]:
            found = await store.get(tx, org_id, approval_id)
            return [] if found is None else await with_votes(tx, self.vault, self.clock, [found])

        found = await self.database.read(read)
        if not found:
            raise ResourceNotFound(f"there is no approval {approval_id}")
        return found[0]

    def _decider(self, record: Transfer) -> Decider:
        if record.kind not in self.deciders:
            raise InvariantBroken(f"a {record.kind} has no approvals")
        return self.deciders[record.kind]


def _is_last(approval: Approval) -> bool:
    """Return whether one more vote for the payment is enough."""
    return approval.votes_for + 1 >= approval.threshold


def _as_decided(move: AdvanceTransfer, vote: Vote) -> AdvanceTransfer:
    """Return the flow's transition as a decision, valid only before the record is due."""
    return replace(move, timing=DueCheck.IN_TIME, change_type=vote.choice.lower())


def _text(field: str, text: str | None) -> str | None:
    """Return the validated comment, None if it is empty; raises `FieldInvalid`."""
    if text is None or not text.strip():
        return None
    return check_text(field, text, length_max=COMMENT_LENGTH_MAX)
