"""Verbs on approvals: ask in the transaction of the record, read, let lapse, and the policy.

Guarantees:
- an approval waits exactly as long as its record does: both are written in one transaction, and
  lapse at the same moment (`expires_at` is the record's due time);
- whoever decides holds the lock of the approval's row, which is taken before those of the ledger;
- admins are mailed in the transaction of the request, who asked in the one in which it lapses.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.approvals import store
from landbridge.approvals.digests import digest_of_opening
from landbridge.approvals.mailing import asked_of, source_of
from landbridge.approvals.model import KIND, POLICY_KIND, THRESHOLD_MAX, Approval, Policy, Status
from landbridge.approvals.votes import with_votes
from landbridge.changes.service import tell
from landbridge.core.errors import Broken, FieldInvalid, RoleNotAllowed
from landbridge.core.ids import derived_id
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Move, Opening, Timing, Transfer
from landbridge.ledger.service import Ledger
from landbridge.members.approval_mails import ApprovalMails
from landbridge.privacy.service import Vault
from landbridge.web.caller import Caller, check_admin


class Approvals:
    """Approvals of all organisations."""

    def __init__(
        self,
        database: Database,
        ledger: Ledger,
        vault: Vault,
        mails: ApprovalMails | None = None,
    ) -> None:
        """Without `mails` nobody is written to."""
        self._database = database
        self._ledger = ledger
        self._vault = vault
        self._mails = mails

    async def ask(
        self,
        tx: Tx,
        caller: Caller,
        opening: Opening,
        *,
        lifetime: timedelta,
        needs_second: bool = False,
    ) -> Approval:
        """Ask for the approval of a record, in the transaction that opens it.

        `lifetime` is one of the model's; the record is due when it is over. With `needs_second`
        the caller can't approve it, whatever the policy says.
        """
        expires_at = opening.at + lifetime
        if opening.due_at != expires_at:
            raise Broken(f"a {opening.kind} that waits for an approval is due when that lapses")
        policy = await store.policy(tx, opening.org_id)
        approval = Approval(
            org_id=opening.org_id,
            id=derived_id(opening.id, "approval"),
            transfer_id=opening.id,
            transfer_kind=opening.kind,
            user_id=opening.user_id,
            status=Status.PENDING,
            digest=digest_of_opening(opening),
            threshold=policy.threshold,
            needs_second=policy.needs_second or needs_second,
            initiator_id=caller.id,
            is_from_dashboard=caller.member is not None,
            expires_at=expires_at,
            created_at=opening.at,
            updated_at=opening.at,
            version=1,
        )
        await store.add(tx, approval)
        facts = {
            "threshold": approval.threshold,
            "needsSecond": approval.needs_second,
            "initiatorId": str(approval.initiator_id),
            "expiresAt": expires_at.isoformat(),
            "digest": approval.digest.hex(),
        }
        await tell_approval(tx, approval, "ask", actor=caller.actor, facts=facts)
        if self._mails is not None:
            await self._mails.waiting(tx, asked_of(approval, opening.source))
        return approval

    async def of(self, org_id: UUID, transfer_ids: Collection[UUID]) -> Mapping[UUID, Approval]:
        """The approvals, with votes, of those of these records that have one."""
        if not transfer_ids:
            return {}

        async def read(tx: Tx) -> list[Approval]:
            found = await store.of(tx, org_id, transfer_ids)
            return await with_votes(tx, self._vault, found)

        return {each.transfer_id: each for each in await self._database.transact(read)}

    async def expire(
        self,
        record: Transfer,
        move: Move,
        moves: Moves[Any],
        *,
        beside: Callable[[Tx], Awaitable[None]] | None = None,
    ) -> bool:
        """Let a due approval lapse, with the move of its record; False if it was decided.

        Whatever the flow says, the move goes through only once the record is due. `beside` writes
        rows of the flow's own in the same transaction, after the record has moved.
        """
        move = replace(move, timing=Timing.OVERDUE, what="expire")

        async def work(tx: Tx) -> bool:
            approval = await store.lock_transfer(tx, record.org_id, record.id)
            if approval is None:
                raise Broken(f"record {record.id} waits for an approval that nobody asked for")
            if approval.status is not Status.PENDING:
                # Ours if this runs again because nobody heard of the commit.
                return approval.status is Status.EXPIRED and approval.updated_at == move.at
            if not isinstance(await self._ledger.advance_in(tx, move, moves), Transfer):
                return False
            if beside is not None:
                await beside(tx)
            await self._end(tx, approval, "expire", actor=move.actor, at=move.at)
            if self._mails is not None:
                asked = asked_of(approval, source_of(record))
                await self._mails.ended(tx, asked, outcome=Status.EXPIRED, status=move.path[-1])
            return True

        return await self._database.transact(work)

    async def withdraw_in(
        self, tx: Tx, org_id: UUID, transfer_id: UUID, *, actor: str, at: datetime
    ) -> None:
        """End the approval of a record that is cancelled while it waits; nothing if there is none.

        In the transaction of the cancel, and before `advance_in`: approvals are locked first. The
        contract has no word for this; nobody can decide any more, so it is EXPIRED.
        """
        approval = await store.lock_transfer(tx, org_id, transfer_id)
        if approval is not None and approval.status is Status.PENDING:
            await self._end(tx, approval, "withdraw", actor=actor, at=at)

    async def policy(self, org_id: UUID) -> Policy:
        """What the organisation asks of approvals from now on."""
        return await self._database.transact(lambda tx: store.policy(tx, org_id))

    async def set_policy(self, org_id: UUID, wanted: Policy, *, actor: str, at: datetime) -> Policy:
        """Ask this of approvals from now on; those that wait keep what they were asked under."""
        if not 1 <= wanted.threshold <= THRESHOLD_MAX:
            raise FieldInvalid(f"threshold must be from 1 to {THRESHOLD_MAX}", field="threshold")

        async def work(tx: Tx) -> None:
            version = await store.set_policy(tx, org_id, wanted, at)
            if version is not None:
                await tell(
                    tx,
                    org_id=org_id,
                    object_id=derived_id(org_id, POLICY_KIND),
                    seq=version,
                    kind=POLICY_KIND,
                    what="set",
                    actor=actor,
                    at=at,
                    facts={"threshold": wanted.threshold, "needsSecond": wanted.needs_second},
                )

        await self._database.transact(work)
        return wanted

    async def set_policy_for(self, caller: Caller, wanted: Policy, *, at: datetime) -> Policy:
        """As `set_policy`, because somebody asks for it.

        Raises `RoleNotAllowed` for all but admins who signed in: a key that pays can't loosen what
        it is held to.
        """
        check_admin(caller)
        if caller.member is None:
            raise RoleNotAllowed("only an admin who signed in may do this")
        return await self.set_policy(caller.org_id, wanted, actor=caller.actor, at=at)

    async def _end(
        self, tx: Tx, approval: Approval, what: str, *, actor: str, at: datetime
    ) -> None:
        await store.settle(tx, approval, Status.EXPIRED, at)
        ended = replace(
            approval, status=Status.EXPIRED, updated_at=at, version=approval.version + 1
        )
        await tell_approval(tx, ended, what, actor=actor)


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Blank what was said about a user's payments; part of erasing the user."""
    del at  # nothing of the approvals themselves changes
    await store.erase(tx, org_id, user_id)


async def tell_approval(
    tx: Tx,
    approval: Approval,
    what: str,
    *,
    actor: str,
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Tell of an approval as it is now; texts are never told."""
    await tell(
        tx,
        org_id=approval.org_id,
        object_id=approval.id,
        seq=approval.version,
        kind=KIND,
        what=what,
        actor=actor,
        at=approval.updated_at,
        facts={
            "transferId": str(approval.transfer_id),
            "transferType": approval.transfer_kind,
            "status": approval.status,
            **(facts or {}),
        },
    )
