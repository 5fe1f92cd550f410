"""Votes, and what they decide.

Guarantees:
- a payment is decided once: by the vote that reaches the threshold, by the first one against it, or
  by time. All three lock the approval's row, and the record moves in the same transaction;
- a decision is on what was asked for: the record is compared with the digest at each vote;
- a vote that comes to nothing (a lost race, a payment in review) leaves nothing behind;
- who asked is mailed about the outcome in the transaction that decides;
- what a flow computes for an approval, a quote above all, it computes before the transaction. That
  was for one version of the record: had anybody moved it since, the move is lost and we look again.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol
from uuid import UUID

import structlog

from landbridge.approvals import store
from landbridge.approvals.digests import digest_of_record
from landbridge.approvals.mailing import asked_of, source_of
from landbridge.approvals.model import (
    COMMENT_LENGTH_MAX,
    Approval,
    Choice,
    Status,
    Vote,
)
from landbridge.approvals.rules import check_approver, check_voter, why_not_now, why_not_vote
from landbridge.approvals.service import tell_approval
from landbridge.approvals.votes import add_vote, with_votes
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, ResourceConflict, ResourceNotFound
from landbridge.core.pages import Window
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.formats.texts import check_text
from landbridge.ledger.model import Move, Outcome, Timing, Transfer
from landbridge.ledger.service import Ledger
from landbridge.members.approval_mails import ApprovalMails
from landbridge.orgs.makers import makers
from landbridge.privacy.service import Vault
from landbridge.web.caller import Caller

_log = structlog.stdlib.get_logger()

# How often a vote looks again after it has lost a race before it says so.
_ATTEMPTS = 6


class Decider(Protocol):
    """What a flow does once its payment is decided on. The record is at PENDING_APPROVAL.

    The moves are for the record as it was handed over; whatever their `what` and `timing` say,
    they are told as `approve` or `reject` and go through only before the record is due. None of
    these three may write anything: a move that is lost is computed again.
    """

    @property
    def moves(self) -> Moves[Any]:
        """The flow's table of moves."""
        ...

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move of a record that was approved, with its money; before any transaction.

        To CREATED, or to OPEN_QUOTE with a quote that is made here and now. Where none can be
        made (no price, too small an amount), the move to QUOTE_FAILED that lets the money go.
        Raises `Refused` or `Busy` if nothing is to be decided now: no vote is cast then.
        """
        ...

    def refused(self, record: Transfer, *, actor: str, at: datetime, reason: str | None) -> Move:
        """The move of a record that was rejected: REJECTED, its money is let go.

        `reason` is free text of a person: it goes into no fact.
        """
        ...

    def short(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """What becomes of a record whose move of `approved` takes more than the wallet has.

        The approval counts all the same: normally QUOTE_FAILED, the money is let go. A flow whose
        move takes nothing that is not held already raises `Broken` here.
        """
        ...


@dataclass(frozen=True, slots=True)
class Voting:
    """Approvals as those see them who decide. `deciders` are the flows, by kind of record."""

    database: Database
    ledger: Ledger
    vault: Vault
    clock: Clock
    deciders: Mapping[str, Decider]
    # None where nobody is written to.
    mails: ApprovalMails | None = None

    async def approve(self, caller: Caller, approval_id: UUID, comment: str | None) -> Approval:
        """Vote for a payment; it goes on if this is the last vote that it needs.

        Raises `RoleNotAllowed` for who may not decide, or asked for it themselves, `ProfileFrozen`,
        `ResourceNotFound`, `ResourceConflict` if it is decided, has lapsed, is in review, is not
        what was asked for, or this approver has voted; and what the flow's `approved` raises.
        """
        return await self._vote(caller, approval_id, Choice.APPROVE, _text("comment", comment))

    async def reject(self, caller: Caller, approval_id: UUID, reason: str | None) -> Approval:
        """Vote against a payment: it ends, and its money is let go. Raises as `approve`."""
        return await self._vote(caller, approval_id, Choice.REJECT, _text("reason", reason))

    async def get(self, caller: Caller, approval_id: UUID) -> Approval:
        """An approval with its votes; raises `ResourceNotFound`."""
        return await self._get(caller.org_id, approval_id)

    async def page(self, caller: Caller, *, limit: int, offset: int) -> list[Approval]:
        """Those that wait, newest first, with their votes so far; raises `RoleNotAllowed`."""
        check_approver(caller)

        async def read(tx: Tx) -> list[Approval]:
            found = await store.pending(tx, caller.org_id, limit=limit, offset=offset)
            return await with_votes(tx, self.vault, found)

        return await self.database.transact(read)

    async def listed(
        self,
        caller: Caller,
        statuses: Collection[Status],
        window: Window,
        *,
        initiator_id: UUID | None = None,
    ) -> list[Approval]:
        """Those of these statuses, newest first, with their votes; whoever is in may look.

        With `initiator_id` only what this key or member asked for.
        """

        async def read(tx: Tx) -> list[Approval]:
            found = await store.listed(
                tx, caller.org_id, statuses, window, initiator_id=initiator_id
            )
            return await with_votes(tx, self.vault, found)

        return await self.database.transact(read)

    async def _vote(
        self, caller: Caller, approval_id: UUID, choice: Choice, comment: str | None
    ) -> Approval:
        check_voter(caller)
        for _ in range(_ATTEMPTS):
            at = self.clock.stamp(caller.clock_offset)
            vote = Vote(caller.id, choice, comment, at)
            approval = await self._get(caller.org_id, approval_id)
            await self.database.single(
                partial(_check_vote, approval=approval, caller=caller, at=at)
            )
            record = await self._record(approval)
            if record is None:
                continue  # it was decided between the two readings
            came = await self._cast(caller, vote, approval, record)
            if came is Outcome.SHORT:
                move = self._decider(record).short(record, actor=caller.actor, at=at)
                came = await self._cast_with(caller, vote, approval, record, move)
            if isinstance(came, Approval):
                return came
            if came is Outcome.SHORT:
                raise Broken(f"letting a {record.kind} go takes more than its wallet holds")
        raise Busy("the payment is being changed by somebody else")

    async def _cast(
        self, caller: Caller, vote: Vote, approval: Approval, record: Transfer
    ) -> Approval | Outcome:
        """Cast a vote with the move that it leads to, if it decides."""
        move: Move | None = None
        decider = self._decider(record)
        if vote.choice is Choice.REJECT:
            move = decider.refused(record, actor=caller.actor, at=vote.at, reason=vote.comment)
        elif _is_last(approval):
            move = await decider.approved(record, actor=caller.actor, at=vote.at)
        return await self._cast_with(caller, vote, approval, record, move)

    async def _cast_with(
        self,
        caller: Caller,
        vote: Vote,
        approval: Approval,
        record: Transfer,
        move: Move | None,
    ) -> Approval | Outcome:
        """The approval with this vote on it; what stood in the way if nothing was written."""

        async def work(tx: Tx) -> Approval | Outcome:
            locked = await store.lock(tx, approval.org_id, approval.id)
            if locked is None:
                raise Broken(f"approval {approval.id} is gone")
            (found,) = await with_votes(tx, self.vault, [locked])
            before = found.vote_of(caller.id)
            if before is not None and before.at == vote.at:
                return found  # nobody heard of our commit, so this runs again
            await _check_vote(tx, approval=found, caller=caller, at=vote.at)
            if move is None and _is_last(found):
                return Outcome.LOST  # somebody voted meanwhile, so this vote decides
            if move is None:
                return await self._write(tx, found, vote, actor=caller.actor, decides=False)
            table = self._decider(record).moves
            moved = await self.ledger.advance_in(tx, _as_decided(move, vote), table)
            if not isinstance(moved, Transfer):
                return moved
            after = await self._write(tx, found, vote, actor=caller.actor, decides=True)
            if self.mails is not None:
                asked = asked_of(after, source_of(record))
                await self.mails.ended(tx, asked, outcome=after.status, status=moved.status)
            return after

        return await self.database.transact(work)

    async def _write(
        self, tx: Tx, approval: Approval, vote: Vote, *, actor: str, decides: bool
    ) -> Approval:
        """Store a vote under the lock of its approval, and what the approval is with it."""
        status = Status.PENDING
        if decides:
            status = Status.APPROVED if vote.choice is Choice.APPROVE else Status.REJECTED
        after = replace(
            approval,
            status=status,
            votes=(*approval.votes, vote),
            updated_at=vote.at,
            version=approval.version + 1,
        )
        await add_vote(tx, self.vault, after, vote)
        await store.settle(tx, after, status, vote.at)
        what = vote.choice.lower() if decides else "vote"
        facts = {"approverId": str(vote.approver_id), "vote": vote.choice}
        await tell_approval(tx, after, what, actor=actor, facts=facts)
        return after

    async def _record(self, approval: Approval) -> Transfer | None:
        """The payment, if it waits for votes; None if somebody has decided meanwhile.

        Raises `ResourceConflict` if it waits for something else, or is not what was asked for.
        """
        record = await self.ledger.find(approval.org_id, approval.transfer_id)
        if record is None:
            raise Broken(f"approval {approval.id} is of a record that is not there")
        if refusal := why_not_now(record.status):
            again = await self._get(approval.org_id, approval.id)
            if again.version != approval.version:
                return None
            raise refusal
        if digest_of_record(record) != approval.digest:
            _log.error("approvals.tampered", approval=str(approval.id), id=str(record.id))
            raise ResourceConflict("the payment is not the one that was asked for; it stays as is")
        return record

    async def _get(self, org_id: UUID, approval_id: UUID) -> Approval:
        async def read(tx: Tx) -> list[Approval]:
            found = await store.get(tx, org_id, approval_id)
            return [] if found is None else await with_votes(tx, self.vault, [found])

        found = await self.database.transact(read)
        if not found:
            raise ResourceNotFound(f"there is no approval {approval_id}")
        return found[0]

    def _decider(self, record: Transfer) -> Decider:
        if record.kind not in self.deciders:
            raise Broken(f"nobody decides on a {record.kind}")
        return self.deciders[record.kind]


def _is_last(approval: Approval) -> bool:
    """Whether one more vote for the payment is enough."""
    return approval.for_it + 1 >= approval.threshold


async def _check_vote(tx: Tx, *, approval: Approval, caller: Caller, at: datetime) -> None:
    people = {caller.id, approval.initiator_id, *(each.approver_id for each in approval.votes)}
    found = await makers(tx, approval.org_id, people)
    if refusal := why_not_vote(approval, caller, at, found):
        raise refusal


def _as_decided(move: Move, vote: Vote) -> Move:
    """The flow's move as a decision: told as one, and void once time has decided."""
    return replace(move, timing=Timing.IN_TIME, what=vote.choice.lower())


def _text(field: str, text: str | None) -> str | None:
    """What was said, if anything; raises `FieldInvalid`."""
    if text is None or not text.strip():
        return None
    return check_text(field, text, length_max=COMMENT_LENGTH_MAX)
